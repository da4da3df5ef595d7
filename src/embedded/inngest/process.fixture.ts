import { eventType, Inngest, staticSchema } from 'inngest';
import pg from 'pg';
import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';

/** A process with an executor, for tests that kill it. Each step writes to a row of `effects` when it starts and ends. */

const connectionString = process.env.DATABASE_URL ?? '';
const pool = new pg.Pool({ connectionString, max: 10 });
// Warnings are expected where connections are cut; errors are shown by the parent.
const logger = { debug() {}, info() {}, warn() {}, error: console.error };
const transport = createEmbeddedTransport(() => connectionString);
const client = new Inngest({ id: 'crash', isDev: true, fetch: transport.fetch, logger });

type Data = { key: string; group?: number; ms: number };
const on = <Name extends string>(name: Name) => eventType(name, { schema: staticSchema<Data>() });

async function effect(key: string, step: string, ms: number): Promise<string> {
  const text = 'INSERT INTO effects (key, step, pid) VALUES ($1, $2, $3) RETURNING id';
  const { rows } = await pool.query<{ id: string }>(text, [key, step, process.pid]);
  await new Promise((resolve) => setTimeout(resolve, ms));
  await pool.query('UPDATE effects SET ended = clock_timestamp() WHERE id = $1', [rows[0]?.id]);
  return step;
}

const chain = client.createFunction({ id: 'chain', retries: 0, triggers: [on('chain')] }, async ({ event, step }) => {
  const { key, ms } = event.data;
  await step.run('one', () => effect(key, 'one', ms * Math.random()));
  await Promise.all(['two', 'three'].map((name) => step.run(name, () => effect(key, name, ms * Math.random()))));
  await step.run('four', () => effect(key, 'four', ms * Math.random()));
});

const limited = client.createFunction(
  { id: 'limited', triggers: [on('limited')], concurrency: [{ limit: 2, key: 'event.data.group' }, { limit: 7 }] },
  async ({ event, step }) => {
    const { key, group, ms } = event.data;
    await step.run('work', () => effect(key, `group ${group}`, ms).then(() => process.pid));
  },
);

// Comes due only when a test says so; a tick at the wrong moment would be one more run in the counts of others.
const tick = client.createFunction({ id: 'tick', triggers: [{ cron: '0 0 1 1 *' }] }, async ({ event, step }) => {
  await step.run('tick', () => effect(event.id ?? '', event.name, 0));
});

const executor = await startEmbeddedExecutor({
  connectionString,
  client,
  transport,
  functions: [chain, limited, tick],
  logger,
  concurrency: 16,
  leaseMs: Number(process.env.LEASE_MS ?? 1000),
});
process.stdout.write('ready\n');
process.once('SIGTERM', async () => {
  await executor.stop();
  await pool.end();
  process.stdout.write('stopped\n');
});
