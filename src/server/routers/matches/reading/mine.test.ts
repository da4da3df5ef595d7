import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MyMatch } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';

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
