import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { queueEmail } from '@/server/email/outbox';
import { deliveriesOf, settled } from '@/test/deliveries';
import { freshEmail } from '@/test/email';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { fanOut, openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';

// Starting processes and waiting for leases takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const fixture = fileURLToPath(new URL('./delivery.fixture.ts', import.meta.url));
const children: ChildProcess[] = [];

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function ready(child: ChildProcess): Promise<ChildProcess> {
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Runs a queue in two processes at the same time. */
async function race(subscriptionId: string): Promise<void> {
  const racers = await Promise.all([1, 2].map(() => ready(start('drain', subscriptionId))));
  for (const racer of racers) racer.stdin?.write('go\n');
  await Promise.all(racers.map(ended));
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await ended(child);
  }
});

it('killed after the commit and before the relay: the events are delivered', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const subscription = await makeSubscription(project.id, { url: target.url });
  const emitter = start('emit', project.id, '25');
  await ended(emitter);
  expect(emitter.signalCode).toBe('SIGKILL');
  expect(await db.pendingEvent.count({ where: { projectId: project.id } })).toBe(25);
  await ready(start('work'));
  await until(settled(subscription.id, 25));
  expect(new Set(target.eventIds()).size).toBe(25);
  expect(target.received).toHaveLength(25);
});

it('killed after deliveries were claimed and before any request: they are sent as soon as another process starts', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  // The lease alone would keep them for over two minutes.
  const subscription = await makeSubscription(project.id, { url: target.url, timeoutMs: 120_000 });
  await ended(start('claim', project.id, '25'));
  const [claim] = await db.eventClaim.findMany();
  expect(Object.keys(claim?.deliveries ?? {})).toHaveLength(25);
  expect(target.received).toEqual([]);
  const restarted = Date.now();
  await ready(start('work'));
  await until(settled(subscription.id, 25));
  expect(Date.now() - restarted).toBeLessThan(60_000);
  expect(target.received).toHaveLength(25);
  expect(new Set(target.eventIds()).size).toBe(25);
});

it('killed during a request, while another process sends too: that one takes over within seconds', async () => {
  const { project } = await makeProject();
  const target = await openReceiver((_request, response) => {
    if (target.received.length > 1) response.end();
  });
  const subscription = await makeSubscription(project.id, { url: target.url, timeoutMs: 120_000 });
  const worker = await ready(start('work'));
  const [eventId] = await emitEvents(project.id, 1);
  await until(async () => target.received.length === 1);
  await ready(start('work'));
  worker.kill('SIGKILL');
  const killed = Date.now();
  await until(settled(subscription.id, 1));
  expect(Date.now() - killed).toBeLessThan(10_000);
  expect(target.eventIds()).toEqual([eventId, eventId]);
});

