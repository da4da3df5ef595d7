import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Inngest } from 'inngest';
import pg from 'pg';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';

const connectionString = process.env.DATABASE_URL ?? '';
const pool = new pg.Pool({ connectionString, max: 4 });
const transport = createEmbeddedTransport(() => connectionString);
const client = new Inngest({ id: 'crash', isDev: true, fetch: transport.fetch });
const fixture = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));
const children = new Set<ChildProcess>();

async function start(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  await Promise.race([
    new Promise<void>((resolve) => child.stdout?.on('data', (data) => String(data).includes('ready') && resolve())),
    once(child, 'exit').then(() => Promise.reject(new Error('The executor did not start'))),
  ]);
  return child;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  children.delete(child);
}

async function count(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(text, values);
  return rows[0]?.count ?? 0;
}
const completed = () => count(`SELECT count(*)::int FROM local_inngest.runs WHERE status = 'completed'`);

/** Polls until `condition` holds. The test's own limit ends a wait without end. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

type Effect = { key: string; step: string; count: number };
async function effects(): Promise<Map<string, number>> {
  const text = 'SELECT key, step, count(*)::int FROM effects GROUP BY key, step';
  const { rows } = await pool.query<Effect>(text);
  return new Map(rows.map((row) => [`${row.key} ${row.step}`, row.count]));
}

/** Steps whose result is stored, as `<key> <step>`; a fixture's step returns its own name. */
async function finishedSteps(): Promise<string[]> {
  const { rows } = await pool.query<{ event: string; steps: string }>('SELECT event, steps FROM local_inngest.runs');
  return rows.flatMap(({ event, steps }) => {
    const key: string = JSON.parse(event).data.key;
    return steps
      .split('\n')
      .filter(Boolean)
      .map((line) => `${key} ${JSON.parse(line).data}`);
  });
}

async function send(name: string, total: number, data: Record<string, unknown>): Promise<string[]> {
  const keys = Array.from({ length: total }, () => ulid());
  await client.send(keys.map((key, index) => ({ name, data: { key, group: index % 5, ...data } })));
  return keys;
}

// Each test starts several processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

/** Milliseconds of a lease that does not expire in a test, however slow its process is. */
const longLease = { LEASE_MS: '3600000' };

beforeAll(async () => {
  await pool.query(`CREATE TABLE effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text, step text, pid int,
    started timestamptz DEFAULT clock_timestamp(), ended timestamptz)`);
});
beforeEach(async () => {
  await pool.query(
    'TRUNCATE effects, local_inngest.events, local_inngest.runs, local_inngest.jobs, local_inngest.waits',
  );
});
afterEach(async () => {
  await Promise.all([...children].map((child) => kill(child)));
});
afterAll(async () => {
  await transport.close();
  await pool.end();
});

test('killed during steps six times: nothing is lost, and no finished step is repeated', async () => {
  const runs = 60;
  const keys = await send('chain', runs, { ms: 60 });
  const limited = await send('limited', 15, { ms: 60 });
  let repeated = 0;
  for (const share of [0.1, 0.35, 0.6]) {
    const child = await start();
    await until(async () => (await count('SELECT count(*)::int FROM effects')) >= runs * 4 * share);
    await kill(child);
    const before = await effects();
    const finished = await finishedSteps();
    const next = await start();
    await until(async () => (await count('SELECT count(*)::int FROM effects')) >= runs * 4 * (share + 0.1));
    await kill(next);
    const after = await effects();
    for (const step of finished) expect(after.get(step)).toBe(before.get(step));
  }
  await start();
  await until(async () => (await completed()) === runs + limited.length);
  const all = await effects();
  for (const key of keys) {
    for (const step of ['one', 'two', 'three', 'four']) {
      const times = all.get(`${key} ${step}`) ?? 0;
      expect(times).toBeGreaterThanOrEqual(1);
      repeated += times - 1;
    }
  }
  // Six kills, each with at most sixteen calls under way.
  expect(repeated).toBeLessThanOrEqual(6 * 16);
  expect(repeated).toBeGreaterThan(0);
  expect(await count('SELECT count(*)::int FROM local_inngest.jobs')).toBe(0);
});

test('jobs of a killed process are taken over as soon as another starts; those of a live one are not', async () => {
  await start(longLease);
  const kept = await send('chain', 4, { ms: 2000 });
  await until(async () => (await count('SELECT count(*)::int FROM effects')) >= 4);
  const killed = await start(longLease);
  // More than the slots of the first process.
  const lost = await send('chain', 24, { ms: 2000 });
  const held = () => count('SELECT count(DISTINCT leased_by)::int FROM local_inngest.jobs');
  await until(async () => (await held()) === 2);
  await kill(killed);
  await start(longLease);
  await until(async () => (await completed()) === kept.length + lost.length);
  const all = await effects();
  expect(all.size).toBe(28 * 4);
  for (const key of kept) expect(all.get(`${key} one`)).toBe(1);
});

