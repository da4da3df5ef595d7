import { describe, expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MyMatch } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';
import { statementsOf, watchStatements } from '@/test/statements';

const api = setupTestServer();

type Listed = { items: MyMatch[]; total: number; page: number; limit: number; totalPages: number; hasNext: boolean };

test('lists the matches of a player over all tournaments, those to be played first', async () => {
  const cup = await startCup(api, 4);
  const [first, second] = cup.participantIds;
  const bearer = await cup.bearerOf(first);
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: first ?? '' } });
  const list = async (query = '') => {
    const answer = await api.get<Listed>(`/me/matches${query}`, { bearer });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const all = (await readMatches(api, cup.tournamentId)).filter((match) =>
    match.slots.some(({ participantId }) => participantId === first),
  );
  const before = await list();
  expect(before).toMatchObject({ total: 1, page: 1, limit: 25, totalPages: 1, hasNext: false });
  expect(before.items[0]).toMatchObject({ ...all[0], me: { participantId: first } });
  expect(before.items[0]?.tournament).toMatchObject({ id: cup.tournamentId, status: 'IN_PROGRESS' });
  expect(await list('?when=past')).toMatchObject({ total: 0, items: [] });

  await playOut(api, cup);
  const later = await startCup(api, 2);
  const [theirs] = later.participantIds;
  // A roster makes a match one's own too.
  await db.rosterMember.create({
    data: { participantId: theirs ?? '', tournamentId: later.tournamentId, userId: userId ?? '', role: 'player' },
  });
  const after = await list();
  expect(after.items.map(({ tournament }) => tournament.id)).toEqual([
    later.tournamentId,
    cup.tournamentId,
    cup.tournamentId,
  ]);
  expect(after.items.map(({ me }) => me.participantId)).toEqual([theirs, first, first]);
  const [, final, semifinal] = after.items;
  expect(Date.parse(final?.completedAt ?? '')).toBeGreaterThan(Date.parse(semifinal?.completedAt ?? ''));
  expect((await list('?when=current')).items.map(({ id }) => id)).toEqual([after.items[0]?.id]);
  expect((await list('?when=past')).items.map(({ id }) => id)).toEqual([final?.id, semifinal?.id]);
  expect(await list('?limit=1&page=2')).toMatchObject({ total: 3, hasNext: true, items: [{ id: final?.id }] });
  expect(await list('?page=9')).toMatchObject({ total: 3, items: [] });

  const other = await api.get<Listed>('/me/matches', { bearer: await cup.bearerOf(second) });
  expect(other.body.items.every(({ me }) => me.participantId === second)).toBe(true);
});

test('refuses strangers and limits above the maximum', async () => {
  const cup = await startCup(api, 2);
  expect((await api.get('/me/matches')).status).toBe(401);
  expect((await api.get('/me/matches?limit=101', { bearer: cup.stranger.bearer })).status).toBe(400);
  expect((await api.get<Listed>('/me/matches', { bearer: cup.stranger.bearer })).body).toMatchObject({
    items: [],
    total: 0,
    totalPages: 0,
  });
});

test('where others named a player who has not agreed comes after what they play themselves', async () => {
  const [own, other] = [await startCup(api, 2), await startCup(api, 2)];
  const [mine = '', theirs = ''] = [own.participantIds[0], other.participantIds[0]];
  const { userId = '' } = await db.participant.findUniqueOrThrow({ where: { id: mine } });
  const place = { participantId: theirs, tournamentId: other.tournamentId, userId, role: 'player' } as const;
  await db.rosterMember.create({ data: { ...place, acceptedAt: null } });
  await db.match.updateMany({ where: { tournamentId: other.tournamentId }, data: { scheduledAt: new Date() } });
  const bearer = await own.bearerOf(mine);
  const tournaments = async () => {
    const { items } = (await api.get<Listed>('/me/matches?when=current', { bearer })).body;
    return items.map(({ tournament }) => tournament.id);
  };
  expect(await tournaments()).toEqual([own.tournamentId, other.tournamentId]);
  await db.rosterMember.updateMany({ where: place, data: { acceptedAt: new Date() } });
  expect(await tournaments()).toEqual([other.tournamentId, own.tournamentId]);
});

