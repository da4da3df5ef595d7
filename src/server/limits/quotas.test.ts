import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { type Env, env, readEnv } from '@/env';
import { db } from '@/server/db';
import { limitInWords } from '@/server/limits/quota-words';
import { type QuotaName, quotaOf, quotas } from '@/server/limits/quotas';
import { requireRoom, takeQuota } from '@/server/limits/take-quota';
import { usedOfRates } from '@/server/limits/used-rates';
import { registry } from '@/server/metrics';

const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const take = (subject: string, count = 1) => db.$transaction((tx) => takeQuota(tx, 'uploads', subject, count));

async function outcomes(attempts: Promise<unknown>[]) {
  const settled = await Promise.allSettled(attempts);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  return { passed: settled.length - refused.length, refused };
}

describe('a rate', () => {
  test('lets exactly its limit pass when twice as many ask at once', async () => {
    env.UPLOADS_PER_PROJECT_PER_HOUR = 16;
    const subject = newId('prj');
    const { passed, refused } = await outcomes(Array.from({ length: 32 }, () => take(subject)));
    expect([passed, refused.length]).toEqual([16, 16]);
    expect(refused[0]).toMatchObject({ reason: 'QUOTA_EXCEEDED', status: 429, rate: { limit: 16, remaining: 0 } });
    expect(refused[0].retryAfter).toBeGreaterThan(3590);
    await take(newId('prj'));
  });

  test('does not count what is rolled back', async () => {
    env.UPLOADS_PER_PROJECT_PER_HOUR = 1;
    const subject = newId('prj');
    const failing = db.$transaction(async (tx) => {
      await takeQuota(tx, 'uploads', subject);
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    await take(subject);
    await expect(take(subject)).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  });

  test('takes all or none, and says so when it never fits', async () => {
    env.UPLOADS_PER_PROJECT_PER_HOUR = 5;
    const subject = newId('prj');
    await take(subject, 3);
    await expect(take(subject, 3)).rejects.toMatchObject({ rate: { remaining: 2 } });
    await take(subject, 2);
    const refusal = await take(newId('prj'), 6).catch((error: { retryAfter?: number; status: number }) => error);
    expect(refusal).toMatchObject({ status: 429, retryAfter: undefined });
    expect(await usedOfRates(db, 'project', subject)).toMatchObject({ uploads: 5, tournaments: 0 });
  });

  test('slides: what is older than the window counts no more', async () => {
    env.UPLOADS_PER_PROJECT_PER_HOUR = 2;
    const subject = newId('prj');
    await take(subject, 2);
    await db.$executeRaw`
      UPDATE "rate_limit_window" SET "slots" = ARRAY(SELECT s - 3600001 FROM unnest("slots") s)
      WHERE "subject" = ${`quota:uploads:${subject}`}`;
    expect(await usedOfRates(db, 'project', subject)).toMatchObject({ uploads: 0 });
    await take(subject, 2);
  });
});

test('a number is refused with 409, by plan where plans differ', async () => {
  requireRoom('webhooks', 'prj_a', 2, 'free');
  expect(() => requireRoom('webhooks', 'prj_a', 3, 'free')).toThrow('The project has 3 webhooks');
  requireRoom('webhooks', 'prj_a', 24, 'pro');
  const before = await registry.getSingleMetricAsString('laurel_quota_exceeded_total');
  expect(() => requireRoom('webhooks', 'prj_a', 200, 'enterprise')).toThrow(
    expect.objectContaining({ reason: 'QUOTA_EXCEEDED', status: 409, retryAfter: undefined }),
  );
  expect(before).toContain('quota="webhooks"');
  expect(await registry.getSingleMetricAsString('laurel_quota_exceeded_total')).not.toBe(before);
});

test('counts survive a crash of the database', async () => {
  const [table] = await db.$queryRaw<{ logged: boolean }[]>`
    SELECT relpersistence = 'p' AS logged FROM pg_class WHERE relname = 'rate_limit_window'`;
  expect(table?.logged).toBe(true);
});

describe('every quota', () => {
  const names = Object.keys(quotas) as QuotaName[];
  const variables = names.flatMap((name): (keyof Env)[] => {
    const { variable } = quotaOf(name);
    return typeof variable === 'string' ? [variable] : Object.values(variable);
  });

  test.each(names)('%s says its limit in a sentence', (name) => {
    expect(quotaOf(name).exceeded(1234)).toMatch(/1234.*\.$/);
    expect(limitInWords(name)).toMatch(/\d/);
  });

  test.each(variables)('%s is documented with its default', (variable) => {
    const value = readEnv({})[variable];
    expect(readFileSync('.env.example', 'utf8')).toContain(`\n# ${variable}=${value}\n`);
    const row = readFileSync('docs/limits.md', 'utf8')
      .split('\n')
      .find((line) => line.includes(`\`${variable}\``));
    expect(row?.split('|')[2]?.replace(/\D/g, '')).toBe(String(value));
  });
});
