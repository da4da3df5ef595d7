import { expect, test } from 'vitest';
import { db } from '@/server/db';
import type { MyRegistration } from '@/server/routers/participants/schema';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, teamOf } from '@/test/tournaments';

const api = setupTestServer();

test('lists registrations as captain and as a player, those agreed to first, and the latest first', async () => {
  const player = await makeUser();
  const captain = await makeUser();
  const [solo, duo, gone] = [
    await hostTournament(api),
    await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 }),
    await hostTournament(api),
  ];
  await solo.register(player.bearer);
  await duo.register(captain.bearer, teamOf(captain, [player], 'Duo'));
  await gone.register(player.bearer);
  await gone.cancel(player.bearer);
  const list = async (query = '') => {
    const response = await api.get<{ items: MyRegistration[]; total: number }>(`/me/registrations${query}`, {
      bearer: player.bearer,
    });
    return response.body;
  };
  const all = await list();
  expect(all.items.map((item) => item.tournament.id)).toEqual([gone.id, solo.id, duo.id]);
  expect(all.items[2]).toMatchObject({ name: 'Duo', isCaptain: false, tournament: { slug: duo.slug, game: 'cs2' } });
  expect((await list('?when=current')).items.map((item) => item.tournament.id)).toEqual([solo.id, duo.id]);
  await api.post(`${duo.path}/registrations/me/accept`, player);
  expect((await list('?when=current')).items.map((item) => item.tournament.id)).toEqual([duo.id, solo.id]);
  expect((await list('?when=past')).items.map((item) => item.tournament.id)).toEqual([gone.id]);
  expect(await list('?limit=1&page=3')).toMatchObject({ total: 3 });
  expect(await list('?page=9')).toMatchObject({ total: 3, items: [] });
  expect((await api.get('/me/registrations')).status).toBe(401);
});

test.each(['cancelled', 'rejected'])('who is %s in a private tournament reads nothing more of it', async (how) => {
  const player = await makeUser();
  const cup = await hostTournament(api);
  await cup.register(player.bearer);
  await db.tournament.update({ where: { id: cup.id }, data: { visibility: 'private' } });
  const list = async () => (await api.get<{ total: number; items: unknown[] }>('/me/registrations', player)).body;
  expect(await list()).toMatchObject({ total: 1, items: [{ tournament: { id: cup.id } }] });
  if (how === 'cancelled') await cup.cancel(player.bearer);
  else await db.participant.updateMany({ where: { userId: player.id }, data: { registrationStatus: 'rejected' } });
  expect((await api.get(cup.path, player)).status).toBe(404);
  expect(await list()).toMatchObject({ total: 0, items: [] });
});

test('of where others named a player who has not agreed, the latest of each are listed, and all once they agreed', async () => {
  const player = await makeUser();
  const [captain, friend] = [await makeUser(), await makeUser()];
  const first = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 });
  await first.register(friend.bearer, teamOf(friend, [player], 'Friends'));
  const cups = await Promise.all(
    Array.from({ length: 27 }, () => hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 })),
  );
  for (const cup of cups) await cup.register(captain.bearer, teamOf(captain, [player], 'Duo'));
  const list = async ({ bearer }: { bearer: string }) => {
    const path = '/me/registrations?limit=100';
    const { body } = await api.get<{ items: MyRegistration[]; total: number }>(path, { bearer });
    return { total: body.total, ids: body.items.map(({ tournament }) => tournament.id) };
  };
  const latestFirst = cups.map(({ id }) => id).reverse();
  expect(await list(player)).toEqual({ total: 25, ids: [...latestFirst.slice(0, 24), first.id] });
  expect((await list(captain)).total).toBe(27);
  await api.post(`${cups[0]?.path}/registrations/me/accept`, player);
  expect(await list(player)).toEqual({ total: 26, ids: [latestFirst[26], ...latestFirst.slice(0, 24), first.id] });
});
