import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { db } from '@/server/db';
import { deliveryPayload } from '@/server/delivery/request/payload';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';

const burst = 2_000;
const parallel = 10;
const rounds = 3;
/** Events per transaction. */
const atOnce = 100;

type Summary = {
  accepted: number;
  distinct: number;
  duplicates: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
};
type Row = Summary & { name: string; committedPerS: number | null; deliveredPerS: number; lost: number };

const path = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));
let receiver: { url: string; process: ChildProcess };
let worker: ChildProcess;

async function startReceiver(): Promise<void> {
  const process = fork(path('receiver.mjs'), { execArgv: [] });
  const [port] = await once(process, 'message');
  receiver = { url: `http://127.0.0.1:${port}`, process };
}

async function startWorker(): Promise<void> {
  worker = fork(path('webhooks.worker.ts'), { execArgv: ['--import', 'tsx'] });
  await once(worker, 'message');
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
  /** Additional receivers that never respond. */
  hung?: number;
  /** The sender is killed when half of the events have arrived, and restarted. */
  kill?: boolean;
};

let scenarios = 0;

/** From the transactions that write the events to the last arrival. */
async function scenario(
  name: string,
  { events, receivers = 1, kind = 'instant', rate, hung = 0, kill }: Load,
): Promise<Row> {
  scenarios += 1;
  const key = `s${scenarios}`;
  const { project } = await makeProject();
  const settings = { timeoutMs: 2_000, retryBaseDelayMs: 1_000 };
  for (let index = 0; index < receivers + hung; index += 1) {
    const url = `${receiver.url}/${index < receivers ? kind : 'hung'}/${key}`;
    await makeSubscription(project.id, { url, ...settings, enableCircuitBreaker: index < receivers });
  }
  const wanted = events * receivers;
  const started = performance.now();
  let killed: Promise<void> | undefined;
  if (kill) killed = killAtHalf(key, wanted / 2);
  const size = rate ? Math.max(1, Math.round(rate / 20)) : atOnce;
  let emitted = 0;
  while (emitted < events) {
    const count = Math.min(size, events - emitted);
    await emitEvents(project.id, count);
    emitted += count;
    if (rate) await pause(Math.max(0, started + (emitted / rate) * 1000 - performance.now()));
  }
  const committedPerS = events / ((performance.now() - started) / 1000);
  await killed;
  const patience = performance.now() + 120_000;
  let arrived = await arrivedAt(key);
  while (arrived.distinct < wanted && performance.now() < patience) {
    await pause(10);
    arrived = await arrivedAt(key);
  }
  const deliveredPerS = arrived.distinct / ((performance.now() - started) / 1000);
  await db.webhookSubscription.updateMany({ where: { projectId: project.id }, data: { status: 'disabled' } });
  return { name, committedPerS, deliveredPerS, lost: wanted - arrived.distinct, ...arrived };
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
  const whole = (value: number | null) => (value === null ? '' : value.toFixed(0));
  const table = [
    ['scenario', 'committed/s', 'delivered/s', 'p50 ms', 'p95 ms', 'p99 ms', 'duplicates', 'lost'],
    ...rows.map((row) => [
      row.name,
      ...[row.committedPerS, row.deliveredPerS, row.p50, row.p95, row.p99, row.duplicates, row.lost].map(whole),
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
 * Throughput, latency, duplicates and losses. Emitter, sender and receiver are separate processes on one machine; the ratio
 * is the median of three bursts to one receiver over the median of three bare loops, in turn.
 */
export async function run() {
  await startReceiver();
  await startWorker();
  const floors: Row[] = [];
  const bursts: Row[] = [];
  await bareLoop('warm');
  await scenario('warm', { events: 200 });
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await bareLoop(`floor${round}`));
    bursts.push(await scenario(`1 receiver, ${burst} at once`, { events: burst }));
  }
  const floor = median(floors);
  const ours = median(bursts);
  const half = Math.max(20, ours.deliveredPerS / 2);
  const calm = { events: 150, receivers: 10, rate: 30 };
  print([
    floor,
    ours,
    await scenario('1 receiver at half that rate', { events: Math.round(half * 4), rate: half }),
    await scenario('100 receivers, 20 each', { events: 20, receivers: 100 }),
    await scenario('1 receiver that takes 200 ms', { events: 200, kind: 'slow' }),
    await scenario('1 receiver, 10% answered 500', { events: 500, kind: 'flaky' }),
    await scenario('10 receivers, 30 a second each', calm),
    await scenario('the same while another hangs', { ...calm, hung: 1 }),
    await scenario('kill -9 at half', { events: burst, kill: true }),
  ]);
  worker.disconnect();
  receiver.process.disconnect();
  return {
    name: 'webhooks',
    ratio: ours.deliveredPerS / floor.deliveredPerS,
    ours: ours.deliveredPerS,
    floor: floor.deliveredPerS,
    unit: 'events/s',
    aim: 'ratio 0.15',
  };
}
