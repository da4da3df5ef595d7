import { encodeTime } from 'ulid';
import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { purgeDeliveries, purgeReplaysAndCounts } from '@/server/delivery/upkeep';
import { makeQueue } from '@/test/queue';

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('retention', () => {
  /** Makes the newest delivery look as if it had been made and had ended `days` ago. */
  async function age(subscriptionId: string, days: number): Promise<string> {
    const fresh = `whd_${encodeTime(Date.now() - 3_600_000).toLowerCase()}`;
    const row = await db.webhookDelivery.findFirstOrThrow({ where: { subscriptionId, id: { gt: fresh } } });
    const id = `whd_${encodeTime(ago(days).getTime()).toLowerCase()}${row.id.slice(-16)}`;
    await db.webhookDelivery.update({ where: { id: row.id }, data: { id, completedAt: row.completedAt && ago(days) } });
    await db.webhookAttempt.updateMany({ where: { deliveryId: row.id }, data: { deliveryId: id } });
    return id;
  }

  it('deletes deliveries that ended more than 30 days ago with their attempts, in batches, and nothing else', async () => {
    const { subscription, set, more } = await makeQueue({}, 6);
    await drainQueue(subscription.id);
    const old = [await age(subscription.id, 31), await age(subscription.id, 45), await age(subscription.id, 400)];
    const young = [await age(subscription.id, 29), await age(subscription.id, 2)];
    await set({ status: 'paused' });
    await more(1);
    const held = await age(subscription.id, 60);
    await db.webhookDelivery.update({ where: { id: old[2] ?? '' }, data: { completedAt: new Date() } });

    expect(await purgeDeliveries(new Date(), 1)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(0);
    const left = await db.webhookDelivery.findMany({
      where: { subscriptionId: subscription.id },
      select: { id: true },
    });
    const ids = left.map((row) => row.id);
    // The third was replayed recently.
    expect(ids).toEqual(expect.arrayContaining([...young, held, old[2]]));
    expect(ids).toHaveLength(5);
    const attempts = await db.webhookAttempt.count({ where: { delivery: { subscriptionId: subscription.id } } });
    expect(attempts).toBe(4);
    expect(await db.domainEvent.count({ where: { projectId: subscription.projectId } })).toBe(7);
  });

  it('deletes one delivery at a time where they have thousands of attempts', async () => {
    const { subscription } = await makeQueue({}, 2);
    await drainQueue(subscription.id);
    const old = [await age(subscription.id, 45), await age(subscription.id, 31)];
    await db.webhookDelivery.updateMany({ where: { id: { in: old } }, data: { attemptCount: 3_000 } });
    expect(await purgeDeliveries(new Date(), 10)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(1);
    expect(await purgeDeliveries(new Date(), 10)).toBe(0);
  });

  it('deletes old replays and counts of attempts', async () => {
    const { subscription, project } = await makeQueue({ rateLimitConfig: { perDay: 9 } }, 1);
    await drainQueue(subscription.id);
    await db.webhookReplay.create({
      data: {
        id: `whr_${subscription.id}`,
        subscriptionId: subscription.id,
        projectId: project.id,
        filter: {},
        total: 0,
        createdById: 'usr_1',
        createdAt: ago(31),
      },
    });
    await purgeReplaysAndCounts(new Date());
    expect(await db.webhookReplay.count({ where: { subscriptionId: subscription.id } })).toBe(0);
    expect(await db.webhookRateBucket.count({ where: { subscriptionId: subscription.id } })).toBe(1);
    await purgeReplaysAndCounts(new Date(Date.now() + 3 * 86_400_000));
    expect(await db.webhookRateBucket.count({ where: { subscriptionId: subscription.id } })).toBe(0);
  });
});
