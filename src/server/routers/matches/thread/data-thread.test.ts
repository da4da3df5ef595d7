import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';

const api = setupTestServer();

test('a page of a long thread is sized without reading every line', async () => {
  const cup = await startCup(api, 4);
  const [match, other] = await readMatches(api, cup.tournamentId);
  const game = { scores: [1, 0], winnerId: null };
  const details = JSON.stringify({
    result: { games: Array(7).fill(game) },
    previousResult: { games: Array(5).fill(game) },
  });
  for (const of of [match, other])
    await db.$executeRaw`
      INSERT INTO "match_message" ("id", "matchId", "kind", "details", "mediaFileIds", "participantIds")
      SELECT 'mms_' || ${of?.id} || n, ${of?.id}, 'correction', CASE n WHEN 1 THEN ${details}::jsonb ELSE '{}' END, '{}', '{}'
      FROM generate_series(1, 5000) n`;
  await pool.query('ANALYZE "match_message"');
  const read = () => api.get<{ items: unknown[] }>(`/matches/${match?.id}/messages?limit=100`, cup.moderator);
  const sent = await watchStatements(async () => expect((await read()).status).toBe(200));
  const [sized, ...more] = sent.filter(({ text }) => text.includes('max('));
  expect(more).toEqual([]);
  expect((await pool.query<{ games: number }>(sized?.text ?? '', sized?.values)).rows).toEqual([{ games: 12 }]);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${sized?.text}`, sized?.values);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Scan.* using match_message_games .*rows=1(\.00)? loops=1/);
});
