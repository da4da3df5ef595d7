import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { appendEvents } from '@/server/routers/matches/feed/data-post';
import { readMatches } from '@/server/routers/matches/matches.fixture';
import { makeUser } from '@/test/factories';
import { someoneWaits } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, refusalOf, teamOf } from '@/test/tournaments';
import { rebuildStats } from './data-rebuild';

const api = setupTestServer();

type Id = { id: string };

const counted = ['kill', 'kill', 'death', 'assist'] as const;
const perPost = { kills: 2, deaths: 1, assists: 1 };
const none = { kills: 0, deaths: 0, assists: 0 };

/** What the feeds of a project have counted for a player, which a rebuild must not change. */
async function figuresOf(projectId: string, { id: userId }: Id) {
  const read = async () => {
    const row = await db.playerStats.findFirst({ where: { projectId, userId } });
    return row ? { kills: row.kills, deaths: row.deaths, assists: row.assists } : none;
  };
  const kept = await read();
  await rebuildStats();
  expect(await read()).toEqual(kept);
  return kept;
}

/** Two teams who play each other twice. */
async function startTeams() {
  const cup = await hostTeam(api, { format: 'round_robin', formatOptions: { legs: 2 } });
  const [captain, mate] = [await makeUser(), await makeUser()];
  await cup.register(captain.bearer, teamOf(captain, [mate], 'Rivals'));
  expect((await api.post(`${cup.path}/start`, cup.organizer)).status).toBe(200);
  const [match] = await readMatches(api, cup.id);
  const matchId = match?.id ?? '';
  const events = (player: Id) => counted.map((type) => ({ type, userId: player.id }));
  const post = (player: Id) =>
    api.post(`/matches/${matchId}/events`, { ...cup.moderator, body: { events: events(player) } });
  const substitute = async (replaced: Id, coming: Id) => {
    const body = { replacedUserId: replaced.id, substituteUserId: coming.id, reason: 'Ill' };
    const answer = await api.post(`${cup.path}/participants/${cup.participantId}/substitute`, {
      ...cup.moderator,
      body,
    });
    expect(answer.status, answer.text).toBe(200);
  };
  const act = async (action: 'accept' | 'leave', { bearer }: { bearer: string }) => {
    const answer = await api.post(`${cup.path}/registrations/me/${action}`, { bearer });
    expect(answer.status, answer.text).toBe(200);
  };
  return { ...cup, matchId, events, post, substitute, act, figures: (player: Id) => figuresOf(cup.projectId, player) };
}

/** Whose events the public feed of a match has. */
async function namedIn(matchId: string): Promise<(string | null)[]> {
  const { body } = await api.get<{ items: { userId: string | null }[] }>(`/matches/${matchId}/events`);
  return [...new Set(body.items.map(({ userId }) => userId))];
}

test('a feed counts nothing for a player who leaves a roster without having accepted, and names them no longer', async () => {
  const { matchId, post, act, figures, mate, bench } = await startTeams();
  for (const player of [mate, bench]) expect((await post(player)).status).toBe(201);
  expect([await figures(mate), await figures(bench)]).toEqual([perPost, perPost]);
  await act('leave', mate);
  expect([await figures(mate), await figures(bench)]).toEqual([none, perPost]);
  expect(await namedIn(matchId)).toEqual([null, bench.id]);
  expect(refusalOf(await post(mate))).toEqual([400, 'VALIDATION_FAILED']);
});

test('a feed counts nothing for who is substituted without having accepted, also after they are back', async () => {
  const { matchId, post, substitute, figures, mate, outsider } = await startTeams();
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  expect([await figures(mate), await namedIn(matchId)]).toEqual([none, [null]]);
  expect(refusalOf(await post(mate))).toEqual([400, 'VALIDATION_FAILED']);
  await substitute(outsider, mate);
  expect(await figures(mate)).toEqual(none);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toEqual(perPost);
});

test('who was substituted after having accepted keeps what they did until then, whatever they leave later', async () => {
  const { post, substitute, act, figures, mate, outsider } = await startTeams();
  await act('accept', mate);
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toEqual({ kills: 4, deaths: 2, assists: 2 });
  await act('leave', mate);
  expect(await figures(mate)).toEqual(perPost);
});

test('a feed counts nothing for the owner of an account who leaves what somebody else registered with it', async () => {
  const cup = await hostTournament(api);
  const [taken, other] = [await makeUser(), await makeUser()];
  const { body } = await cup.register(taken.bearer);
  await cup.register(other.bearer);
  expect((await api.post(`${cup.path}/start`, cup.organizer)).status).toBe(200);
  const [match] = await readMatches(api, cup.id);
  const events = counted.map((type) => ({ type, participantId: body.id }));
  const post = () => api.post(`/matches/${match?.id}/events`, { ...cup.organizer, body: { events } });
  expect((await post()).status).toBe(201);
  expect(await figuresOf(cup.projectId, taken)).toEqual(perPost);
  await db.$transaction((tx) => takeOver(tx, taken.id));
  const owner = await db.user.findUniqueOrThrow({ where: { id: taken.id } });
  const bearer = `Bearer ${await signAccessToken(owner)}`;
  expect((await api.post(`${cup.path}/registrations/me/leave`, { bearer })).status).toBe(200);
  expect(await figuresOf(cup.projectId, taken)).toEqual(none);
  expect(await namedIn(match?.id ?? '')).toEqual([null]);
  expect((await post()).status).toBe(201);
  expect(await figuresOf(cup.projectId, taken)).toEqual(none);
});

test('a feed counts nothing for a player who leaves a roster by claiming a guest or by joining another team', async () => {
  const { post, figures, mate, bench, organizer, moderator, ...cup } = await startTeams();
  for (const player of [mate, bench]) expect((await post(player)).status).toBe(201);
  const guest = await db.participant.create({
    data: { id: newId('prt'), tournamentId: cup.id, type: 'team', name: 'Guests', registrationStatus: 'approved' },
  });
  const link = await api.post<{ token: string }>(`${cup.path}/participants/${guest.id}/claim-link`, organizer);
  const claimed = await api.post('/claims/accept', { ...bench, body: { token: link.body.token } });
  expect(claimed.status, claimed.text).toBe(200);
  expect(await figures(bench)).toEqual(none);
  const rivals = await db.participant.findFirstOrThrow({
    where: { tournamentId: cup.id, name: 'Rivals' },
    include: { roster: { where: { role: 'player' } } },
  });
  const body = { replacedUserId: rivals.roster[0]?.userId, substituteUserId: mate.id, reason: 'Ill' };
  const answer = await api.post(`${cup.path}/participants/${rivals.id}/substitute`, { ...moderator, body });
  expect(answer.status, answer.text).toBe(200);
  expect(await figures(mate)).toEqual(none);
});

test('leaving waits for events that are being added', async () => {
  const { matchId, events, figures, act, mate } = await startTeams();
  let left: Promise<void> | undefined;
  await db.$transaction(async (tx) => {
    await appendEvents(tx, matchId, events(mate), { single: false, bytes: 0 });
    left = act('leave', mate);
    await someoneWaits();
  });
  await left;
  expect(await figures(mate)).toEqual(none);
});
