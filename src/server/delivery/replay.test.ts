import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { drainQueue } from '@/server/delivery/drain-queue';
import { batchTurns } from '@/server/delivery/queue/batches';
import { continueReplay, createReplay, requeue } from '@/server/delivery/replay';
import { deliveriesOf } from '@/test/deliveries';
import { holdLock } from '@/test/locks';
import { makeQueue } from '@/test/queue';

describe('replay', () => {
  it('sends the stored bytes again with the same event id and all retries', async () => {
    let status = 500;
    const { subscription, target, counts, eventIds } = await makeQueue({ maxRetries: 0 }, 1, (_request, response) => {
      response.writeHead(status).end();
    });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ failed: 1 });
    const [delivery] = await deliveriesOf(subscription.id);
    const again = () => db.$transaction((tx) => requeue(tx, [delivery?.id ?? '']));
    expect(await again()).toEqual([delivery?.id]);
    await db.webhookSubscription.update({ where: { id: subscription.id }, data: { maxRetries: 1 } });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ pending: 1 });
    status = 200;
    await again();
    await drainQueue(subscription.id);
    await again();
    await drainQueue(subscription.id);
    const [done] = await deliveriesOf(subscription.id);
    expect(done).toMatchObject({ status: 'delivered', replayCount: 3, attemptCount: 4 });
    expect(done?.attempts.map((attempt) => attempt.trigger)).toEqual(['first', 'replay', 'replay', 'replay']);
    expect(new Set(target.eventIds())).toEqual(new Set(eventIds));
    expect((done?.expiresAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(86_000_000);
  });

  it('of many takes turns with what else is changed batch by batch', async () => {
    const { subscription, project, counts } = await makeQueue({}, 3, (_request, response) =>
      response.writeHead(500).end(),
    );
    const failed = { status: 'failed', nextAttemptAt: null, completedAt: new Date() } as const;
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: failed });
    const replay = await db.$transaction((tx) =>
      createReplay(
        tx,
        {
          subscriptionId: subscription.id,
          projectId: project.id,
          filter: { statuses: ['failed'] },
          createdById: 'usr_replays',
        },
        3,
      ),
    );
    const ended: string[] = [];
    const other = batchTurns.run('other', async () => {
      for (let statement = 0; statement < 300; statement += 1) await db.$queryRaw`SELECT 1`;
      ended.push('other');
      return { full: false };
    });
    const replaying = continueReplay(replay?.id ?? '', { status: 0, createdAt: null, id: null });
    await Promise.all([other, replaying.then(() => ended.push('replay'))]);
    expect(ended).toEqual(['other', 'replay']);
    expect(await counts()).toEqual({ pending: 3 });
  });

  it('of many keeps nobody waiting where its deliveries are being sent again already', async () => {
    const { subscription, project } = await makeQueue({}, 1);
    const failed = { status: 'failed', nextAttemptAt: null, completedAt: new Date() } as const;
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: failed });
    const filter = { statuses: ['failed' as const] };
    const asked = { subscriptionId: subscription.id, projectId: project.id, filter, createdById: 'usr_replays' };
    const replay = await db.$transaction((tx) => createReplay(tx, asked, 1));
    await holdLock('SELECT FROM webhook_delivery WHERE "subscriptionId" = $1 FOR UPDATE', [subscription.id]);
    const replaying = continueReplay(replay?.id ?? '', { status: 0, createdAt: null, id: null });
    expect(await batchTurns.run('other', async () => ({ full: false }))).toEqual({ full: false });
    expect(await replaying).toBeNull();
  });

  it('is held for a paused subscription, and skips deliveries with a request under way', async () => {
    const { subscription, set, counts } = await makeQueue({}, 2);
    const [claimed] = await claimDue(subscription.id, 1);
    const ids = (await deliveriesOf(subscription.id)).map((row) => row.id);
    await set({ status: 'paused' });
    const taken = await db.$transaction((tx) => requeue(tx, ids));
    expect(taken).toEqual(ids.filter((id) => id !== claimed?.deliveryId));
    expect(await counts()).toEqual({ 'held paused': 1, pending: 1 });
  });
});
