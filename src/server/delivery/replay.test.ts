import { describe, expect, it } from 'vitest';
import { db, pool } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { drainQueue } from '@/server/delivery/drain-queue';
import { batchTurns } from '@/server/delivery/queue/batches';
import { continueReplay, countStatement, createReplay, NEXT, pageStatement, requeue } from '@/server/delivery/replay';
import { deliveriesOf, makeManyAttempts } from '@/test/deliveries';
import { holdLock } from '@/test/locks';
import { makeQueue } from '@/test/queue';
import { countRowsRead } from '@/test/statements';

const start = { status: 0, createdAt: null, id: null };

/** Failed deliveries of a subscription, as many as are given of each type, in that order. */
async function makeFailed({ id, projectId }: { id: string; projectId: string }, types: [string, number][]) {
  for (const [at, [type, count]] of types.entries()) {
    await pool.query(
      `INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "expiresAt", "createdAt", "updatedAt")
       SELECT 'whd_' || $1 || $3 || n, $1, $2, 'evt_' || $1 || $3 || n, $3, 'failed', now(), now() - interval '1 hour' + $5 * interval '1 s', now()
       FROM generate_series(1, $4::int) n`,
      [id, projectId, type, count, at],
    );
  }
}

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
    const other = batchTurns.run({ owner: 'other' }, async () => {
      for (let statement = 0; statement < 300; statement += 1) await db.$queryRaw`SELECT 1`;
      ended.push('other');
      return { full: false };
    });
    const replaying = continueReplay(replay?.id ?? '', start);
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
    const replaying = continueReplay(replay?.id ?? '', start);
    expect(await batchTurns.run({ owner: 'other' }, async () => ({ full: false }))).toEqual({ full: false });
    expect(await replaying).toBeNull();
  });

  it('of many reads for a batch no more than the batch, in the order of an index', async () => {
    const { subscription } = await makeQueue({}, 0);
    await makeFailed(subscription, [['match.started', 300]]);
    const later = '2026-11-20 12:00:00+00';
    for (const cursor of [
      [null, null],
      [later, 'whd_1'],
    ]) {
      const values = [subscription.id, 'failed', null, null, null, null, new Date(), ...cursor];
      const rows = await db.$transaction(async (tx) => {
        // The table is small.
        await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
        await tx.$executeRaw`SET LOCAL enable_bitmapscan = off`;
        return tx.$queryRawUnsafe<unknown[]>(`EXPLAIN ${NEXT}`, ...values);
      });
      expect(JSON.stringify(rows)).toContain('webhook_delivery_subscriptionId_status_createdAt_id_idx');
      expect(JSON.stringify(rows)).not.toContain('Sort');
    }
  });

  it('by filter passes over what does not match, batch by batch', async () => {
    const { subscription, project, counts } = await makeQueue({}, 0);
    await makeFailed(subscription, [
      ['match.started', 450],
      ['match.completed', 2],
    ]);
    const filter = { statuses: ['failed' as const], type: 'match.completed' };
    const asked = { subscriptionId: subscription.id, projectId: project.id, filter, createdById: 'usr_replays' };
    const replay = await db.$transaction((tx) => createReplay(tx, asked, 2));
    expect(await continueReplay(replay?.id ?? '', start)).toBeNull();
    expect(await counts()).toEqual({ pending: 2, failed: 450 });
    expect(await db.webhookReplay.findUnique({ where: { id: replay?.id } })).toMatchObject({ total: 2, done: 2 });
  });

  it('by error reads few attempts of deliveries that have thousands', async () => {
    const { subscription } = await makeQueue({}, 0);
    await makeFailed(subscription, [['match.started', 10]]);
    const ids = (await deliveriesOf(subscription.id)).map(({ id }) => id);
    await makeManyAttempts(ids, 1_000);
    const early = { deliveryId_number: { deliveryId: ids[4] ?? '', number: 7 } };
    await db.webhookAttempt.update({ where: early, data: { errorClass: 'timeout' } });
    for (const [errorClass, matching] of [
      ['timeout', 1],
      ['http_5xx', 10],
      ['dns_error', 0],
    ] as const) {
      const filter = { statuses: ['failed'], errorClass };
      const counting = countStatement(subscription.id, filter);
      const values = [subscription.id, 'failed', null, null, null, errorClass, new Date(), null, null];
      expect((await pool.query(counting.text, counting.values)).rows).toEqual([{ count: matching }]);
      const { rows } = await pool.query<{ matches: boolean }>(NEXT, values);
      expect(rows.filter(({ matches }) => matches)).toHaveLength(matching);
      for (const statement of [counting, pageStatement(subscription.id, filter, 0, 20), { text: NEXT, values }])
        expect(await countRowsRead('webhook_attempt', statement)).toBeLessThan(50);
    }
  });

  it('sends no more than was counted for it', async () => {
    const { subscription, project, counts } = await makeQueue({}, 0);
    await makeFailed(subscription, [['match.started', 3]]);
    const filter = { statuses: ['failed' as const] };
    const asked = { subscriptionId: subscription.id, projectId: project.id, filter, createdById: 'usr_replays' };
    const replay = await db.$transaction((tx) => createReplay(tx, asked, 2));
    expect(await continueReplay(replay?.id ?? '', start)).toBeNull();
    expect(await counts()).toEqual({ pending: 2, failed: 1 });
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