describe('the next matches of a player', () => {
  const next = async (bearer: string, participantId?: string) =>
    (await api.trpc(bearer).matches.myNextMatches.query({ participantId })).map(({ number, tournament, me }) => {
      return { number, tournamentId: tournament.id, participantId: me.participantId };
    });

  test('are the first under way, else to be played, else open one of each participant, and none once all are over', async () => {
    const cup = await startCup(api, 4, { format: 'round_robin' });
    const [mine = '', second] = cup.participantIds;
    const bearer = await cup.bearerOf(mine);
    const numbers = (await readMatches(api, cup.tournamentId))
      .filter(({ slots }) => slots.some(({ participantId }) => participantId === mine))
      .map(({ number }) => number);
    const [first = 0, middle = 0, last = 0] = numbers;
    const set = (status: 'pending' | 'ready' | 'disputed', number: number) =>
      db.match.updateMany({ where: { tournamentId: cup.tournamentId, number }, data: { status } });
    const card = (number: number) => [{ number, tournamentId: cup.tournamentId, participantId: mine }];
    expect(await next(bearer)).toEqual(card(first));
    await set('pending', first);
    expect(await next(bearer)).toEqual(card(middle));
    await set('disputed', last);
    expect(await next(bearer, mine)).toEqual(card(last));
    expect(await next(bearer, second)).toEqual([]);
    await Promise.all([set('ready', first), set('ready', last)]);
    await playOut(api, cup);
    expect(await next(bearer)).toEqual([]);
  });

  test('take two statements and ten matches, those that they agreed to first, wherever others name them', async () => {
    const own = await startCup(api, 2);
    const [mine = ''] = own.participantIds;
    const bearer = await own.bearerOf(mine);
    const { userId = '' } = await db.participant.findUniqueOrThrow({ where: { id: mine } });
    for (let at = 0; at < 30; at++) {
      const { tournamentId, participantIds } = await startCup(api, 4, { format: 'round_robin' });
      const place = { participantId: participantIds[0] ?? '', tournamentId, userId, role: 'player' } as const;
      await db.rosterMember.create({ data: { ...place, acceptedAt: null } });
    }
    let cards: Awaited<ReturnType<typeof next>> = [];
    const sent = await statementsOf(async () => {
      cards = await next(bearer);
    });
    expect(sent.filter((text) => text.includes('FROM "match"'))).toHaveLength(2);
    expect(sent.length).toBeLessThan(6);
    expect(cards).toHaveLength(10);
    expect(cards[0]).toEqual({ number: 1, tournamentId: own.tournamentId, participantId: mine });
    expect(new Set(cards.map(({ tournamentId }) => tournamentId)).size).toBe(10);
  });
});

test('a player reads no matches of others, whatever PostgreSQL takes for the better plan', async () => {
  const cup = await startCup(api, 4);
  const [match] = await readMatches(api, cup.tournamentId);
  const bearer = await cup.bearerOf(cup.participantIds[0]);
  const fields = `'id', 'mat_many' || n, 'number', 100 + n, 'participantAId', 'prt_many' || n, 'participantBId', 'prt_other' || n`;
  await pool.query(
    `INSERT INTO "match" SELECT (json_populate_record(o, json_build_object(${fields}))).*
     FROM "match" o, generate_series(1, 5000) n WHERE o."id" = $1`,
    [match?.id],
  );
  await pool.query('ANALYZE "match"');
  const sent = await watchStatements(async () => {
    expect((await api.get<Listed>('/me/matches', { bearer })).body).toMatchObject({ total: 1 });
  });
  const lists = sent.filter(({ text }) => text.includes('played AS ('));
  expect(lists).toHaveLength(2);
  const client = await pool.connect();
  try {
    // As where accounts have hundreds of registrations on average, and to look up the matches of each seems to take long.
    await client.query('SET enable_nestloop = off');
    for (const { text, values } of lists) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan on "?match/);
    }
  } finally {
    client.release(true);
  }
});
