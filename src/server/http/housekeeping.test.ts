import { afterAll, expect, test } from 'vitest';
import { closeDatabase, db, pool } from '@/server/db';
import { sweep, sweeps } from './housekeeping';

afterAll(() => closeDatabase());

const take = (subject: string, windowMs = 60_000) =>
  pool.query('SELECT granted FROM rate_limit_take($1, 1, 600, $2, 500)', [subject, windowMs]);
const left = async (prefix: string) => {
  const rows = await db.rateLimitWindow.findMany({
    where: { subject: { startsWith: prefix } },
    orderBy: { subject: 'asc' },
  });
  return rows.map(({ subject }) => subject);
};

test('windows whose time is over are deleted, also more than a batch of them, and the others stay', async () => {
  await take('house:live');
  await pool.query(`
    INSERT INTO rate_limit_window (subject, slots, hits, total, "expiresAt", "deletableAt")
    SELECT 'house:old:' || n, '{}', '{}', 0, now() - interval '2 h', now() - interval '1 h' FROM generate_series(1, 25000) n`);
  await take('house:old:7');
  await sweep();
  expect(await left('house:')).toEqual(['house:live', 'house:old:7']);
});

test('deleting reads no more than what it deletes', async () => {
  await pool.query(`
    INSERT INTO rate_limit_window (subject, slots, hits, total, "expiresAt", "deletableAt")
    SELECT 'many:' || n, '{}', '{}', 0, now() + interval '1 h', now() + interval '2 h' FROM generate_series(1, 100000) n`);
  await pool.query('ANALYZE rate_limit_window');
  const statement = sweeps.find((text) => text.includes('rate_limit_window')) ?? '';
  const { rows } = await pool.query<Record<string, string>>(`EXPLAIN (ANALYZE, BUFFERS) ${statement}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\\n');
  expect(plan).not.toContain('Seq Scan on rate_limit_window');
  expect(plan).toContain('rate_limit_window_deletableAt_idx');
});

test('counting changes no index while a subject is busy', async () => {
  await take('busy');
  const read = () => db.rateLimitWindow.findUniqueOrThrow({ where: { subject: 'busy' } });
  const first = await read();
  for (let n = 0; n < 20; n += 1) await take('busy');
  expect(await read()).toMatchObject({ total: 21, deletableAt: first.deletableAt });
  // An hour later.
  await pool.query(
    `UPDATE rate_limit_window SET "deletableAt" = "deletableAt" - interval '61 min' WHERE subject = 'busy'`,
  );
  await take('busy');
  const later = await read();
  expect(later.deletableAt.getTime()).toBeGreaterThan(later.expiresAt.getTime());
});