test('two processes share the work: each step runs once, and concurrency limits hold across both', async () => {
  const both = await Promise.all([start(longLease), start(longLease)]);
  const chains = await send('chain', 40, { ms: 5 });
  const limited = await send('limited', 40, { ms: 30 });
  await until(async () => (await completed()) === chains.length + limited.length);
  const all = await effects();
  expect(all.size).toBe(chains.length * 4 + limited.length);
  expect([...all.values()].filter((times) => times !== 1)).toEqual([]);
  const pids = await pool.query<{ pid: number }>('SELECT DISTINCT pid FROM effects');
  expect(new Set(pids.rows.map((row) => row.pid))).toEqual(new Set(both.map((child) => child.pid)));
  const overlap = (same: string) => `
    SELECT coalesce(max(n), 0)::int AS count FROM (
      SELECT count(*) AS n FROM effects a JOIN effects b
        ON b.started <= a.started AND b.ended > a.started ${same}
      WHERE a.step LIKE 'group %' AND b.step LIKE 'group %' GROUP BY a.id) AS moments`;
  expect(await count(overlap('AND a.step = b.step'))).toBeLessThanOrEqual(2);
  expect(await count(overlap(''))).toBeLessThanOrEqual(7);
  expect(await count(overlap(''))).toBeGreaterThan(2);
});

test('a process that hangs loses its job, and its late result is rejected while another works on it', async () => {
  // The lease is longer than a slow process takes for a heartbeat, and the step longer than the takeover.
  const [leaseMs, stepMs] = [2_000, 6_000];
  const first = await start({ LEASE_MS: String(leaseMs) });
  const [key] = await send('limited', 1, { ms: stepMs });
  await until(async () => (await count('SELECT count(*)::int FROM effects')) === 1);
  first.kill('SIGSTOP');
  const second = await start({ LEASE_MS: String(leaseMs) });
  await until(async () => (await count('SELECT count(*)::int FROM effects')) === 2);
  // From then on the first process responds as soon as it runs again.
  await until(
    async () => (await count(`SELECT count(*)::int FROM effects WHERE started < now() - interval '${stepMs} ms'`)) > 0,
  );
  first.kill('SIGCONT');
  await until(async () => (await completed()) === 1);
  expect(await count('SELECT count(*)::int FROM effects WHERE ended IS NULL')).toBe(0);
  expect((await effects()).get(`${key} group 0`)).toBe(2);
  const { rows } = await pool.query<{ steps: string }>('SELECT steps FROM local_inngest.runs');
  expect(
    rows.map((row) =>
      row.steps
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).data),
    ),
  ).toEqual([[second.pid]]);
});

test('a process that is stopped finishes the steps of its calls and releases every lease', async () => {
  const child = await start(longLease);
  await send('chain', 40, { ms: 200 });
  await until(async () => (await count('SELECT count(*)::int FROM effects')) >= 16);
  const stopped = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await stopped).toEqual([0, null]);
  expect(await count('SELECT count(*)::int FROM effects WHERE ended IS NULL')).toBe(0);
  expect(await count('SELECT count(*)::int FROM local_inngest.jobs WHERE leased_by IS NOT NULL')).toBe(0);
  expect(await completed()).toBeLessThan(40);
  await start(longLease);
  await until(async () => (await completed()) === 40);
  const all = await effects();
  expect([...all.values()].filter((times) => times !== 1)).toEqual([]);
});

test('a cron tick starts one run, however many processes there are', async () => {
  await Promise.all([start(), start()]);
  for (const round of [1, 2]) {
    await pool.query(`UPDATE local_inngest.schedules SET next_at = now() - interval '1 second'`);
    await pool.query(`SELECT pg_notify('local_inngest', 'event')`);
    await until(async () => (await completed()) === round);
  }
  await sleep(200);
  expect(await count('SELECT count(*)::int FROM effects')).toBe(2);
  expect(await count(`SELECT count(*)::int FROM effects WHERE step = 'inngest/scheduled.timer'`)).toBe(2);
  expect(await count('SELECT count(*)::int FROM local_inngest.schedules WHERE next_at > now()')).toBe(1);
});

test('lost connections are reopened and the work continues', async () => {
  await start();
  await send('chain', 60, { ms: 30 });
  for (const share of [20, 80, 150]) {
    await until(async () => (await count('SELECT count(*)::int FROM effects')) >= share);
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'laurel-inngest' AND datname = current_database()`);
  }
  await until(async () => (await completed()) === 60);
  expect(await count('SELECT count(*)::int FROM local_inngest.jobs')).toBe(0);
});
