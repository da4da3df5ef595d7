import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { findMatchForView } from './data-match';

const api = setupTestServer();

test('reading a match reads none of other tournaments', async () => {
  const [cup, other] = [await startCup(api, 4), await startCup(api, 2)];
  await db.$executeRaw`
    INSERT INTO "tournament"
    SELECT (jsonb_populate_record(t, jsonb_build_object('id', t."id" || n, 'slug', t."slug" || n))).*
    FROM "tournament" t, generate_series(1, 100) n WHERE t."id" = ${other.tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "bracket" SELECT (jsonb_populate_record(b, jsonb_build_object('tournamentId', b."tournamentId" || n))).*
    FROM "bracket" b, generate_series(1, 100) n WHERE b."tournamentId" = ${other.tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "match" SELECT (jsonb_populate_record(m, jsonb_build_object(
      'id', m."id" || n || '.' || k, 'tournamentId', m."tournamentId" || n, 'number', k))).*
    FROM "match" m, generate_series(1, 100) n, generate_series(1, 100) k WHERE m."tournamentId" = ${other.tournamentId}`;
  await db.$executeRaw`ANALYZE "match"`;
  const [match] = await readMatches(api, cup.tournamentId);
  const read = await db.$transaction(async (tx) => {
    expect((await findMatchForView(tx, match?.id ?? '', null)).roundName).toBe('Semifinals');
    const [{ rows } = { rows: null }] = await tx.$queryRaw<{ rows: bigint }[]>`
      SELECT pg_stat_get_xact_tuples_returned('"match"'::regclass) AS rows`;
    return Number(rows);
  });
  expect(read).toBeLessThan(100);
});
