import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { db, pool } from '@/server/db';
import { deliveryPayload } from '@/server/delivery/request/payload';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { cpuMs, serverCpuMs } from './cpu';
import type { Publication } from './webhooks.publisher';

const burst = 2_000;
const parallel = 10;
const rounds = 3;
/** Events per transaction. */
const atOnce = 100;
/** Publishers at a time, where each event has a transaction. */
const publishers = 24;

type Summary = {
  accepted: number;
  distinct: number;
  duplicates: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  /** When the last one arrived, in milliseconds of Unix time. */
  lastAt: number | null;
};
type Row = Summary & {
  name: string;
  committedPerS: number | null;
  deliveredPerS: number;
  lost: number;
  /** For each delivery: statements of the sender, transactions of the database, processor time of both. */
  cost?: { statements: number; transactions: number; senderMs: number; postgresMs: number };
  /** From the moment a sender that replaced a killed one was ready to the last arrival. */
  lastArrivalMs?: number;
};

const path = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));
let receiver: { url: string; process: ChildProcess };
let worker: ChildProcess;
let publisher: ChildProcess;
let workerReadyAt = 0;

async function startReceiver(): Promise<void> {
  const process = fork(path('receiver.mjs'), { execArgv: [] });
  const [url] = await once(process, 'message');
  receiver = { url: String(url), process };
}

async function startWorker(): Promise<void> {
  worker = fork(path('webhooks.worker.ts'), { execArgv: ['--import', 'tsx'] });
  await once(worker, 'message');
  workerReadyAt = Date.now();
}

async function startPublisher(): Promise<void> {
  const env = { ...process.env, DATABASE_POOL_SIZE: String(publishers) };
  publisher = fork(path('webhooks.publisher.ts'), { execArgv: ['--import', 'tsx'], env });
  await once(publisher, 'message');
}

async function ask(process: ChildProcess, message: Publication | 'statements'): Promise<number> {
  process.send(message);
  const [answer] = await once(process, 'message');
  return Number(answer);
}

const COUNTED = `
  SELECT pg_backend_pid() AS pid, xact_commit::int AS transactions FROM pg_stat_database WHERE datname = current_database()`;

/** What the sender and the database have done so far. */
async function usage() {
  const { rows } = await pool.query<{ pid: number; transactions: number }>(COUNTED);
  const { pid = 0, transactions = 0 } = rows[0] ?? {};
  return {
    statements: await ask(worker, 'statements'),
    transactions,
    senderMs: cpuMs(worker.pid ?? 0),
    postgresMs: serverCpuMs(pid),
  };
}
type Usage = Awaited<ReturnType<typeof usage>>;

/** The difference for each delivery. @param own transactions of the bench itself */
function costOf(before: Usage, after: Usage, deliveries: number, own: number): Row['cost'] {
  const each = (now: number, then: number) => (now - then) / deliveries;
  return {
    statements: each(after.statements, before.statements),
    transactions: each(after.transactions - own, before.transactions),
    senderMs: each(after.senderMs, before.senderMs),
    postgresMs: each(after.postgresMs, before.postgresMs),
  };
}

const arrivedAt = async (name: string): Promise<Summary> =>
  (await fetch(`${receiver.url}/${name}`)).json() as Promise<Summary>;

/** The floor: signed POSTs and nothing else, ten at a time, to the same receiver. @returns requests per second */
async function bareLoop(name: string): Promise<Row> {
  const agent = new Agent();
  const example = { participantId: 'prt_1', tournamentId: 'trn_1', name: 'Player', status: 'registered', seed: null };
  let sent = 0;
  async function loop(): Promise<void> {
    while (sent < burst) {
      sent += 1;
      const event = {
        id: `evt_${sent}`,
        type: 'participant.registered',
        version: 1,
        aggregateType: 'participant',
        aggregateId: 'prt_1',
        payload: example,
        metadata: { actor: { type: 'system', id: null }, requestId: null },
        occurredAt: new Date(),
      };
      const payload = deliveryPayload({ attemptId: `wha_${sent}`, subscriptionId: 'whs_1', attempt: 1, event });
      const body = JSON.stringify(payload);
      const signature = createHmac('sha256', 'secret').update(body).digest('hex');
      const answer = await agent.request({
        origin: receiver.url,
        path: `/instant/${name}`,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
        body,
      });
      await answer.body.text();
    }
  }
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, loop));
  const perS = burst / ((performance.now() - started) / 1000);
  await agent.close();
  return {
    name: 'bare signed POST loop',
    committedPerS: null,
    deliveredPerS: perS,
    lost: 0,
    ...(await arrivedAt(name)),
  };
}

