import { expect, test } from 'vitest';
import { isKept } from '@/server/compiled';
import { db } from '@/server/db';
import { readBracket, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { bracket, standings } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { findDrawn } from './data-drawn';

const api = setupTestServer();

/** A draw that is large enough to be kept, and was read as often as it takes. */
async function startLarge() {
  const cup = await startCup(api, 70);
  await findDrawn(cup.tournamentId, null);
  const kept = async () => (await findDrawn(cup.tournamentId, null))?.drawn?.bracket();
  return { ...cup, kept };
}

test('a large draw is made once while nothing in it changes, and a small one is not kept', async () => {
  const { kept } = await startLarge();
  const first = await kept();
  expect(first?.stages[0]?.rounds.length).toBe(7);
  expect(await kept()).toBe(first);
  const small = await startCup(api, 4);
  const read = async () => (await findDrawn(small.tournamentId, null))?.drawn?.bracket();
  await read();
  expect(await read()).not.toBe(await read());
});

test.each([
  ['many participants and few matches', 70, { format: 'swiss', formatOptions: { rounds: 1 } }, 0],
  ['few matches with many games', 8, { formatOptions: { bestOf: 99 } }, 20],
] as const)('a draw of %s is kept, checked and written as JSON once', async (_, count, options, games) => {
  const { tournamentId } = await startCup(api, count, options);
  const played = Array.from({ length: games }, (_one, at) => ({ scores: [at % 2, 1], winner: null }));
  await db.match.updateMany({ where: { tournamentId }, data: { games: played } });
  const read = async () => (await findDrawn(tournamentId, null))?.drawn;
  const texts = await statementsOf(async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, read));
    expect(isKept(standings, first?.standings())).toBe(true);
    for (const other of others) expect(other?.standings()).toBe(first?.standings());
  });
  expect(texts.filter((text) => text.includes('json_agg(m'))).toHaveLength(1);
  const kept = await read();
  expect(isKept(standings, kept?.standings())).toBe(true);
  expect(isKept(bracket, kept?.bracket())).toBe(true);
  expect((await read())?.standings()).toBe(kept?.standings());
});

test('views at the same time share what is made after a change, by id or slug', async () => {
  const { kept, tournamentId } = await startLarge();
  await kept();
  const { slug } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  await findDrawn(slug, null);
  await db.bracket.update({ where: { tournamentId }, data: { version: { increment: 1 } } });
  const views: unknown[] = [];
  const texts = await statementsOf(async () => {
    const asked = [tournamentId, slug, tournamentId, slug, tournamentId].map((key) => findDrawn(key, null));
    for (const found of await Promise.all(asked)) views.push(found?.drawn?.bracket());
  });
  expect(texts.filter((text) => text.includes('json_agg(m'))).toHaveLength(1);
  expect(new Set(views).size).toBe(1);
});

test('every change is in the next answer to anybody', async () => {
  const { kept, tournamentId, moderator } = await startLarge();
  await kept();
  const [open] = (await readMatches(api, tournamentId)).filter(({ status }) => status === 'ready');
  const winnerId = open?.slots[0].participantId ?? '';
  const body = { winnerId };
  expect((await api.post(`/matches/${open?.id}/resolve`, { bearer: moderator.bearer, body })).status).toBe(200);
  const find = async () => (await readMatches(api, tournamentId)).find(({ id }) => id === open?.id);
  expect(await find()).toMatchObject({ status: 'completed', winnerId });

  await db.participant.update({ where: { id: winnerId }, data: { name: 'Renamed' } });
  expect((await find())?.slots[0].name).toBe('Renamed');
  const next = (await readMatches(api, tournamentId)).find(({ status }) => status === 'ready');
  const station = await api.post<{ id: string }>(`/tournaments/${tournamentId}/stations`, {
    bearer: moderator.bearer,
    body: { name: 'Stage A' },
  });
  const stationId = station.body.id;
  await api.post(`/matches/${next?.id}/station`, { bearer: moderator.bearer, body: { stationId } });
  const place = async () => (await readMatches(api, tournamentId)).find(({ id }) => id === next?.id)?.station;
  expect(await place()).toBe('Stage A');
  await db.station.update({ where: { id: stationId }, data: { name: 'Stage B' } });
  expect(await place()).toBe('Stage B');
  expect((await api.delete(`/tournaments/${tournamentId}/stations/${stationId}`, moderator)).status).toBe(200);
  expect(await place()).toBeNull();
});

test('what is kept is shown to nobody who may not see the tournament', async () => {
  const { kept, tournamentId, stranger, organizer } = await startLarge();
  await kept();
  const path = `/tournaments/${tournamentId}/bracket`;
  expect((await api.get(path)).status).toBe(200);
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'private' } });
  expect((await api.get(path)).status).toBe(404);
  expect((await api.get(path, stranger)).status).toBe(404);
  expect((await readBracket(api, tournamentId, organizer.bearer)).tournamentId).toBe(tournamentId);
});
