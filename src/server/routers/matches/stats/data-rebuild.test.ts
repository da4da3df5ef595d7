import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, teamOf } from '@/test/tournaments';
import { rebuildStats } from './data-rebuild';

const api = setupTestServer();

/** Every row of statistics that says anything. */
async function readStats(projectId: string) {
  const rows = await db.playerStats.findMany({ where: { projectId }, orderBy: { userId: 'asc' } });
  return rows
    .map(({ updatedAt: _, ...row }) => row)
    .filter(({ matches, kills, deaths, assists, placements }) => {
      return matches + kills + deaths + assists > 0 || Object.keys(placements as object).length > 0;
    });
}

async function expectSameAfterRebuild(projectId: string) {
  const kept = await readStats(projectId);
  await rebuildStats();
  expect(await readStats(projectId)).toEqual(kept);
  return kept;
}

test('a rebuild gives the figures that play has kept, through results, feeds, corrections and reopened matches', async () => {
  const cup = await startCup(api, 6);
  const bearer = cup.moderator.bearer;
  const [first] = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const [a, b] = first?.slots ?? [];
  const events = [
    { type: 'kill', participantId: a?.participantId },
    { type: 'death', participantId: b?.participantId },
    { type: 'kill', participantId: b?.participantId },
    { type: 'assist', participantId: a?.participantId },
    { type: 'round_ended', participantId: a?.participantId },
  ];
  expect((await api.post(`/matches/${first?.id}/events`, { bearer, body: { events } })).status).toBe(201);
  await playOut(api, cup);
  const complete = await expectSameAfterRebuild(cup.project.id);
  expect(complete).toHaveLength(6);

  const corrected = await api.post(`/matches/${first?.id}/correct`, { bearer, body: { winnerId: b?.participantId } });
  expect(corrected.status, corrected.text).toBe(200);
  await expectSameAfterRebuild(cup.project.id);
  const reopened = await api.post(`/matches/${first?.id}/reopen`, { bearer });
  expect(reopened.status, reopened.text).toBe(200);
  const open = await expectSameAfterRebuild(cup.project.id);
  expect(open).not.toEqual(complete);
  expect(open.every(({ placements }) => Object.keys(placements as object).length === 0)).toBe(true);
  await playOut(api, cup);
  expect(await expectSameAfterRebuild(cup.project.id)).toHaveLength(6);
});

test('a substituted player keeps what they played, and the new one starts with the next match', async () => {
  const cup = await startCup(api, 4, { teamSize: 1 });
  const [out, coming] = [await makeUser(), await makeUser()];
  const [best] = cup.participantIds;
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: best } });
  const common = { participantId: best ?? '', tournamentId: cup.tournamentId };
  await db.participant.update({ where: { id: best }, data: { type: 'team' } });
  await db.rosterMember.createMany({
    data: [
      { ...common, userId: userId ?? '', role: 'captain' },
      { ...common, userId: out.id, role: 'player' },
    ],
  });
  const match = (await readMatches(api, cup.tournamentId)).find(({ slots }) => slots[0].participantId === best);
  const resolved = await api.post(`/matches/${match?.id}/resolve`, {
    bearer: cup.moderator.bearer,
    body: { winnerId: best },
  });
  expect(resolved.status, resolved.text).toBe(200);
  await db.rosterMember.delete({ where: { participantId_userId: { participantId: best ?? '', userId: out.id } } });
  await db.rosterMember.create({ data: { ...common, userId: coming.id, role: 'player' } });
  const change = { ...common, outUserId: out.id, inUserId: coming.id, role: 'player' as const };
  await db.rosterChange.create({ data: { id: newId('rch'), ...change, reason: 'Ill', actorId: cup.moderator.id } });
  await playOut(api, cup);

  const kept = await expectSameAfterRebuild(cup.project.id);
  const of = (id: string | null) => kept.find((row) => row.userId === id);
  expect(of(userId)).toMatchObject({ matches: 2, wins: 2, placements: { [cup.tournamentId]: 1 } });
  expect(of(out.id)).toMatchObject({ matches: 1, wins: 1, placements: {} });
  expect(of(coming.id)).toMatchObject({ matches: 1, wins: 1, placements: { [cup.tournamentId]: 1 } });

  // A correction of the first match concerns the roster that played it.
  await api.post(`/matches/${match?.id}/reopen`, { bearer: cup.moderator.bearer });
  const open = await expectSameAfterRebuild(cup.project.id);
  expect(open.find((row) => row.userId === out.id)).toBeUndefined();
});

