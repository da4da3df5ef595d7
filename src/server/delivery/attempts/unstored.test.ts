import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** A project with a receiver that holds every response until `answer` releases them. */
async function makeHeld(settings: Partial<Parameters<typeof makeSubscription>[1]> = {}) {
  const { project } = await makeProject();
  const held: ServerResponse[] = [];
  let open = false;
  const target = await openReceiver((_request, response) => {
    if (open) response.end('ok');
    else held.push(response);
  });
  const subscription = await makeSubscription(project.id, { url: target.url, timeoutMs: 120_000, ...settings });
  const answer = (status = 200) => {
    open = true;
    for (const response of held.splice(0)) response.writeHead(status).end('ok');
  };
  const claimed = () => db.eventClaim.findMany();
  return { project, target, subscription, held, answer, claimed };
}

describe('a delivery that is claimed with its event', () => {
  it('is stored when its receiver lets it wait, and delivered when that answers', async () => {
    const { project, subscription, held, answer, claimed } = await makeHeld();
    await emitEvents(project.id, 1);
    await until(() => held.length === 1);
    await until(async () => (await deliveriesOf(subscription.id)).length === 1);
    const [waiting] = await deliveriesOf(subscription.id);
    expect(waiting).toMatchObject({ status: 'pending', attemptCount: 1, attempts: [] });
    expect(waiting?.claimId).not.toBeNull();
    expect(await claimed()).toEqual([]);
    answer();
    await until(settled(subscription.id, 1));
    const [delivered] = await deliveriesOf(subscription.id);
    expect(delivered).toMatchObject({ id: waiting?.id, status: 'delivered', claimId: null });
    expect(delivered?.attempts).toMatchObject([{ number: 1, trigger: 'first', outcome: 'succeeded' }]);
  });

  it('is stored with its result before, and nothing is left of its event', async () => {
    const { project, subscription, held, answer, claimed } = await makeHeld();
    const [eventId] = await emitEvents(project.id, 1);
    await until(() => held.length === 1);
    const [claim] = await claimed();
    expect(claim?.deliveries).toEqual({ [String(eventId)]: { [subscription.id]: expect.any(String) } });
    answer();
    await until(settled(subscription.id, 1));
    const [delivery] = await deliveriesOf(subscription.id);
    expect(claim?.deliveries).toEqual({ [String(eventId)]: { [subscription.id]: delivery?.id } });
    expect(delivery).toMatchObject({ eventId, eventType: 'participant.registered', isTest: false, attemptCount: 1 });
    expect(+(delivery?.completedAt ?? 0)).toBeGreaterThanOrEqual(+(delivery?.createdAt ?? 0));
    await until(async () => (await claimed()).length === 0);
  });

  it('is tried again when it fails', async () => {
    const { project, subscription, held, answer, claimed } = await makeHeld({ retryBaseDelayMs: 1_000 });
    await emitEvents(project.id, 1);
    await until(() => held.length === 1);
    answer(500);
    await until(settled(subscription.id, 1));
    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery?.attempts).toMatchObject([
      { number: 1, outcome: 'failed', responseStatus: 500 },
      { number: 2, outcome: 'succeeded' },
    ]);
    expect(await claimed()).toEqual([]);
  });

  it('is stored for each of many subscriptions, of which one hangs', async () => {
    const { project, subscription, held, answer, claimed } = await makeHeld();
    const prompt = await openReceiver();
    const others = await Promise.all([1, 2, 3].map(() => makeSubscription(project.id, { url: prompt.url })));
    const eventIds = await emitEvents(project.id, 10);
    await Promise.all(others.map(({ id }) => until(settled(id, 10))));
    await until(async () => (await deliveriesOf(subscription.id)).length === 10);
    await until(async () => (await claimed()).length === 0);
    expect(held.length).toBeLessThan(10);
    answer();
    await until(settled(subscription.id, 10));
    expect(prompt.received).toHaveLength(30);
    const rows = await deliveriesOf(subscription.id);
    expect(new Set(rows.map((row) => row.eventId))).toEqual(new Set(eventIds));
  });

  it('leaves nothing behind when its subscription is deleted meanwhile', async () => {
    const { project, subscription, held, answer, claimed } = await makeHeld();
    await emitEvents(project.id, 1);
    await until(() => held.length === 1);
    await db.webhookSubscription.delete({ where: { id: subscription.id } });
    answer();
    await until(async () => (await claimed()).length === 0);
    expect(await db.webhookDelivery.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('is sent again when its claim has ended, and the late result changes nothing', async () => {
    const { project, target, subscription, held, answer } = await makeHeld();
    await emitEvents(project.id, 1);
    await until(() => held.length === 1);
    const ended = { claimedUntil: new Date(Date.now() - 1_000) };
    await db.eventClaim.updateMany({ data: { until: ended.claimedUntil } });
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { ...ended, nextAttemptAt: new Date() },
    });
    await until(() => held.length === 2);
    held.pop()?.end('second');
    await until(settled(subscription.id, 1));
    answer(500);
    await background.idle();
    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 2 });
    expect(delivery?.attempts).toMatchObject([
      { number: 1, outcome: 'unknown' },
      { number: 2, outcome: 'succeeded', responseBody: 'second' },
    ]);
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id, delivery?.id]);
  });
});

it('gives back what was not sent when it stops', async () => {
  const { project, target, subscription, held, answer } = await makeHeld();
  await emitEvents(project.id, 15);
  await until(() => held.length >= 2);
  await background.stop();
  const rows = await deliveriesOf(subscription.id);
  expect(rows.filter((row) => row.claimId === null && row.attemptCount === 0).length).toBeGreaterThan(0);
  expect(rows.every((row) => row.status === 'pending')).toBe(true);
  answer();
  background = await startBackground({ functions: webhookFunctions });
  await until(settled(subscription.id, 15));
  expect(new Set(target.eventIds()).size).toBe(15);
});
