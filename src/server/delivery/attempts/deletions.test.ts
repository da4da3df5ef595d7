import { describe, expect, it } from 'vitest';
import { db, pool } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { deleteDeliveries, maxDeletedWith } from '@/server/delivery/attempts/deletions';
import { storeReleased } from '@/server/delivery/attempts/unstored';
import { takeEvents } from '@/server/delivery/fan-out';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { makeAttempts } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { makeQueue, openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { withRoom } from '@/test/room';

/** Two projects, each with a subscription and an event. */
async function makeTwo() {
  const { project: deleting } = await makeProject();
  const { project } = await makeProject();
  const target = await openReceiver();
  const deleted = await makeSubscription(deleting.id, { url: target.url });
  const kept = await makeSubscription(project.id, { url: target.url });
  await emitEvents(deleting.id, 1);
  await emitEvents(project.id, 1);
  return { deleted, kept };
}

/** Begins to delete a subscription, and commits when `work` is done, which does not wait for it. */
async function duringDeletion<T>(subscriptionId: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DELETE FROM webhook_subscription WHERE id = $1', [subscriptionId]);
    const done = await work();
    await client.query('COMMIT');
    return done;
  } finally {
    client.release();
  }
}

/** Claims what is due of a subscription and sends it. @returns the results, which are not stored */
async function sendAll(subscriptionId: string) {
  const attempts = await claimDue(subscriptionId, 20);
  return Promise.all(attempts.map(async (attempt) => ({ attempt, result: await post(webhookAgent(), attempt) })));
}

const stored = (subscriptionId: string) => db.webhookDelivery.count({ where: { subscriptionId } });

it('events are taken though a subscription is being deleted', async () => {
  const { deleted, kept } = await makeTwo();
  const { due } = await duringDeletion(deleted.id, () => takeEvents(withRoom(0), []));
  expect(due).toContain(kept.id);
  expect(due).not.toContain(deleted.id);
  expect(await stored(kept.id)).toBe(1);
});

it('deliveries are given back though the subscription of one is being deleted', async () => {
  const { deleted, kept } = await makeTwo();
  const { claimed } = await takeEvents(withRoom(20), []);
  const both = claimed.filter(({ owner }) => [deleted.id, kept.id].includes(owner.id));
  const attempts = both.flatMap((group) => group.attempts);
  expect(attempts).toHaveLength(2);
  await duringDeletion(deleted.id, () => Promise.all(attempts.map(storeReleased)));
  expect(await stored(kept.id)).toBe(1);
});

it('results are stored though the subscription of one is being deleted', async () => {
  const { deleted, kept } = await makeTwo();
  const { claimed } = await takeEvents(withRoom(20), []);
  const both = claimed.filter(({ owner }) => [deleted.id, kept.id].includes(owner.id));
  const attempts = both.flatMap((group) => group.attempts);
  const sent = attempts.map((attempt) => post(webhookAgent(), attempt));
  const results = await Promise.all(sent);
  const finished = attempts.flatMap((attempt, index) => {
    const result = results[index];
    return result ? [{ attempt, result }] : [];
  });
  expect(finished).toHaveLength(2);
  await duringDeletion(deleted.id, () => completeAttempts(finished));
  expect([await stored(deleted.id), await stored(kept.id)]).toEqual([0, 1]);
});

it('a deletion and the results of its deliveries do not wait for each other', async () => {
  const { subscription } = await makeQueue({}, 1);
  const { subscription: other } = await makeQueue({}, 1);
  const finished = [...(await sendAll(subscription.id)), ...(await sendAll(other.id))];
  expect(finished).toHaveLength(2);
  const [own, held] = finished.map(({ attempt }) => attempt.deliveryId);
  // The results are stored as far as the first one of the two.
  const release = await holdLock('SELECT FROM webhook_delivery WHERE id = $1 FOR UPDATE', [held]);
  const completing = completeAttempts(finished);
  await until(async () => (await waiting()) === 1);
  const locked = await pool.query('SELECT FROM webhook_delivery WHERE id = $1 FOR UPDATE SKIP LOCKED', [own]);
  expect(locked.rowCount).toBe(0);
  const removing = pool.query('DELETE FROM webhook_subscription WHERE id = $1', [subscription.id]);
  await until(async () => (await waiting()) === 2);
  await release();
  await Promise.all([completing, removing]);
  expect(await stored(subscription.id)).toBe(0);
  expect(await db.webhookDelivery.count({ where: { subscriptionId: other.id, status: 'delivered' } })).toBe(1);
});

