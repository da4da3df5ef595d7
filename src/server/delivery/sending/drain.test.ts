import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db, pool, queuePool } from '@/server/db';
import { handshakes } from '@/server/delivery/sending/handshakes';
import { eventCatalog } from '@/server/events/catalog/catalog';
import { onDomainEvent } from '@/server/events/live';
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

describe('another project', () => {
  it('with sixty receivers that hang, and have never failed, keeps none of its slots', async () => {
    const { project: hostile } = await makeProject();
    const { project } = await makeProject();
    const hanging = await openReceiver(() => undefined);
    const prompt = await openReceiver();
    // Longer than `until` waits: no slot becomes free by a timeout.
    const settings = { url: hanging.url, timeoutMs: 120_000, enableCircuitBreaker: false };
    for (let count = 0; count < 60; count += 1) await makeSubscription(hostile.id, settings);
    const subscription = await makeSubscription(project.id, { url: prompt.url });
    await emitEvents(hostile.id, 10);
    await until(() => hanging.received.length >= 40);
    await emitEvents(project.id, 30);
    await until(settled(subscription.id, 30));
    expect((await deliveriesOf(subscription.id)).every((row) => row.status === 'delivered')).toBe(true);
    expect(await db.webhookDelivery.count({ where: { projectId: hostile.id, status: { not: 'pending' } } })).toBe(0);
    await db.webhookSubscription.deleteMany({ where: { projectId: hostile.id } });
  });

  it('whose handshakes held the process up waits, and nobody else', async () => {
    const { project: hostile } = await makeProject();
    const { project } = await makeProject();
    const receiver = await openReceiver();
    const theirs = await makeSubscription(hostile.id, { url: receiver.url });
    const subscription = await makeSubscription(project.id, { url: receiver.url });
    handshakes.begin(hostile.id)(200);
    const owedUntil = Date.now() + handshakes.waitMs(hostile.id);
    await emitEvents(hostile.id, 1);
    await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    expect(await db.webhookDelivery.count({ where: { subscriptionId: theirs.id, status: 'delivered' } })).toBe(0);
    await until(settled(theirs.id, 1));
    expect(Date.now()).toBeGreaterThanOrEqual(owedUntil - 1_000);
  });

  it('that fills the slots of slow receivers with a second one keeps no slow receiver of a third waiting', async () => {
    const hanging = await openReceiver(() => undefined);
    const late = await openReceiver((_request, response) => void setTimeout(() => response.end('ok'), 1_200));
    const settings = { url: hanging.url, timeoutMs: 120_000, enableCircuitBreaker: false };
    const hostile = [(await makeProject()).project.id, (await makeProject()).project.id];
    for (const projectId of hostile) {
      for (let count = 0; count < 60; count += 1) await makeSubscription(projectId, settings);
      await emitEvents(projectId, 10);
    }
    await until(() => hanging.received.length >= 96);
    const { project } = await makeProject();
    const subscription = await makeSubscription(project.id, { url: late.url });
    await emitEvents(project.id, 6);
    await until(settled(subscription.id, 6), 30_000);
    expect((await deliveriesOf(subscription.id)).every((row) => row.status === 'delivered')).toBe(true);
    await db.webhookSubscription.deleteMany({ where: { projectId: { in: hostile } } });
  });

  it('with thousands of events to take keeps none of its own waiting', async () => {
    const { project: busy } = await makeProject();
    const { project } = await makeProject();
    const target = await openReceiver();
    const prompt = await openReceiver();
    await makeSubscription(busy.id, { url: target.url });
    const subscription = await makeSubscription(project.id, { url: prompt.url });
    await emitEvents(busy.id, 6_000);
    await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    expect(await db.pendingEvent.count({ where: { projectId: busy.id } })).toBeGreaterThan(0);
    await background.idle();
    expect(new Set(target.eventIds()).size).toBe(6_000);
  });

  it('with statements on every connection for its queues keeps neither events nor results waiting', async () => {
    const { project } = await makeProject();
    const target = await openReceiver();
    const subscription = await makeSubscription(project.id, { url: target.url });
    await emitEvents(project.id, 1);
    await until(settled(subscription.id, 1));
    const connections = await Promise.all(
      [pool, queuePool].flatMap((each) => Array.from({ length: each.options.max }, () => each.connect())),
    );
    try {
      const [client] = connections;
      await client?.query(
        `WITH added AS (
           INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt")
           SELECT $2, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, now()
           FROM domain_event WHERE "projectId" = $1 LIMIT 1 RETURNING id, "projectId", sequence
         ) INSERT INTO pending_event ("eventId", "projectId", sequence) SELECT * FROM added`,
        [project.id, newId('evt')],
      );
      const delivered = `SELECT FROM webhook_delivery WHERE "subscriptionId" = $1 AND status = 'delivered'`;
      await until(async () => (await client?.query(delivered, [subscription.id]))?.rowCount === 2);
    } finally {
      for (const client of connections) client.release();
    }
    expect(new Set(target.eventIds()).size).toBe(2);
  });
});

