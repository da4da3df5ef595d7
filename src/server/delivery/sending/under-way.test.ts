import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db } from '@/server/db';
import { type Background, startBackground } from '@/test/background';
import { deliveriesOf, settled } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';

let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: webhookFunctions });
});

afterAll(async () => {
  await background.stop();
});

/** Longer than `until` waits: no request ends by a timeout. */
const settings = { timeoutMs: 120_000, maxRetries: 0, retryBaseDelayMs: 1_000, enableCircuitBreaker: false };

/** A receiver that lets requests wait. */
async function holdingReceiver() {
  const held: ServerResponse[] = [];
  const target = await openReceiver((_request, response) => void held.push(response));
  return { target, held, areClosed: () => held.every((response) => response.destroyed) };
}

/** Two subscriptions of a project, each with two events whose requests are under way. */
async function makeTwo() {
  const { project } = await makeProject();
  const [changed, other] = [await holdingReceiver(), await holdingReceiver()];
  const subscription = await makeSubscription(project.id, { url: changed.target.url, ...settings });
  const kept = await makeSubscription(project.id, { url: other.target.url, ...settings });
  await emitEvents(project.id, 2);
  await until(() => changed.held.length === 2 && other.held.length === 2);
  return {
    projectId: project.id,
    subscription,
    changed,
    /** The requests of the other subscription are still under way, and arrive once. */
    async finishOther() {
      expect(other.held.some((response) => response.destroyed)).toBe(false);
      for (const response of other.held) response.end();
      await until(settled(kept.id, 2));
      expect(await deliveriesOf(kept.id)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
      expect(other.target.received).toHaveLength(2);
      await db.webhookSubscription.deleteMany({ where: { projectId: project.id } });
    },
  };
}

const attemptsOf = (subscriptionId: string) =>
  db.webhookAttempt.findMany({ where: { delivery: { subscriptionId } }, orderBy: { id: 'asc' } });

it('requests of a subscription that is deleted end, and leave nothing behind', async () => {
  const { projectId, subscription, changed, finishOther } = await makeTwo();
  await db.webhookSubscription.delete({ where: { id: subscription.id } });
  await until(changed.areClosed);
  await finishOther();
  await background.idle();
  expect(changed.target.received).toHaveLength(2);
  expect(await deliveriesOf(subscription.id)).toEqual([]);
  expect(await db.pendingEvent.count({ where: { projectId } })).toBe(0);
});

it('those of one that is disabled end, and are sent again when it is resumed', async () => {
  const { subscription, changed, finishOther } = await makeTwo();
  await db.webhookSubscription.update({ where: { id: subscription.id }, data: { status: 'disabled' } });
  await until(changed.areClosed);
  await until(async () => (await deliveriesOf(subscription.id)).every(({ status }) => status === 'held'));
  const cancelled = { outcome: 'failed', errorClass: 'cancelled' };
  expect(await attemptsOf(subscription.id)).toMatchObject([cancelled, cancelled]);
  const { consecutiveFailures } = await db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } });
  expect(consecutiveFailures).toBe(0);
  await finishOther();
});

it('those to its former URL end, and are sent to the new one', async () => {
  const { subscription, changed, finishOther } = await makeTwo();
  const next = await openReceiver();
  await db.webhookSubscription.update({ where: { id: subscription.id }, data: { url: next.url } });
  await until(changed.areClosed);
  await until(settled(subscription.id, 2));
  expect(await deliveriesOf(subscription.id)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
  expect(new Set(next.eventIds())).toEqual(new Set(changed.target.eventIds()));
  expect([changed.target.received.length, next.received.length]).toEqual([2, 2]);
  await finishOther();
});

it('a request that was ended uses up no retry', async () => {
  const { project } = await makeProject();
  const former = await holdingReceiver();
  const subscription = await makeSubscription(project.id, { url: former.target.url, ...settings, maxRetries: 1 });
  await emitEvents(project.id, 1);
  await until(() => former.held.length === 1);
  const statuses = [500, 200];
  const next = await openReceiver((_request, response) => void response.writeHead(statuses.shift() ?? 500).end());
  await db.webhookSubscription.update({ where: { id: subscription.id }, data: { url: next.url } });
  await until(settled(subscription.id, 1));
  expect((await attemptsOf(subscription.id)).map(({ number, errorClass }) => [number, errorClass]).sort()).toEqual([
    [1, 'cancelled'],
    [2, 'http_5xx'],
    [3, null],
  ]);
  expect(await deliveriesOf(subscription.id)).toMatchObject([{ status: 'delivered' }]);
});