it('results are stored beside a deletion that has come halfway', async () => {
  const { subscription, more } = await makeQueue({}, 1);
  const finished = await sendAll(subscription.id);
  await more(1);
  const waits = await db.webhookDelivery.findFirstOrThrow({
    where: { subscriptionId: subscription.id, claimId: null },
  });
  await makeAttempts(waits.id, [{}]);
  const release = await holdLock('SELECT FROM webhook_attempt WHERE "deliveryId" = $1 FOR UPDATE', [waits.id]);
  const deleting = deleteDeliveries(subscription);
  await someoneWaits();
  await completeAttempts(finished);
  expect(await db.webhookDelivery.count({ where: { subscriptionId: subscription.id, status: 'delivered' } })).toBe(1);
  await release();
  await deleting;
  expect(await stored(subscription.id)).toBe(0);
});

it('a deletion leaves what a statement is working on to its end', async () => {
  const { subscription } = await makeQueue({}, 2);
  const [first] = await db.webhookDelivery.findMany({ where: { subscriptionId: subscription.id } });
  const release = await holdLock('SELECT FROM webhook_delivery WHERE id = $1 FOR UPDATE', [first?.id]);
  await deleteDeliveries(subscription);
  expect(await stored(subscription.id)).toBe(1);
  await release();
  await pool.query('DELETE FROM webhook_subscription WHERE id = $1', [subscription.id]);
  expect(await stored(subscription.id)).toBe(0);
});

it('a subscription loses all of its deliveries, and no other one does', async () => {
  const { subscription } = await makeQueue({}, 1);
  const { subscription: other } = await makeQueue({}, 3);
  await pool.query(
    `WITH e AS (
       INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt")
       SELECT e.id || n, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt"
       FROM domain_event e, generate_series(1, $2::int) n WHERE "projectId" = $1 RETURNING id
     ), taken AS (DELETE FROM pending_event)
     INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", "expiresAt", "updatedAt")
     SELECT 'whd_' || e.id, $3, $1, e.id, 'participant.registered', now(), now() FROM e`,
    [subscription.projectId, maxDeletedWith, subscription.id],
  );
  expect(await stored(subscription.id)).toBe(maxDeletedWith + 1);
  await deleteDeliveries(subscription);
  expect([await stored(subscription.id), await stored(other.id)]).toEqual([0, 3]);
});

describe('Deliveries and their attempts are deleted', () => {
  it.each([
    ['with their subscription', 'webhook_subscription', 0],
    ['with their project', 'project', 0],
    ['with their event', 'domain_event', 1],
    ['by themselves', 'webhook_delivery', 1],
  ])('%s', async (_how, table, left) => {
    const queues = [await makeQueue({}, 2), await makeQueue({}, 2)] as const;
    const deliveries = queues.map(({ subscription }) =>
      db.webhookDelivery.findMany({ where: { subscriptionId: subscription.id }, orderBy: { id: 'asc' } }),
    );
    const [[first, second] = [], kept = []] = await Promise.all(deliveries);
    for (const each of [first, second, ...kept]) await makeAttempts(each?.id ?? '', [{}, {}]);
    const ids = {
      webhook_subscription: first?.subscriptionId,
      project: first?.projectId,
      domain_event: first?.eventId,
      webhook_delivery: first?.id,
    };
    await pool.query(`DELETE FROM ${table} WHERE id = $1`, [ids[table as keyof typeof ids]]);
    expect(await stored(first?.subscriptionId ?? '')).toBe(left);
    const attempts = (ofThese: (typeof first)[]) =>
      db.webhookAttempt.count({ where: { deliveryId: { in: ofThese.map((each) => each?.id ?? '') } } });
    expect(await attempts([first])).toBe(0);
    expect(await attempts([second])).toBe(2 * left);
    expect(await attempts(kept)).toBe(4);
  });
});
