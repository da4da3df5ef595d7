import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { db, pool } from '@/server/db';
import { makeProject, makeSubscription } from '@/test/factories';
import { cpuMs, serverCpuMs } from './cpu';
import { forkFile } from './process';
import type { Loop } from './webhooks.loop';
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
  /** For each delivery: statements of the sender, transactions of the database, processor time of each process. */
  cost?: Usage;
  /** From the moment a sender that replaced a killed one was ready to the last arrival. */
  lastArrivalMs?: number;
};

let receiver: { url: string; process: ChildProcess };
let worker: ChildProcess;
let publisher: ChildProcess;
let workerReadyAt = 0;

async function startReceiver(): Promise<void> {
  const process = await forkFile('receiver.mjs');
  const [url] = await once(process, 'message');
  receiver = { url: String(url), process };
}

async function startWorker(): Promise<void> {
  worker = await forkFile('webhooks.worker.ts');
  await once(worker, 'message');
  workerReadyAt = Date.now();
}

async function startPublisher(): Promise<void> {
  const env = { ...process.env, DATABASE_POOL_SIZE: String(publishers) };
  publisher = await forkFile('webhooks.publisher.ts', [], { env });
  await once(publisher, 'message');
}

/** The sender and the publisher of the floor. */
let floor: ChildProcess[] = [];

async function startFloor(): Promise<void> {
  floor = await Promise.all(['sender', 'publisher'].map((role) => forkFile('webhooks.floor.ts', [role])));
  await Promise.all(floor.map((process) => once(process, 'message')));
}

async function ask(process: ChildProcess, message: Publication | Loop | 'statements'): Promise<number> {
  process.send(message);
  const [answer] = await once(process, 'message');
  return Number(answer);
}

const COUNTED = `
  SELECT pg_backend_pid() AS pid, xact_commit::int AS transactions FROM pg_stat_database WHERE datname = current_database()`;

const counted = ['statements', 'transactions', 'senderMs', 'postgresMs', 'publisherMs', 'receiverMs'] as const;
type Usage = Record<(typeof counted)[number], number>;

/** What every process has done so far. @param sender that of Laurel, or of the floor, as the publisher */
async function usage(sender = worker, publishing = publisher): Promise<Usage> {
  const { rows } = await pool.query<{ pid: number; transactions: number }>(COUNTED);
  const { pid = 0, transactions = 0 } = rows[0] ?? {};
  return {
    statements: await ask(sender, 'statements'),
    transactions,
    senderMs: cpuMs(sender.pid ?? 0),
    postgresMs: serverCpuMs(pid),
    publisherMs: cpuMs(publishing.pid ?? 0),
    receiverMs: cpuMs(receiver.process.pid ?? 0),
  };
}

/** The difference for each delivery. @param own transactions of the bench itself */
function costOf(before: Usage, after: Usage, deliveries: number, own: number): Usage {
  const each = (name: keyof Usage) => (after[name] - before[name] - (name === 'transactions' ? own : 0)) / deliveries;
  return Object.fromEntries(counted.map((name) => [name, each(name)])) as Usage;
}

const arrivedAt = async (name: string): Promise<Summary> =>
  (await fetch(`${receiver.url}/${name}`)).json() as Promise<Summary>;

/** Signed POSTs and nothing else, ten at a time, to the same receiver, from a process that has sent some before or none. */
async function bareLoop(process: ChildProcess, name: string, key: string): Promise<Row> {
  const ms = await ask(process, { url: `${receiver.url}/instant/${key}`, requests: burst, parallel });
  return { name, committedPerS: null, deliveredPerS: burst / (ms / 1000), lost: 0, ...(await arrivedAt(key)) };
}

async function startLoop(): Promise<ChildProcess> {
  const process = await forkFile('webhooks.loop.ts');
  await once(process, 'message');
  return process;
}

type Load = {
  events: number;
  receivers?: number;
  kind?: 'instant' | 'slow' | 'flaky';
  /** Events per second; all at once by default. */
  rate?: number;
  /** Each event has a transaction, and so many are under way at a time. */
  publishers?: number;
  /** Additional receivers that never respond. */
  hung?: number;
  /** The sender is killed when half of the events have arrived, and restarted. */
  kill?: boolean;
};