/** Two teams whose match the second has won, and which goes on because it is played twice. */
async function playTeams() {
  const cup = await hostTeam(api, { format: 'round_robin', formatOptions: { legs: 2 } });
  const [captain, mate] = [await makeUser(), await makeUser()];
  const rivals = await cup.register(captain.bearer, teamOf(captain, [mate], 'Rivals'));
  expect((await api.post(`${cup.path}/start`, { bearer: cup.organizer.bearer })).status).toBe(200);
  const [match] = await readMatches(api, cup.id);
  const decide = async (action: 'resolve' | 'correct', winnerId: string) => {
    const answer = await api.post(`/matches/${match?.id}/${action}`, {
      bearer: cup.moderator.bearer,
      body: { winnerId },
    });
    expect(answer.status, answer.text).toBe(200);
  };
  await decide('resolve', rivals.body.id);
  return { cup, decide };
}

test('a player of the roster who becomes captain keeps what they played before', async () => {
  const { cup, decide } = await playTeams();
  expect((await api.post(`${cup.path}/registrations/me/accept`, cup.mate)).status).toBe(200);
  const body = { substituteUserId: cup.mate.id, replacedUserId: cup.captain.id, reason: 'Ill' };
  const substituted = await api.post(`${cup.path}/participants/${cup.participantId}/substitute`, {
    bearer: cup.moderator.bearer,
    body,
  });
  expect(substituted.status, substituted.text).toBe(200);
  const before = await expectSameAfterRebuild(cup.project.id);
  expect(before.find(({ userId }) => userId === cup.mate.id)).toMatchObject({ matches: 1, wins: 0, losses: 1 });
  await decide('correct', cup.participantId);
  const after = await expectSameAfterRebuild(cup.project.id);
  expect(after.find(({ userId }) => userId === cup.mate.id)).toMatchObject({ matches: 1, wins: 1, losses: 0 });
});

test('who was named on a roster and leaves it without having accepted has played nothing', async () => {
  const { cup } = await playTeams();
  expect((await readStats(cup.project.id)).map(({ userId }) => userId)).toContain(cup.mate.id);
  expect((await api.post(`${cup.path}/registrations/me/leave`, cup.mate)).status).toBe(200);
  const guest = await db.participant.create({
    data: { id: newId('prt'), tournamentId: cup.id, type: 'team', name: 'Guests', registrationStatus: 'approved' },
  });
  const claimed = await api.post<{ token: string }>(`${cup.path}/participants/${guest.id}/claim-link`, {
    bearer: cup.organizer.bearer,
  });
  expect((await api.post('/claims/accept', { ...cup.bench, body: { token: claimed.body.token } })).status).toBe(200);
  const kept = await expectSameAfterRebuild(cup.project.id);
  expect(kept.map(({ userId }) => userId)).not.toContain(cup.mate.id);
  expect(kept.map(({ userId }) => userId)).not.toContain(cup.bench.id);
});

