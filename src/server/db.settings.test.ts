import { afterAll, expect, test } from 'vitest';
import { env } from '@/env';
import { closeDatabase, db, deliveryPool, pool, queuePool, reportPools } from '@/server/db';
import { createPool } from '@/server/jobs/embedded/database';

afterAll(() => closeDatabase());

test('PostgreSQL compiles no statement, whatever asks for it', async () => {
  const executor = createPool(env.DATABASE_URL ?? '', 1);
  for (const from of [pool, deliveryPool, queuePool, ...Object.values(reportPools), executor]) {
    expect((await from.query('SHOW jit')).rows).toEqual([{ jit: 'off' }]);
  }
  expect(await db.$queryRaw`SHOW jit`).toEqual([{ jit: 'off' }]);
  await executor.end();
});

test('each pool keeps its own settings', async () => {
  const show = async (from: typeof pool, name: string) => (await from.query(`SHOW ${name}`)).rows[0][name];
  expect(await show(queuePool, 'synchronous_commit')).toBe('off');
  expect(await show(deliveryPool, 'plan_cache_mode')).toBe('force_generic_plan');
  expect(await show(reportPools.quick, 'statement_timeout')).toBe('200ms');
});