type Load = {
  events: number;
  receivers?: number;
  kind?: 'instant' | 'slow' | 'flaky';
  /** Events per second; all at once by default. */
  rate?: number;
  /** Events are published by another process, a transaction each, so many at a time. */
  publishers?: number;
  /** Additional receivers that never respond. */
  hung?: number;
  /** The sender is killed when half of the events have arrived, and restarted. */
  kill?: boolean;
};

let scenarios = 0;

async function publish(projectId: string, { events, rate, publishers: parallel }: Load): Promise<void> {
  if (parallel) {
    await ask(publisher, { projectId, events, parallel, rate: rate ?? null });
    return;
  }
  const started = performance.now();
  const size = rate ? Math.max(1, Math.round(rate / 20)) : atOnce;
  let emitted = 0;
  while (emitted < events) {
    const count = Math.min(size, events - emitted);
    await emitEvents(projectId, count);
    emitted += count;
    if (rate) await pause(Math.max(0, started + (emitted / rate) * 1000 - performance.now()));
  }
}

/** From the transactions that write the events to the last arrival. */
async function scenario(name: string, load: Load): Promise<Row> {
  const { events, receivers = 1, kind = 'instant', hung = 0, kill } = load;
  scenarios += 1;
  const key = `s${scenarios}`;
  const { project } = await makeProject();
  const settings = { timeoutMs: kill ? 60_000 : 2_000, retryBaseDelayMs: 1_000 };
  for (let index = 0; index < receivers + hung; index += 1) {
    const url = `${receiver.url}/${index < receivers ? kind : 'hung'}/${key}`;
    await makeSubscription(project.id, { url, ...settings, enableCircuitBreaker: index < receivers });
  }
  const wanted = events * receivers;
  const before = await usage();
  const started = performance.now();
  const killed = kill ? killAtHalf(key, wanted / 2) : undefined;
  await publish(project.id, load);
  const committedPerS = events / ((performance.now() - started) / 1000);
  await killed;
  const patience = performance.now() + 120_000;
  let arrived = await arrivedAt(key);
  while (arrived.distinct < wanted && performance.now() < patience) {
    await pause(10);
    arrived = await arrivedAt(key);
  }
  const deliveredPerS = arrived.distinct / ((performance.now() - started) / 1000);
  // The results of the last requests are written.
  await pause(300);
  const cost = kill ? undefined : costOf(before, await usage(), wanted, 1);
  const lastArrivalMs = kill ? Math.max(0, (arrived.lastAt ?? 0) - workerReadyAt) : undefined;
  await db.webhookSubscription.updateMany({ where: { projectId: project.id }, data: { status: 'disabled' } });
  return { name, committedPerS, deliveredPerS, lost: wanted - arrived.distinct, ...arrived, cost, lastArrivalMs };
}

/** The same events in a project without webhooks: what publishing, taking and their commits cost by themselves. */
async function publishing(): Promise<Row> {
  const { project } = await makeProject();
  const before = await usage();
  const ms = await ask(publisher, { projectId: project.id, events: burst, parallel: publishers, rate: null });
  await pause(1_000);
  const cost = costOf(before, await usage(), burst, 1);
  const name = `no receiver, ${burst}, a transaction each`;
  return { ...(await arrivedAt('none')), name, committedPerS: burst / (ms / 1000), deliveredPerS: 0, lost: 0, cost };
}

