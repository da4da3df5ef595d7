import { readFileSync } from 'node:fs';
import { eventType, Inngest } from 'inngest';
import pg from 'pg';
import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';

/** One-step runs per second of the embedded executor, from stored events to the last commit; then latency. */

const RUNS = Number(process.argv[2] ?? 5000);
const base = process.env.DATABASE_URL;
if (!base) throw new Error('Set DATABASE_URL to a server on which a database can be created and dropped');

const name = `bench_executor_${process.pid}`;
const admin = new pg.Client({ connectionString: base });
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const url = new URL(base);
url.pathname = `/${name}`;
const connectionString = url.href;

const setup = new pg.Client({ connectionString });
await setup.connect();
const migration = new URL('../prisma/migrations/20261121220200_local_inngest/migration.sql', import.meta.url);
await setup.query(readFileSync(migration, 'utf8'));

const quiet = { debug() {}, info() {}, warn: console.warn, error: console.error };
const transport = createEmbeddedTransport(() => connectionString);
const client = new Inngest({
  id: 'bench',
  isDev: true,
  fetch: transport.fetch,
  logger: quiet,
  aiMetadata: false,
});
const ping = eventType('bench/ping');

const begun: number[] = [];
let finished = 0;
let resolveAll: () => void = () => undefined;
const keyed = process.argv.includes('--keyed');
const work = client.createFunction(
  {
    id: 'work',
    triggers: [ping],
    ...(keyed ? { concurrency: [{ limit: 10, key: 'event.data.target' }, { limit: 50 }] } : {}),
  },
  async ({ event, step }) => {
    await step.run('work', () => {
      begun.push(performance.now() - event.data.sent);
      return { status: 200 };
    });
  },
);

const send = (count: number) =>
  client.send(
    Array.from({ length: count }, (_, index) => ping.create({ sent: performance.now(), target: index % 100 })),
  );

for (let sent = 0; sent < RUNS; sent += 500) await send(Math.min(500, RUNS - sent));
const start = performance.now();
const executor = await startEmbeddedExecutor({
  connectionString,
  client,
  transport,
  functions: [work],
  logger: quiet,
  onRun: () => {
    finished += 1;
    if (finished === RUNS) resolveAll();
  },
});
await new Promise<void>((resolve) => {
  resolveAll = resolve;
});
const seconds = (performance.now() - start) / 1000;
await executor.idle();

begun.length = 0;
for (let index = 0; index < 300; index += 1) {
  await send(1);
  await executor.idle();
}
const sorted = [...begun].sort((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);

console.log(`${RUNS} one-step runs${keyed ? ' with two concurrency keys' : ''}: ${(RUNS / seconds).toFixed(0)} runs/s`);
console.log(`event to step, one at a time: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
const leases = await setup.query('SELECT count(*)::int AS left FROM local_inngest.jobs');
console.log(`jobs left: ${leases.rows[0]?.left}`);

await executor.stop();
await transport.close();
await setup.end();
await admin.query(`DROP DATABASE ${name}`);
await admin.end();