it('sends and announces an event that its process announced to nobody', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const subscription = await makeSubscription(project.id, { url: target.url });
  const heard: string[] = [];
  const stop = onDomainEvent((notice) => heard.push(notice.id));
  const id = newId('evt');
  const { aggregateType, example: payload } = eventCatalog['participant.registered'];
  const event = { id, projectId: project.id, type: 'participant.registered', aggregateType, payload };
  const occurredAt = new Date(Date.now() - 60_000);
  const { sequence } = await db.domainEvent.create({
    data: { ...event, aggregateId: payload.participantId, occurredAt },
  });
  await db.pendingEvent.create({ data: { eventId: id, projectId: project.id, sequence } });
  await until(settled(subscription.id, 1));
  expect(target.eventIds()).toEqual([id]);
  await until(async () => heard.includes(id));
  stop();
});

it('is not held up by what is left of deleted events, and removes it', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const subscription = await makeSubscription(project.id, { url: target.url });
  const left = Array.from({ length: 200 }, (_, index) => ({
    eventId: newId('evt'),
    projectId: project.id,
    sequence: -1n - BigInt(index),
  }));
  await db.pendingEvent.createMany({ data: left });
  await emitEvents(project.id, 1);
  await until(settled(subscription.id, 1));
  await until(async () => (await db.pendingEvent.count({ where: { projectId: project.id } })) === 0);
});

it('retries what failed while other deliveries to the same receiver keep coming', async () => {
  const { project } = await makeProject();
  let refused = 0;
  const target = await openReceiver((request, response) => {
    const { attempt } = JSON.parse(request.body).webhook;
    if (attempt === 1 && refused < 3) {
      refused += 1;
      response.writeHead(500);
    }
    setTimeout(() => response.end(), 20);
  });
  const subscription = await makeSubscription(project.id, { url: target.url, retryBaseDelayMs: 1_000 });
  let keepOn = true;
  const others = (async () => {
    while (keepOn) {
      await emitEvents(project.id, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const delivery = { subscriptionId: subscription.id };
  const retried = { delivery, trigger: 'retry', outcome: 'succeeded' } as const;
  await until(async () => (await db.webhookAttempt.count({ where: retried })) === 3);
  keepOn = false;
  await others;
  await background.idle();
});

it('stops at once when nothing is under way, and sends again after a start', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const subscription = await makeSubscription(project.id, { url: target.url });
  await emitEvents(project.id, 5);
  await until(settled(subscription.id, 5));
  await background.idle();
  const started = performance.now();
  await background.stop();
  expect(performance.now() - started).toBeLessThan(3_000);
  background = await startBackground({ functions: webhookFunctions });
  await emitEvents(project.id, 5);
  await until(settled(subscription.id, 10));
  expect(target.received).toHaveLength(10);
});

it('stops soon beside a receiver that hangs, which then gets the same event again', async () => {
  const { project } = await makeProject();
  const held: ServerResponse[] = [];
  const target = await openReceiver((_request, response) => {
    if (held.length > 0) response.end();
    else held.push(response);
  });
  const subscription = await makeSubscription(project.id, {
    url: target.url,
    timeoutMs: 120_000,
    retryBaseDelayMs: 1_000,
  });
  await emitEvents(project.id, 1);
  await until(() => held.length === 1);
  const started = performance.now();
  await background.stop();
  expect(performance.now() - started).toBeLessThan(2_500);
  // A process that ends takes its connections with it.
  held[0]?.destroy();
  background = await startBackground({ functions: webhookFunctions });
  await until(settled(subscription.id, 1));
  expect(target.received).toHaveLength(2);
  expect(new Set(target.eventIds()).size).toBe(1);
});