it('killed while it sends an email, while another process sends too: that one sends it within seconds', async () => {
  const to = freshEmail();
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 50,
    onData(stream, session, callback) {
      received.push(...session.envelope.rcptTo.map(({ address }) => address));
      stream.resume();
      // The first one is never answered.
      if (received.filter((address) => address === to).length > 1) stream.on('end', () => callback());
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => server.close());
  vi.stubEnv('SMTP_URL', `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');
  const worker = await ready(start('work'));
  const id = await db.$transaction((tx) => queueEmail(tx, { to, kind: 'reset_password', email }));
  await until(async () => received.includes(to));
  await ready(start('work'));
  worker.kill('SIGKILL');
  const killed = Date.now();
  const row = () => db.outgoingMail.findUniqueOrThrow({ where: { id } });
  await until(async () => (await row()).sentAt !== null);
  // The claim alone would keep it for 45 seconds.
  expect(Date.now() - killed).toBeLessThan(20_000);
  expect(await row()).toMatchObject({ attempts: 2, claimedBy: null });
});

it('killed during a request: delivered again after the restart, and the first attempt is unknown, with the bytes that were sent', async () => {
  const { project } = await makeProject();
  let first = true;
  const target = await openReceiver((_request, response) => {
    if (!first) response.end();
    first = false;
  });
  const subscription = await makeSubscription(project.id, { url: target.url, timeoutMs: 120_000, maxRetries: 0 });
  const [eventId] = await emitEvents(project.id, 1);
  const worker = await ready(start('work'));
  await until(async () => target.received.length === 1);
  worker.kill('SIGKILL');
  await ready(start('work'));
  await until(settled(subscription.id, 1));
  expect(target.eventIds()).toEqual([eventId, eventId]);
  const [delivery] = await deliveriesOf(subscription.id);
  expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 2 });
  expect(delivery?.attempts).toMatchObject([
    { number: 1, outcome: 'unknown', responseStatus: null },
    { number: 2, outcome: 'succeeded', responseStatus: 200 },
  ]);
  expect(delivery?.attempts.map((attempt) => attempt.requestBody)).toEqual(target.received.map((each) => each.body));
  expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id, delivery?.id]);
});

it('killed before responses were written: at most one duplicate of each, with the same event id', async () => {
  const { project } = await makeProject();
  let worker: ChildProcess | undefined;
  let answered = 0;
  const target = await openReceiver((_request, response) => {
    response.end();
    answered += 1;
    if (answered === 40) worker?.kill('SIGKILL');
  });
  const subscription = await makeSubscription(project.id, { url: target.url, timeoutMs: 3000 });
  const eventIds = await emitEvents(project.id, 100);
  worker = await ready(start('work'));
  await ended(worker);
  await ready(start('work'));
  await until(settled(subscription.id, 100));
  const counts = eventIds.map((id) => target.eventIds().filter((received) => received === id).length);
  expect(Math.min(...counts)).toBe(1);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  expect((await deliveriesOf(subscription.id)).every((row) => row.status === 'delivered')).toBe(true);
});

it('two processes that run the same queue of 1,000 deliveries send each once', async () => {
  const { project } = await makeProject();
  const target = await openReceiver((_request, response) => setTimeout(() => response.end(), 3));
  const subscription = await makeSubscription(project.id, { url: target.url });
  const eventIds = await emitEvents(project.id, 1000);
  expect(await fanOut(eventIds)).toEqual([subscription.id]);
  await race(subscription.id);
  expect(await settled(subscription.id, 1000)()).toBe(true);
  expect(target.received).toHaveLength(1000);
  expect(new Set(target.eventIds()).size).toBe(1000);
  expect(target.sockets()).toBeGreaterThan(10);
});

it('two processes share one rate limit, and what exceeds it waits', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const rateLimitConfig = { perMinute: 40, perHour: 37 };
  const subscription = await makeSubscription(project.id, { url: target.url, rateLimitConfig });
  await fanOut(await emitEvents(project.id, 100));
  await race(subscription.id);
  expect(target.received).toHaveLength(37);
  const rows = await deliveriesOf(subscription.id);
  expect(rows.filter((row) => row.status === 'pending' && row.attemptCount === 0)).toHaveLength(63);
});

it('two processes send one probe', async () => {
  const { project } = await makeProject();
  const target = await openReceiver((_request, response) => setTimeout(() => response.writeHead(500).end(), 300));
  const subscription = await makeSubscription(project.id, {
    url: target.url,
    breakerState: 'open',
    breakerOpenedAt: new Date(Date.now() - 61_000),
    breakerRetryAt: new Date(Date.now() - 1000),
  });
  await fanOut(await emitEvents(project.id, 20));
  await race(subscription.id);
  expect(target.received).toHaveLength(1);
  const rows = await deliveriesOf(subscription.id);
  expect(rows.every((row) => row.status === 'held' && row.heldReason === 'breaker')).toBe(true);
});

it('two processes send every event of a burst once', async () => {
  const { project } = await makeProject();
  const target = await openReceiver();
  const subscription = await makeSubscription(project.id, { url: target.url });
  await Promise.all([ready(start('work')), ready(start('work'))]);
  await Promise.all(Array.from({ length: 30 }, () => emitEvents(project.id, 10)));
  await until(settled(subscription.id, 300));
  expect(target.received).toHaveLength(300);
  expect(new Set(target.eventIds()).size).toBe(300);
});
