import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { functions } from '@/inngest/index';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { playOut, readMatches } from '@/server/routers/matches/matches.fixture';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, refusalOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();
let background: Background;
beforeAll(async () => {
  background = await startBackground({ functions, logger: quiet });
});
afterAll(() => background.stop());

type Person = { id: string; bearer: string };

/** Two teams that have played the first of their two matches, and what staff and players can do. */
async function startTeams() {
  const cup = await hostTeam(api, { format: 'round_robin', formatOptions: { legs: 2 } });
  const { id, path, projectId, participantId, moderator } = cup;
  const rival = await makeUser();
  await cup.register(rival.bearer, teamOf(rival, [await makeUser()], 'Rivals'));
  const act = async (where: string, bearer: string, body?: object) => {
    const answer = await api.post(where, { bearer, body });
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  await act(`${path}/registrations/me/accept`, cup.mate.bearer);
  await act(`${path}/start`, cup.organizer.bearer);
  const [match] = await readMatches(api, id);
  const feed = `/matches/${match?.id}/events`;
  const events = (player: Person) => ({ events: ['kill', 'death'].map((type) => ({ type, userId: player.id })) });
  const isFirst = match?.slots[0].participantId === participantId;
  return {
    ...cup,
    act,
    post: (player: Person) => api.post(feed, { bearer: moderator.bearer, body: events(player) }),
    lose: () =>
      act(`/matches/${match?.id}/resolve`, moderator.bearer, { games: [{ scores: isFirst ? [0, 1] : [1, 0] }] }),
    substitute: (out: Person, coming: Person) =>
      act(`${path}/participants/${participantId}/substitute`, moderator.bearer, {
        ...{ replacedUserId: out.id, substituteUserId: coming.id, reason: 'Ill' },
      }),
    figures: async ({ id: userId }: Person) => {
      const row = await db.playerStats.findFirst({ where: { projectId, userId } });
      if (!row) return null;
      const { matches, losses, kills, deaths, placements } = row;
      return { matches, losses, kills, deaths, placements };
    },
    namedIn: async () => {
      const { body } = await api.get<{ items: { userId: string | null }[] }>(feed);
      return [...new Set(body.items.map(({ userId }) => userId))];
    },
  };
}

/** Gives an account to the owner of its address, who has it once nothing is left of what it played. */
async function takenOver(player: Person): Promise<Person> {
  await db.$transaction((tx) => takeOver(tx, player.id, '203.0.113.9'));
  const owner = await db.user.findUniqueOrThrow({ where: { id: player.id } });
  return { id: player.id, bearer: `Bearer ${await signAccessToken(owner)}` };
}

const none = { matches: 0, losses: 0, kills: 0, deaths: 0, placements: {} };
const one = { matches: 1, losses: 1, kills: 1, deaths: 1, placements: {} };

test('nothing that was played with an account before it was substituted and then taken over is its owner’s', async () => {
  const { post, lose, substitute, figures, namedIn, mate, outsider, captain } = await startTeams();
  for (const player of [mate, captain]) expect((await post(player)).status).toBe(201);
  await lose();
  await substitute(mate, outsider);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toEqual({ ...one, kills: 2, deaths: 2 });
  await takenOver(mate);
  expect(refusalOf(await post(mate))).toEqual([400, 'VALIDATION_FAILED']);
  await vi.waitFor(async () => expect(await figures(mate)).toEqual(none), { timeout: 20_000 });
  expect(await namedIn()).toEqual([null, captain.id]);
  expect(await figures(captain)).toEqual(one);
  await rebuildStats();
  expect([await figures(mate), await figures(captain)]).toEqual([null, one]);
  // Who comes back plays for the team again.
  await substitute(outsider, mate);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toMatchObject({ matches: 0, kills: 1, deaths: 1 });
  expect(await db.rosterChange.count({ where: { disownedAt: { not: null } } })).toBe(0);
});

test('who is on the roster again keeps what the team has played since, and its rank, until they leave', async () => {
  const { act, post, lose, substitute, figures, id, path, moderator, mate, outsider } = await startTeams();
  expect((await post(mate)).status).toBe(201);
  await lose();
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  await act(`${path}/registrations/me/accept`, mate.bearer);
  await playOut(api, { tournamentId: id, moderator });
  const before = await figures(mate);
  expect(before).toMatchObject({ matches: 2, kills: 1, placements: { [id]: expect.any(Number) } });
  const { bearer } = await takenOver(mate);
  const { placements } = before ?? none;
  await vi.waitFor(
    async () => expect(await figures(mate)).toMatchObject({ matches: 1, kills: 0, deaths: 0, placements }),
    { timeout: 20_000 },
  );
  const kept = await figures(mate);
  await rebuildStats();
  expect(await figures(mate)).toEqual(kept);
  await act(`${path}/registrations/me/leave`, bearer);
  expect(await figures(mate)).toEqual(none);
});
