import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { db, pool } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { pauseSubscription } from '@/server/delivery/pause';
import { expireOverdue } from '@/server/delivery/queue/expire';
import { holdDeliveries, maxMoved, reconcileQueue, releaseDeliveries } from '@/server/delivery/queue/hold';
import { makeQueue } from '@/test/queue';
import { until } from '@/test/receiver';

const past = () => new Date(Date.now() - 1000);

describe('paused or disabled', () => {
  it.each(['paused', 'disabled'] as const)(
    '%s: deliveries are held, and sent in order when it is resumed',
    async (status) => {
      const { subscription, target, set, more, counts, eventIds } = await makeQueue({}, 30);
      await db.$transaction(async (tx) => {
        await tx.webhookSubscription.update({ where: { id: subscription.id }, data: { status } });
        await holdDeliveries(tx, subscription.id);
      });
      const later = await more(5);
      expect(await counts()).toEqual({ [`held ${status}`]: 35 });
      expect(await drainQueue(subscription.id)).toBeNull();
      expect(target.received).toEqual([]);
      await set({ status: 'active' });
      await db.$transaction((tx) => releaseDeliveries(tx, subscription.id));
      expect(await counts()).toEqual({ pending: 35 });
      await drainQueue(subscription.id);
      const arrived = target.eventIds();
      const order = [...eventIds, ...later];
      expect(new Set(arrived)).toEqual(new Set(order));
      // Several go out at a time, and one of them may be held up on its way.
      const astray = arrived.filter((id, index) => Math.abs(order.indexOf(id) - index) >= 10);
      expect(astray.length).toBeLessThan(5);
    },
  );

  it('the next run of the queue reconciles deliveries with the status', async () => {
    const { subscription, set, counts } = await makeQueue({}, 4);
    await set({ status: 'paused' });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ 'held paused': 4 });
    await set({ status: 'disabled' });
    await db.$transaction((tx) => holdDeliveries(tx, subscription.id));
    expect(await counts()).toEqual({ 'held disabled': 4 });
    await set({ status: 'active' });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ delivered: 4 });
  });

  it('a pause of a long queue moves a part of it, and the next run the rest', async () => {
    const { subscription, counts, set } = await makeQueue({}, 2 * maxMoved + 10);
    await db.$transaction((tx) => pauseSubscription(tx, subscription.id));
    expect(await counts()).toEqual({ 'held paused': maxMoved, pending: maxMoved + 10 });
    await drainQueue(subscription.id);
    expect(await counts()).toEqual({ 'held paused': 2 * maxMoved + 10 });
    await set({ status: 'active' });
    expect(await reconcileQueue(subscription)).toBe(2 * maxMoved + 10);
  });

  it('a resume of a long queue sends its first deliveries before it has moved the others, and what is new after them', async () => {
    const open: ServerResponse[] = [];
    let hangs = true;
    const respond = (_request: unknown, response: ServerResponse) =>
      hangs ? void open.push(response) : void response.end();
    const { subscription, target, set, more, counts, eventIds } = await makeQueue({ status: 'paused' }, 300, respond);
    await set({ status: 'active' });
    const draining = drainQueue(subscription.id);
    await until(() => target.received.length > 0);
    expect((await counts())['held paused']).toBeGreaterThan(200);
    const later = await more(5);
    expect(await counts()).toMatchObject({ 'held paused': expect.any(Number) });
    hangs = false;
    for (const response of open) response.end();
    await draining;
    while ((await drainQueue(subscription.id))?.inMs === 0);
    expect(await counts()).toEqual({ delivered: 305 });
    const arrived = target.eventIds();
    expect(new Set(arrived)).toEqual(new Set([...eventIds, ...later]));
    // A request may be held up on its way, so that a few others overtake it.
    const last = [...eventIds.slice(250), ...later];
    expect(arrived.slice(0, 150).filter((id) => last.includes(id))).toEqual([]);
  });

  it('what was held and is not due yet is pending after the next run', async () => {
    const { subscription, set, counts } = await makeQueue({ status: 'paused' }, 3);
    const soon = new Date(Date.now() + 3_600_000);
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { nextAttemptAt: soon } });
    await set({ status: 'active' });
    expect((await drainQueue(subscription.id))?.inMs).toBeGreaterThan(3_000_000);
    expect(await counts()).toEqual({ pending: 3 });
  });

  it('held deliveries expire after 24 hours too', async () => {
    const { subscription, counts } = await makeQueue({ status: 'paused' }, 3);
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { expiresAt: past() } });
    await expireOverdue(null);
    expect(await counts()).toEqual({ expired: 3 });
  });

  it('held deliveries of a project expire however many of another have', async () => {
    const many = await makeQueue({ status: 'paused' }, 0);
    await pool.query(
      `WITH e AS (
         INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata)
         SELECT 'evt_' || $1 || n, $1, 'participant.registered', 1, 'participant', 'prt_1', '{}', '{}' FROM generate_series(1, 1000) n
         RETURNING id
       )
       INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "heldReason", "expiresAt", "updatedAt")
       SELECT 'whd_' || id, $2, $1, id, 'participant.registered', 'held', 'paused', now() - interval '1 hour', now() FROM e`,
      [many.project.id, many.subscription.id],
    );
    const { subscription, counts } = await makeQueue({ status: 'paused' }, 1);
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { expiresAt: past() } });
    await expireOverdue(null);
    expect(await counts()).toEqual({ expired: 1 });
  });
});