let scenarios = 0;

/** @returns milliseconds until all of it was committed */
function publish(projectId: string, { events, rate, publishers: parallel = 1 }: Load): Promise<number> {
  const batch = parallel > 1 || rate ? 1 : atOnce;
  return ask(publisher, { projectId, events, parallel, batch, rate: rate ?? null });
}

/** Waits until so many have arrived and their results are written. Asks seldom, since the receiver has better to do. */
async function allArrived(key: string, wanted: number): Promise<Summary> {
  const patience = performance.now() + 120_000;
  let arrived = await arrivedAt(key);
  while (arrived.distinct < wanted && performance.now() < patience) {
    await pause(50);
    arrived = await arrivedAt(key);
  }
  await pause(300);
  return arrived;
}

/** A burst through the least that any engine has to do, in the same four processes. @param each a transaction for each event */
async function leastEngine(each: boolean): Promise<Row> {
  const [sender, publishing] = floor;
  if (!sender || !publishing) throw new Error('The floor is not running');
  scenarios += 1;
  const key = `s${scenarios}`;
  const before = await usage(sender, publishing);
  const startedAt = Date.now();
  const ms = await ask(publishing, {
    projectId: `${receiver.url}/instant/${key}`,
    events: burst,
    parallel: each ? publishers : 1,
    batch: each ? 1 : atOnce,
    rate: null,
  });
  const arrived = await allArrived(key, burst);
  const deliveredPerS = arrived.distinct / (((arrived.lastAt ?? 0) - startedAt) / 1000);
  const cost = costOf(before, await usage(sender, publishing), burst, 1);
  const name = `floor, ${burst}, ${each ? 'a transaction each' : `${atOnce} a transaction`}`;
  return { ...arrived, name, committedPerS: burst / (ms / 1000), deliveredPerS, lost: burst - arrived.distinct, cost };
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
  const startedAt = Date.now();
  const killed = kill ? killAtHalf(key, wanted / 2) : undefined;
  const committedPerS = events / ((await publish(project.id, load)) / 1000);
  await killed;
  const arrived = await allArrived(key, wanted);
  const deliveredPerS = arrived.distinct / (((arrived.lastAt ?? 0) - startedAt) / 1000);
  const cost = kill ? undefined : costOf(before, await usage(), wanted, 1);
  const lastArrivalMs = kill ? Math.max(0, (arrived.lastAt ?? 0) - workerReadyAt) : undefined;
  await db.webhookSubscription.updateMany({ where: { projectId: project.id }, data: { status: 'disabled' } });
  return { name, committedPerS, deliveredPerS, lost: wanted - arrived.distinct, ...arrived, cost, lastArrivalMs };
}

