import { expect, it } from 'vitest';
import { db, type Tx } from '@/server/db';
import { claimDue, claimProbe } from '@/server/delivery/attempts/claim';
import { pauseSubscription } from '@/server/delivery/pause';
import { EXPIRE } from '@/server/delivery/queue/expire';
import { holdDeliveries, maxMoved } from '@/server/delivery/queue/hold';
import { makeQueue } from '@/test/queue';
import { watchStatements } from '@/test/statements';

/** A queue with 20,000 pending deliveries. */
async function makeLongQueue() {
  const queue = await makeQueue({}, 0);
  const { project, subscription } = queue;
  await db.$executeRaw`
    WITH e AS (
      INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata)
      SELECT 'evt_' || ${project.id} || n, ${project.id}, 'participant.registered', 1, 'participant', 'prt_1', '{}', '{}'
      FROM generate_series(1, 20000) n RETURNING id
    )
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "nextAttemptAt",
      "expiresAt", "updatedAt")
    SELECT 'whd_' || id, ${subscription.id}, ${project.id}, id, 'participant.registered', 'pending', now(),
      now() + interval '24 hours', now() FROM e`;
  await db.$executeRaw`ANALYZE webhook_delivery`;
  return queue;
}

/** Rows of deliveries that `work` reads, those that it changes included. */
const rowsRead = (work: (tx: Tx) => Promise<unknown>): Promise<number> =>
  db.$transaction(async (tx) => {
    const count = async () => {
      const [row] = await tx.$queryRaw<{ count: number }[]>`
        SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS count
        FROM pg_stat_xact_user_tables WHERE relname = 'webhook_delivery'`;
      return row?.count ?? Number.NaN;
    };
    const before = await count();
    await work(tx);
    return (await count()) - before;
  });

it('of a long queue, what has not expired is not read to find what has', async () => {
  const { subscription } = await makeLongQueue();
  for (const about of [subscription.id, null]) {
    expect(await rowsRead((tx) => tx.$queryRawUnsafe(EXPIRE, about))).toBeLessThan(10);
  }
});

it('claims and probes read what they take, however wrong the statistics about what has expired are', async () => {
  const { subscription, set } = await makeLongQueue();
  const { id } = subscription;
  await db.$executeRaw`UPDATE webhook_delivery SET "expiresAt" = now() - random() * interval '5 hours'`;
  await db.$executeRaw`ANALYZE webhook_delivery`;
  await db.$executeRaw`UPDATE webhook_delivery SET "expiresAt" = now() + interval '24 hours'`;
  const retryAt = new Date(Date.now() - 1000);
  const sent = await watchStatements(async () => {
    await claimDue(id, 5);
    await set({ breakerState: 'open', breakerRetryAt: retryAt });
    await claimProbe(id);
  });
  const claims = sent.filter(({ text }) => text.includes('WITH due AS'));
  expect(claims).toHaveLength(2);
  for (const { text, values } of claims) {
    expect(await rowsRead((tx) => tx.$queryRawUnsafe(text, ...values))).toBeLessThan(100);
  }
});

it('a batch that is held reads no more than the batch, whatever is pending or was held before', async () => {
  const { subscription, counts } = await makeLongQueue();
  const perBatch = 4 * maxMoved;
  expect(await rowsRead((tx) => pauseSubscription(tx, subscription.id))).toBeLessThan(perBatch);
  await db.$executeRaw`
    UPDATE webhook_delivery SET status = 'held', "heldReason" = 'paused' WHERE id IN (
      SELECT id FROM webhook_delivery WHERE "subscriptionId" = ${subscription.id} AND status = 'pending' ORDER BY "nextAttemptAt", id LIMIT 15000)`;
  await db.$executeRaw`ANALYZE webhook_delivery`;
  expect(await counts()).toEqual({ 'held paused': 15_500, pending: 4_500 });
  for (const held of [16_000, 16_500]) {
    expect(await rowsRead((tx) => holdDeliveries(tx, subscription.id))).toBeLessThan(perBatch);
    expect(await counts()).toMatchObject({ 'held paused': held });
  }
  await db.webhookDelivery.updateMany({
    where: { subscriptionId: subscription.id, status: 'pending' },
    data: { status: 'held', heldReason: 'breaker' },
  });
  await db.$executeRaw`ANALYZE webhook_delivery`;
  expect(await rowsRead((tx) => holdDeliveries(tx, subscription.id))).toBeLessThan(perBatch);
  expect(await counts()).toEqual({ 'held paused': 17_000, 'held breaker': 3_000 });
});