/** One event at a time, each when the one before has long arrived: what an event costs, and how long it takes. */
async function idle(events: number): Promise<Row> {
  scenarios += 1;
  const key = `s${scenarios}`;
  const { project } = await makeProject();
  await makeSubscription(project.id, { url: `${receiver.url}/instant/${key}` });
  await emitEvents(project.id, 1);
  await pause(500);
  const gapMs = 60;
  const quietFrom = await usage();
  await pause(events * gapMs);
  const before = await usage();
  for (let count = 0; count < events; count += 1) {
    await ask(publisher, { projectId: project.id, events: 1, parallel: 1, rate: null });
    await pause(gapMs);
  }
  const after = await usage();
  const arrived = await arrivedAt(key);
  // What the process does anyway is not counted.
  const background = costOf(quietFrom, before, events, 1);
  const all = costOf(before, after, events, 1);
  const less = (name: keyof Usage) => Math.max(0, (all?.[name] ?? 0) - (background?.[name] ?? 0));
  const cost = {
    statements: less('statements'),
    transactions: less('transactions'),
    senderMs: less('senderMs'),
    postgresMs: less('postgresMs'),
  };
  const row = { name: '1 receiver, one event now and then', committedPerS: null, deliveredPerS: 0, cost };
  return { ...arrived, ...row, lost: events + 1 - arrived.distinct };
}

async function killAtHalf(key: string, half: number): Promise<void> {
  while ((await arrivedAt(key)).distinct < half) await pause(5);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await startWorker();
}

const median = (rows: Row[]) =>
  [...rows].sort((a, b) => a.deliveredPerS - b.deliveredPerS)[Math.floor(rows.length / 2)] as Row;

function print(rows: Row[]): void {
  const fixed = (value: number | null | undefined, digits = 0) => (value == null ? '' : value.toFixed(digits));
  const titles =
    'scenario,committed/s,delivered/s,p50 ms,p95 ms,p99 ms,duplicates,lost,statements,transactions,sender ms,postgres ms';
  const table = [
    [...titles.split(','), 'last ms'],
    ...rows.map((row) => [
      row.name,
      ...[row.committedPerS, row.deliveredPerS, row.p50, row.p95, row.p99, row.duplicates, row.lost].map((value) =>
        fixed(value),
      ),
      ...[row.cost?.statements, row.cost?.transactions, row.cost?.senderMs, row.cost?.postgresMs].map((value) =>
        fixed(value, 2),
      ),
      fixed(row.lastArrivalMs),
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  console.log(`${table.map(line).join('\n')}\n`);
}

/**
 * Throughput, latency, cost, duplicates and losses. Publisher, sender and receiver are separate processes on one
 * machine, and the publisher commits each event by one statement, so that it is not what is measured; its cost is the
 * row without a receiver; statements are those of the sender. The ratio is the median of three bursts to one receiver
 * over the median of three bare loops, in turn.
 */
export async function run() {
  await startReceiver();
  await startWorker();
  await startPublisher();
  const floors: Row[] = [];
  const bursts: Row[] = [];
  const singles: Row[] = [];
  await bareLoop('warm');
  await scenario('warm', { events: 200 });
  await scenario('warm', { events: 200, publishers });
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await bareLoop(`floor${round}`));
    bursts.push(await scenario(`1 receiver, ${burst}, ${atOnce} a transaction`, { events: burst }));
    singles.push(await scenario(`1 receiver, ${burst}, a transaction each`, { events: burst, publishers }));
  }
  const floor = median(floors);
  const ours = median(bursts);
  const calm = { events: 150, receivers: 10, rate: 30 };
  print([
    floor,
    ours,
    median(singles),
    await publishing(),
    await idle(100),
    await scenario('1 receiver, 300 a second for 20 s', { events: 6_000, rate: 300, publishers }),
    await scenario('100 receivers, 20 each', { events: 20, receivers: 100 }),
    await scenario('1 receiver that takes 200 ms', { events: 200, kind: 'slow' }),
    await scenario('1 receiver, 10% answered 500', { events: 500, kind: 'flaky' }),
    await scenario('10 receivers, 30 a second each', calm),
    await scenario('the same while another hangs', { ...calm, hung: 1 }),
    await scenario('9 receivers and one that hangs, at once', { events: 200, receivers: 9, hung: 1 }),
    await scenario('kill -9 at half', { events: burst, kill: true }),
  ]);
  worker.disconnect();
  publisher.disconnect();
  receiver.process.disconnect();
  return {
    name: 'webhooks',
    aim: 'ratio 0.40',
    ratio: ours.deliveredPerS / floor.deliveredPerS,
    ours: ours.deliveredPerS,
    floor: floor.deliveredPerS,
    unit: 'events/s',
  };
}