/** The same events in a project without webhooks: what publishing, taking and their commits cost by themselves. */
async function publishing(): Promise<Row> {
  const { project } = await makeProject();
  const before = await usage();
  const ms = await publish(project.id, { events: burst, publishers });
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
  await publish(project.id, { events: 1 });
  await pause(500);
  const gapMs = 60;
  const quietFrom = await usage();
  await pause(events * gapMs);
  const before = await usage();
  for (let count = 0; count < events; count += 1) {
    await publish(project.id, { events: 1 });
    await pause(gapMs);
  }
  const after = await usage();
  const arrived = await arrivedAt(key);
  // What the process does anyway is not counted.
  const background = costOf(quietFrom, before, events, 1);
  const all = costOf(before, after, events, 1);
  const cost = Object.fromEntries(counted.map((name) => [name, Math.max(0, all[name] - background[name])])) as Usage;
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
    'scenario,committed/s,delivered/s,p50 ms,p95 ms,p99 ms,duplicates,lost,statements,transactions,sender ms,postgres ms,publisher ms,receiver ms';
  const table = [
    [...titles.split(','), 'last ms'],
    ...rows.map((row) => [
      row.name,
      ...[row.committedPerS, row.deliveredPerS, row.p50, row.p95, row.p99, row.duplicates, row.lost].map((value) =>
        fixed(value),
      ),
      ...counted.map((name) => fixed(row.cost?.[name], 2)),
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
 * Throughput, latency, cost, duplicates and losses. Publisher, sender and receiver are separate processes on one machine;
 * statements are those of the sender. Bursts are compared with floors, by the medians of three turns each, after one that warms
 * everything: a bare loop of signed POSTs, in a new process each time and in one that V8 has optimized, and the least engine
 * (`webhooks.floor`), which stores events and outcomes too.
 */
export async function run(parts: string[]) {
  await startReceiver();
  await startWorker();
  await startPublisher();
  const warm = await startLoop();
  const rows: Record<'freshLoops' | 'loops' | 'bursts' | 'singles' | 'floors' | 'floorSingles', Row[]> = {
    freshLoops: [],
    loops: [],
    bursts: [],
    singles: [],
    floors: [],
    floorSingles: [],
  };
  // The first turn warms everything alike.
  for (let round = 0; round <= rounds; round += 1) {
    const fresh = await startLoop();
    rows.freshLoops.push(await bareLoop(fresh, 'bare loop of signed POSTs, its first 2,000', `fresh${round}`));
    fresh.disconnect();
    rows.loops.push(await bareLoop(warm, 'bare loop of signed POSTs, optimized', `loop${round}`));
    rows.bursts.push(await scenario(`1 receiver, ${burst}, ${atOnce} a transaction`, { events: burst }));
    rows.singles.push(await scenario(`1 receiver, ${burst}, a transaction each`, { events: burst, publishers }));
  }
  // The floor has processes of its own, which ask for events all the time: they run when nothing else does.
  await startFloor();
  for (let round = 0; round <= rounds; round += 1) {
    rows.floors.push(await leastEngine(false));
    rows.floorSingles.push(await leastEngine(true));
  }
  // What their connections used is counted as that of PostgreSQL once they have ended.
  await Promise.all(
    [...floor, warm].map((process) => {
      process.disconnect();
      return once(process, 'exit');
    }),
  );
  const { freshLoops, loops, bursts, singles, floors, floorSingles } = rows;
  const [freshLoop, loop, ours, single, least, leastSingle] = [
    freshLoops,
    loops,
    bursts,
    singles,
    floors,
    floorSingles,
  ].map((each) => median(each.slice(1))) as [Row, Row, Row, Row, Row, Row];
  print([
    freshLoop,
    loop,
    least,
    ours,
    leastSingle,
    single,
    await publishing(),
    ...(parts.includes('burst') ? [] : await others()),
  ]);
  worker.disconnect();
  publisher.disconnect();
  receiver.process.disconnect();
  const result = (name: string, aim: string, row: Row, floor: Row) => ({
    name: `webhooks, ${name}`,
    aim,
    ratio: row.deliveredPerS / floor.deliveredPerS,
    ours: row.deliveredPerS,
    floor: floor.deliveredPerS,
    unit: 'events/s',
  });
  return [
    result(`${burst} at once / loop, first`, '0.40', ours, freshLoop),
    result('a transaction each / loop, first', '0.30', single, freshLoop),
    result(`${burst} at once / loop, optimized`, '0.40', ours, loop),
    result('a transaction each / loop, optimized', '0.30', single, loop),
    result(`${burst} at once / floor`, '', ours, least),
    result('a transaction each / floor', '', single, leastSingle),
    result('floor at once / loop, optimized', '', least, loop),
    result('floor, a transaction each / loop, optimized', '', leastSingle, loop),
  ];
}

/** What a burst does not show. */
async function others(): Promise<Row[]> {
  const calm = { events: 150, receivers: 10, rate: 30 };
  return [
    await idle(100),
    await scenario('1 receiver, 300 a second for 20 s', { events: 6_000, rate: 300, publishers }),
    await scenario('100 receivers, 20 each', { events: 20, receivers: 100 }),
    await scenario('1 receiver that takes 200 ms', { events: 200, kind: 'slow' }),
    await scenario('1 receiver, 10% answered 500', { events: 500, kind: 'flaky' }),
    await scenario('10 receivers, 30 a second each', calm),
    await scenario('the same while another hangs', { ...calm, hung: 1 }),
    await scenario('9 receivers and one that hangs, at once', { events: 200, receivers: 9, hung: 1 }),
    await scenario('kill -9 at half', { events: burst, kill: true }),
  ];
}
