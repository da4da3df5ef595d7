import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { countRowsRead, watchStatements } from '@/test/statements';

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

test.each(['player', 'staff'] as const)('a %s reads the newest lines of a thread, however long it is', async (who) => {
  const cup = await startCup(api, 4);
  const [match] = await readMatches(api, cup.tournamentId);
  const side = match?.slots[0].participantId;
  await db.$executeRaw`
    INSERT INTO "match_message" ("id", "matchId", "kind", "text", "mediaFileIds", "participantIds", "createdAt")
    SELECT 'mms_' || ${match?.id} || n, ${match?.id}, 'comment', n::text, '{}', ARRAY[${side}], now() - (20001 - n) * interval '1 second'
    FROM generate_series(1, 20000) n`;
  await pool.query('VACUUM (ANALYZE) "match_message"');
  const bearer = who === 'staff' ? cup.moderator.bearer : await cup.bearerOf(side);
  type Page = { items: { text: string }[]; total: number };
  const read = async (page: number) =>
    (await api.get<Page>(`/matches/${match?.id}/messages?limit=100&page=${page}`, { bearer })).body;
  for (const [page, newest] of [
    [1, '20000'],
    [50, '15100'],
  ] as const) {
    const sent = await watchStatements(async () => {
      const { items, total } = await read(page);
      expect([total, items.length, items[0]?.text]).toEqual([5_000, 100, newest]);
    });
    for (const one of sent.filter(({ text }) => text.includes('match_message')))
      expect(await countRowsRead('match_message', one), one.text).toBeLessThan(11_000);
  }
  expect((await read(51)).items).toEqual([]);
});
