import { afterEach, expect, test } from 'vitest';
import { mintApiKey, resolveApiKey } from '@/server/auth/api-keys';
import { db, pool } from '@/server/db';
import { liveConnected, startLive, stopLive } from '@/server/events/live';
import { makeApiKey, makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';

const path = '/data/tournaments?limit=1';

const api = setupTestServer();
afterEach(startLive);

async function fresh(plan: 'free' | 'pro' = 'pro') {
  const { project } = await makeProject({ plan });
  return { project, ...(await makeApiKey(project.id)) };
}

async function eventually(check: () => Promise<boolean> | boolean, withinMs: number): Promise<number> {
  const start = Date.now();
  while (!(await check())) {
    if (Date.now() - start > withinMs) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return Date.now() - start;
}

test('a revoked key stops within a second, though it was just used', async () => {
  const { id, key } = await fresh();
  await eventually(liveConnected, 5_000);
  for (let count = 0; count < 5; count += 1) expect((await api.get(path, { apiKey: key })).status).toBe(200);
  await db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
  const took = await eventually(async () => (await api.get(path, { apiKey: key })).status === 401, 1_000);
  expect(took).toBeLessThan(500);
});

test('without the listening connection nothing is taken from memory', async () => {
  const { id, key } = await fresh();
  expect((await api.get(path, { apiKey: key })).status).toBe(200);
  await stopLive();
  expect((await api.get(path, { apiKey: key })).status).toBe(200);
  await db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
  expect((await api.get(path, { apiKey: key })).status).toBe(401);
});

test('the listening connection comes back after the database cuts it', async () => {
  await eventually(liveConnected, 5_000);
  await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'laurel live' AND datname = current_database()`);
  await eventually(() => !liveConnected(), 1_000);
  await eventually(liveConnected, 5_000);
  const { id, key } = await fresh();
  expect((await api.get(path, { apiKey: key })).status).toBe(200);
  await db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
  await eventually(async () => (await api.get(path, { apiKey: key })).status === 401, 1_000);
});

test('a changed plan and changed scopes hold within a second', async () => {
  const { id, key, project } = await fresh();
  expect((await api.get(path, { apiKey: key })).status).toBe(200);
  await db.project.update({ where: { id: project.id }, data: { plan: 'free' } });
  await eventually(async () => (await api.get(path, { apiKey: key })).reason === 'PLAN_LACKS_CAPABILITY', 1_000);
  await db.project.update({ where: { id: project.id }, data: { plan: 'enterprise' } });
  await eventually(async () => (await api.get(path, { apiKey: key })).status === 200, 1_000);
  await db.apiKey.update({ where: { id }, data: { scopes: ['read:teams'] } });
  await eventually(async () => (await api.get(path, { apiKey: key })).reason === 'SCOPE_MISSING', 1_000);
});

test('the last use is noted', async () => {
  const { id, key } = await fresh();
  await api.get(path, { apiKey: key });
  const row = () => db.apiKey.findUniqueOrThrow({ where: { id }, select: { lastUsedAt: true } });
  await eventually(async () => (await row()).lastUsedAt !== null, 2_000);
});

test('the limit of the plan counts every answer to the key, refusals too', async () => {
  const { key } = await fresh('free');
  const answers = await Promise.all(Array.from({ length: 70 }, () => api.get(path, { apiKey: key })));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(60);
  expect(refused).toHaveLength(10);
  for (const { headers } of answers) {
    expect(headers.get('x-ratelimit-limit')).toBe('60');
    const wait = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(61);
  }
  const remaining = answers
    .filter(({ status }) => status === 403)
    .map(({ headers }) => headers.get('x-ratelimit-remaining'));
  expect(remaining.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  for (const { headers, reason } of refused) {
    expect(reason).toBe('RATE_LIMITED');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  const { key: another } = await fresh('free');
  expect((await api.get(path, { apiKey: another })).status).toBe(403);
});

test('a flood of keys that do not exist takes few statements', async () => {
  const made = await fresh();
  const unknown = Array.from({ length: 500 }, () => mintApiKey().key);
  let found: Awaited<ReturnType<typeof resolveApiKey>>[] = [];
  const statements = await statementsOf(async () => {
    found = await Promise.all([...unknown, made.key].map(resolveApiKey));
  });
  expect(found.flatMap((key) => (key ? [key.id] : []))).toEqual([made.id]);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBeLessThanOrEqual(10);
});
