import { afterAll, expect, test } from 'vitest';
import { closeDatabase, db } from '@/server/db';

afterAll(() => closeDatabase());

test('every foreign key has an index, so that deleting a row does not read the tables that refer to it', async () => {
  const without = await db.$queryRaw<unknown[]>`
    SELECT c.conrelid::regclass::text AS "table", c.conname::text AS "key" FROM pg_constraint c
    WHERE c.contype = 'f' AND NOT EXISTS (
      SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = ANY(c.conkey) AND i.indpred IS NULL)`;
  expect(without).toEqual([]);
});