test('who is substituted without having accepted has played nothing, also after corrections', async () => {
  const { cup, decide } = await playTeams();
  const { path, participantId, moderator, mate, outsider, project } = cup;
  const figuresOf = async ({ id }: { id: string }) => {
    const row = (await expectSameAfterRebuild(project.id)).find(({ userId }) => userId === id);
    return row && [row.matches, row.wins, row.losses];
  };
  expect(await figuresOf(mate)).toEqual([1, 0, 1]);
  const substitute = async (replaced: { id: string }, coming: { id: string }) => {
    const body = { replacedUserId: replaced.id, substituteUserId: coming.id, reason: 'Ill' };
    const answer = await api.post(`${path}/participants/${participantId}/substitute`, { ...moderator, body });
    expect(answer.status, answer.text).toBe(200);
  };
  await substitute(mate, outsider);
  expect([await figuresOf(mate), await figuresOf(outsider)]).toEqual([undefined, undefined]);
  const [first, second] = await readMatches(api, cup.id);
  const post = async (matchId: string | undefined, action: string, sent?: object) => {
    const answer = await api.post(`/matches/${matchId}/${action}`, { bearer: moderator.bearer, body: sent });
    expect(answer.status, answer.text).toBe(200);
  };
  await post(second?.id, 'resolve', { winnerId: participantId });
  expect([await figuresOf(mate), await figuresOf(outsider)]).toEqual([undefined, [1, 1, 0]]);
  await decide('correct', participantId);
  expect(await figuresOf(mate)).toBeUndefined();
  await post(first?.id, 'correct/undo');
  expect(await figuresOf(mate)).toBeUndefined();
  await post(first?.id, 'reopen');
  expect([await figuresOf(mate), await figuresOf(outsider)]).toEqual([undefined, [1, 1, 0]]);
  // Back on the roster, they still have not played before.
  await substitute(outsider, mate);
  expect([await figuresOf(mate), await figuresOf(outsider)]).toEqual([undefined, undefined]);
});

test('who was substituted keeps what they played before, although they come back and leave without having accepted', async () => {
  const { cup } = await playTeams();
  const substitute = async (replaced: { id: string }, coming: { id: string }) => {
    const body = { replacedUserId: replaced.id, substituteUserId: coming.id, reason: 'Ill' };
    const path = `${cup.path}/participants/${cup.participantId}/substitute`;
    const answer = await api.post(path, { bearer: cup.moderator.bearer, body });
    expect(answer.status, answer.text).toBe(200);
  };
  expect((await api.post(`${cup.path}/registrations/me/accept`, cup.mate)).status).toBe(200);
  await substitute(cup.mate, cup.outsider);
  await substitute(cup.outsider, cup.mate);
  expect((await api.post(`${cup.path}/registrations/me/leave`, cup.mate)).status).toBe(200);
  const kept = await expectSameAfterRebuild(cup.project.id);
  expect(kept.find(({ userId }) => userId === cup.mate.id)).toMatchObject({ matches: 1, losses: 1 });
});

test('who takes over a team for which they have played counts its matches once', async () => {
  const { cup, decide } = await playTeams();
  const { path, participantId, organizer, captain, mate, outsider } = cup;
  expect((await api.post(`${path}/registrations/me/accept`, mate)).status).toBe(200);
  const body = { replacedUserId: mate.id, substituteUserId: outsider.id, reason: 'Ill' };
  const substituted = await api.post(`${path}/participants/${participantId}/substitute`, { ...organizer, body });
  expect(substituted.status, substituted.text).toBe(200);
  await db.participant.update({ where: { id: participantId }, data: { acceptedAt: null } });
  expect((await api.post(`${path}/registrations/me/leave`, captain)).status).toBe(200);
  const link = await api.post<{ token: string }>(`${path}/participants/${participantId}/claim-link`, organizer);
  const claimed = await api.post('/claims/accept', { ...mate, body: { token: link.body.token } });
  expect(claimed.status, claimed.text).toBe(200);
  const figures = async () => (await expectSameAfterRebuild(cup.project.id)).find(({ userId }) => userId === mate.id);
  expect(await figures()).toMatchObject({ matches: 1, wins: 0, losses: 1 });
  await decide('correct', participantId);
  expect(await figures()).toMatchObject({ matches: 1, wins: 1, losses: 0 });
});
