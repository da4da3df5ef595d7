import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeCup, playOut, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const read = (tournamentId: string, pages: { places?: number; table?: number } = {}) =>
  api.trpc().matches.standingsPage.query({ tournamentId, ...pages });

test('a long table comes in pages of a hundred rows, each with the row behind it', async () => {
  const { tournamentId } = await startCup(api, 130, { format: 'swiss' });
  const [first, second, third] = [
    await read(tournamentId),
    await read(tournamentId, { table: 2 }),
    await read(tournamentId, { table: 3 }),
  ];
  expect(first.stages[0]?.position).toEqual({ page: 1, limit: 100, total: 130, of: 'rows' });
  const rows = (page: typeof first) => page.stages[0]?.groups[0]?.rows ?? [];
  expect([rows(first).length, rows(second).length, rows(third).length]).toEqual([100, 30, 0]);
  expect(first.stages[0]?.groups[0]?.next).toEqual(rows(second)[0]);
  expect(second.stages[0]?.groups[0]?.next).toBeNull();
  const whole = await api.trpc().matches.standings.query({ tournamentId });
  expect([...rows(first), ...rows(second)]).toEqual(whole.stages[0]?.groups[0]?.rows);
});

test('groups come whole, as many as have a hundred rows', async () => {
  const { tournamentId } = await startCup(api, 112, { format: 'groups_to_knockout' });
  const [first, second] = [await read(tournamentId), await read(tournamentId, { table: 2 })];
  expect(first.stages[0]?.position).toEqual({ page: 1, limit: 25, total: 28, of: 'groups' });
  const groups = (page: typeof first) => page.stages[0]?.groups.map(({ name, rows }) => [name, rows.length]) ?? [];
  expect(groups(first)).toHaveLength(25);
  expect(groups(second).map(([, rows]) => rows)).toEqual([4, 4, 4]);
});

test('final places come in pages, and the champion alone', async () => {
  const cup = await startCup(api, 8);
  expect(await api.trpc().matches.champion.query({ tournamentId: cup.tournamentId })).toBeNull();
  await playOut(api, cup);
  const { final } = await read(cup.tournamentId);
  expect(final).toMatchObject({ page: 1, limit: 100, total: 8 });
  const [best] = final.items;
  expect(await api.trpc().matches.champion.query({ tournamentId: cup.tournamentId })).toEqual({
    participantId: best?.participantId,
    name: best?.name,
  });
  expect((await read(cup.tournamentId, { places: 2 })).final.items).toEqual([]);
});

test('pages are refused as the whole standings are', async () => {
  const { tournamentId } = await makeCup(4);
  await expect(read(tournamentId)).rejects.toMatchObject({ data: { reason: 'BRACKET_NOT_AVAILABLE' } });
  await expect(read('no-such-cup')).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'private' } });
  await expect(read(tournamentId)).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
  await expect(api.trpc().matches.champion.query({ tournamentId })).rejects.toMatchObject({
    data: { reason: 'NOT_FOUND' },
  });
  await expect(read(tournamentId, { table: 0 })).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
});

test('a match is found by its number, where its tournament may be seen', async () => {
  const { tournamentId } = await startCup(api, 4);
  const { id } = await db.match.findFirstOrThrow({ where: { tournamentId, number: 2 } });
  const find = (number: number) => api.trpc().matches.idOfNumber.query({ tournamentId, number });
  expect(await find(2)).toEqual({ id });
  expect(await find(999_999)).toBeNull();
  await expect(find(0)).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'private' } });
  await expect(find(2)).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
});
