import { afterEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ManagedParticipant } from '@/server/routers/participants/schema';
import { writeEmailsAbout } from '@/test/email';
import { makeTeam, makeUser } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import {
  type ErrorBody,
  hostTeam,
  hostTournament,
  hoursFromNow,
  lastEvent,
  refusalOf,
  rosterMember,
  rosterOf,
  teamOf,
} from '@/test/tournaments';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

async function setup(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await hostTeam(api, data);
  const path = `${cup.path}/participants/${cup.participantId}/substitute`;
  const substitute = (body: unknown) =>
    api.post<ManagedParticipant & ErrorBody>(path, { bearer: cup.moderator.bearer, body });
  return { cup, substitute };
}

describe('substituting', () => {
  test('replaces a player in the same role, and keeps the history', async () => {
    const { cup, substitute } = await setup({ rosterLockAt: hoursFromNow(-1) });
    const { project, moderator, mate, outsider, participantId: id } = cup;
    const response = await substitute({ substituteUserId: outsider.id, reason: 'Power cut' });
    expect(response.status).toBe(200);
    expect(rosterOf(response.body)).toContainEqual([outsider.id, 'player']);
    expect(response.body.roster.map(({ userId }) => userId)).not.toContain(mate.id);
    const changes = await db.rosterChange.findMany({ where: { participantId: id } });
    expect(changes).toMatchObject([
      { outUserId: mate.id, inUserId: outsider.id, role: 'player', reason: 'Power cut', actorId: moderator.id },
    ]);
    const event = await lastEvent(project.id);
    expect(event.type).toBe('participant.substituted');
    expect(event.payload).toMatchObject({ outUserId: mate.id, inUserId: outsider.id, reason: 'Power cut' });
    const { items } = await api
      .trpc(moderator.bearer)
      .participants.history.query({ tournamentId: cup.id, participantId: id });
    const read = await api.trpc(moderator.bearer).participants.read.query({ tournamentId: cup.id, participantId: id });
    expect(read.rosterChanges).toMatchObject([
      {
        out: { id: mate.id },
        in: { name: outsider.name },
        role: 'player',
        reason: 'Power cut',
        by: { id: moderator.id },
      },
    ]);
    expect(items[0]?.substitution).toEqual({
      out: { id: mate.id, name: mate.name },
      in: { id: outsider.id, name: outsider.name },
    });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { targetId: id, action: 'participant.substitute' } });
    expect(entry.actorId).toBe(moderator.id);
  });

  test('of the captain by a member of the team shows the address of the new one once they accept', async () => {
    const { cup, substitute } = await setup();
    const { captain, organizer, path } = cup;
    const member = await makeUser();
    await makeTeam(captain, [member]);
    const body = { replacedUserId: captain.id, substituteUserId: member.id, reason: 'Ill' };
    const substituted = await substitute(body);
    expect(substituted.status, substituted.text).toBe(200);
    expect(substituted.body).toMatchObject({ userId: member.id, contact: null });
    const read = async () => (await api.get(`${path}/participants`, { bearer: organizer.bearer })).text;
    expect(await read()).not.toContain(member.email);
    expect((await cup.mine(member.bearer)).body).toMatchObject({ isCaptain: true, mustAccept: true });
    expect((await api.post(`${path}/registrations/me/accept`, member)).status).toBe(200);
    expect(await read()).toContain(member.email);
  });

  test('by somebody from the team of a captain who has not accepted asks them, too', async () => {
    const { cup } = await setup();
    const { organizer, path } = cup;
    const [known, accomplice, member] = [await makeUser(), await makeUser(), await makeUser()];
    await makeTeam(known, [member]);
    const csv = `Team,Captain email,Player emails\nBait,${known.email},${accomplice.email}`;
    const imported = await api.post<{ lines: { participantId: string }[] }>(`${path}/participants/import`, {
      bearer: organizer.bearer,
      body: { csv },
    });
    const id = imported.body.lines[0]?.participantId;
    expect(id, imported.text).toBeTruthy();
    const body = { replacedUserId: accomplice.id, substituteUserId: member.id, reason: 'Ill' };
    const { bearer } = organizer;
    const answer = await api.post<ManagedParticipant>(`${path}/participants/${id}/substitute`, { bearer, body });
    const events = await db.domainEvent.findMany({ where: { aggregateId: id, type: 'participant.substituted' } });
    await writeEmailsAbout(events.map((event) => event.id));
    const emails = await db.outgoingMail.findMany({ where: { recipient: member.email }, select: { kind: true } });
    expect(emails).toEqual([{ kind: 'roster_notice' }]);
    expect(answer.body.notAccepted, answer.text).toEqual([known.id, member.id]);
  });

  test('of the captain transfers the registration', async () => {
    const { cup, substitute } = await setup();
    const { captain, mate, participantId, edit, path } = cup;
    await api.post(`${path}/registrations/me/accept`, mate);
    const body = { substituteUserId: mate.id, replacedUserId: captain.id, reason: 'Ill' };
    const { body: substituted } = await substitute(body);
    expect(substituted).toMatchObject({ userId: mate.id, contact: { email: mate.email } });
    expect(rosterOf(substituted)).toEqual([
      [mate.id, 'captain'],
      [cup.bench.id, 'substitute'],
    ]);
    expect((await edit(mate.bearer, { teamName: 'Day Owls' })).status).toBe(200);
    expect(refusalOf(await edit(captain.bearer, { teamName: 'Mine' }))).toEqual([404, 'NOT_REGISTERED']);
    const again = await makeUser();
    const team = await makeTeam(mate, [again]);
    await db.participant.update({ where: { id: participantId }, data: { teamId: team.id } });
    await db.participant.create({
      data: {
        ...{ id: 'prt_cancelled', tournamentId: cup.id, userId: again.id, name: 'Earlier', type: 'team' },
        registrationStatus: 'cancelled',
        status: 'withdrew',
      },
    });
    const taken = await substitute({ substituteUserId: again.id, replacedUserId: mate.id, reason: 'Ill' });
    expect(refusalOf(taken)).toEqual([409, 'ALREADY_REGISTERED']);
    await db.participant.delete({ where: { id: 'prt_cancelled' } });
    const joined = await substitute({ substituteUserId: again.id, replacedUserId: mate.id, reason: 'Ill' });
    expect(joined.body).toMatchObject({ userId: again.id, notAccepted: [again.id, cup.bench.id] });
  });

  test('of the captain by a player of the roster who cancelled a registration of their own is refused until it is removed', async () => {
    const { cup, substitute } = await setup();
    const { captain, mate, outsider, owner, path, edit, register, cancel } = cup;
    const own = await register(outsider.bearer, teamOf(outsider, [await makeUser()], 'Foxes'));
    expect((await cancel(outsider.bearer)).status).toBe(200);
    await edit(captain.bearer, { teamMembers: teamOf(captain, [mate, outsider]).teamMembers });
    expect((await api.post(`${path}/registrations/me/accept`, outsider)).status).toBe(200);
    const body = { substituteUserId: outsider.id, replacedUserId: captain.id, reason: 'Ill' };
    expect(refusalOf(await substitute(body))).toEqual([409, 'ALREADY_REGISTERED']);
    await api.delete(`${path}/participants/${own.body.id}`, { bearer: owner.bearer });
    expect((await substitute(body)).body).toMatchObject({ userId: outsider.id });
  });

  test('of the captain by a stranger, or by a player who has not accepted, is refused and reveals no address', async () => {
    const { cup, substitute } = await setup();
    const { captain, bench, outsider, owner, participantId } = cup;
    for (const { id, email } of [outsider, bench]) {
      const refused = await substitute({ substituteUserId: id, replacedUserId: captain.id, reason: 'Ill' });
      expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, 'substituteUserId']);
      expect(refused.text).not.toContain(email);
    }
    const asPlayer = await substitute({ substituteUserId: outsider.id, replacedUserId: cup.mate.id, reason: 'Ill' });
    expect(asPlayer.body.notAccepted).toContain(outsider.id);
    const asCaptain = await substitute({ substituteUserId: outsider.id, replacedUserId: captain.id, reason: 'Ill' });
    expect(asCaptain.status).toBe(400);
    const read = await api.get(`${cup.path}/participants`, { bearer: owner.bearer });
    expect(read.text).toContain(captain.email);
    expect(read.text).not.toContain(outsider.email);
    expect((await db.participant.findUniqueOrThrow({ where: { id: participantId } })).userId).toBe(captain.id);
  });

  test('needs the player to replace, a free substitute, a reason, and an approved team', async () => {
    const { cup, substitute } = await setup();
    const { captain, mate, bench, outsider, team, edit } = cup;
    const out = { substituteUserId: outsider.id, reason: 'Ill' };
    expect(refusalOf(await substitute({ ...out, reason: ' ' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusalOf(await substitute({ ...out, replacedUserId: outsider.id }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusalOf(await substitute({ ...out, substituteUserId: 'usr_ghost' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusalOf(await substitute({ ...out, substituteUserId: bench.id }))).toEqual([409, 'ALREADY_ON_ROSTER']);
    const players = team.teamMembers.map((member) =>
      member.role === 'captain' ? member : rosterMember('player', { id: member.userId }),
    );
    await edit(captain.bearer, { teamMembers: players });
    const unclear = await substitute(out);
    expect([unclear.status, unclear.body.error.issues?.[0]?.path]).toEqual([400, 'replacedUserId']);
    await db.user.update({ where: { id: outsider.id }, data: { suspendedAt: new Date() } });
    expect(refusalOf(await substitute({ ...out, replacedUserId: mate.id }))).toEqual([400, 'VALIDATION_FAILED']);
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { registrationStatus: 'pending' } });
    expect(refusalOf(await substitute(out))).toEqual([409, 'NOT_APPROVED']);
  });

  test('is limited for each participant, and what is refused changes nothing', async () => {
    env.SUBSTITUTIONS_PER_PARTICIPANT = 2;
    const { cup, substitute } = await setup();
    const { mate, outsider, owner, register, participantId } = cup;
    const swap = (out: { id: string }, substituteIn: { id: string }) =>
      substitute({ replacedUserId: out.id, substituteUserId: substituteIn.id, reason: 'Ill' });
    const statuses = [(await swap(mate, outsider)).status, (await swap(outsider, mate)).status];
    expect(statuses).toEqual([200, 200]);
    const before = await db.participant.findUniqueOrThrow({ where: { id: participantId }, select: { version: true } });
    expect(refusalOf(await swap(mate, outsider))).toEqual([409, 'QUOTA_EXCEEDED']);
    const roster = await db.rosterMember.findMany({ where: { participantId }, select: { userId: true } });
    expect(roster).toContainEqual({ userId: mate.id });
    expect(await db.rosterChange.count({ where: { participantId } })).toBe(2);
    expect(await db.participant.findUnique({ where: { id: participantId }, select: { version: true } })).toEqual(
      before,
    );

    const [second, third] = [await makeUser(), await makeUser()];
    const other = await register(second.bearer, teamOf(second, [third], 'Foxes'));
    const body = { replacedUserId: third.id, substituteUserId: outsider.id, reason: 'Ill' };
    const path = `${cup.path}/participants/${other.body.id}/substitute`;
    expect((await api.post(path, { bearer: owner.bearer, body })).status).toBe(200);
  });

  test('is limited when several ask at once, too', async () => {
    env.SUBSTITUTIONS_PER_PARTICIPANT = 1;
    const { cup, substitute } = await setup();
    const { mate, bench, outsider } = cup;
    const second = await makeUser();
    const answers = await Promise.all([
      substitute({ replacedUserId: mate.id, substituteUserId: outsider.id, reason: 'Ill' }),
      substitute({ replacedUserId: bench.id, substituteUserId: second.id, reason: 'Ill' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('is refused while a match of the team is in progress or disputed, and possible again afterwards', async () => {
    const { cup, substitute } = await setup();
    const { captain, mate, bench, outsider, moderator, organizer, register } = cup;
    const [second, third] = await Promise.all([makeUser(), makeUser()]);
    await register(second.bearer, teamOf(second, [third], 'Foxes'));
    const started = await api.post(`${cup.path}/start`, { bearer: organizer.bearer });
    expect(started.status, started.text).toBe(200);
    const { id: matchId } = await db.match.findFirstOrThrow({ where: { tournamentId: cup.id } });
    const body = { substituteUserId: outsider.id, replacedUserId: mate.id, reason: 'Ill' };
    const early = await api.post(`/matches/${matchId}/report`, {
      bearer: second.bearer,
      body: { games: [{ scores: [0, 1] }] },
    });
    expect(early.status, early.text).toBe(200);
    const back = { substituteUserId: mate.id, replacedUserId: outsider.id, reason: 'Well again' };
    expect((await substitute(body)).status, 'a report alone locks no roster').toBe(200);
    expect((await substitute(back)).status).toBe(200);
    await api.post(`/matches/${matchId}/start`, { bearer: moderator.bearer });
    expect(refusalOf(await substitute(body))).toEqual([409, 'ROSTER_LOCKED']);
    await api.post(`/matches/${matchId}/report`, { bearer: captain.bearer, body: { games: [{ scores: [1, 0] }] } });
    await api.post(`/matches/${matchId}/report`, { bearer: second.bearer, body: { games: [{ scores: [0, 1] }] } });
    expect((await db.match.findUniqueOrThrow({ where: { id: matchId } })).status).toBe('disputed');
    expect(refusalOf(await substitute(body))).toEqual([409, 'ROSTER_LOCKED']);
    const roster = await db.rosterMember.findMany({ where: { participantId: cup.participantId } });
    expect(roster.map(({ userId }) => userId).sort()).toEqual([captain.id, mate.id, bench.id].sort());
    // The match is taken back to before it began, which is when a player can be replaced again.
    await db.match.update({ where: { id: matchId }, data: { status: 'ready' } });
    expect((await substitute(body)).status).toBe(200);
  });

  test('takes a player from a team whose captain named them, with what it played, but not once they accepted', async () => {
    const { cup, substitute } = await setup();
    const { id, path, project, moderator, organizer, mate, bench, participantId, register } = cup;
    const [stranger, named, agreed] = [await makeUser(), await makeUser(), await makeUser()];
    const squatters = await register(stranger.bearer, teamOf(stranger, [named, agreed], 'Squatters'));
    expect((await api.post(`${path}/registrations/me/accept`, agreed)).status).toBe(200);
    const swap = (out: { id: string }, inn: { id: string }) =>
      substitute({ replacedUserId: out.id, substituteUserId: inn.id, reason: 'Ill' });
    for (const stays of [agreed, stranger]) {
      expect(refusalOf(await swap(mate, stays))).toEqual([409, 'ALREADY_ON_ROSTER']);
    }
    const [third, fourth] = [await makeUser(), await makeUser()];
    expect((await register(third.bearer, teamOf(third, [fourth], 'Foxes'))).status).toBe(201);
    expect((await api.post(`${path}/start`, organizer)).status).toBe(200);
    const theirs = { OR: [{ participantAId: squatters.body.id }, { participantBId: squatters.body.id }] };
    const { id: matchId } = await db.match.findFirstOrThrow({
      where: { tournamentId: id, ...theirs },
      orderBy: { number: 'asc' },
    });
    const resolved = await api.post(`/matches/${matchId}/resolve`, {
      ...moderator,
      body: { winnerId: squatters.body.id },
    });
    expect(resolved.status, resolved.text).toBe(200);
    const matchesOf = async (userId: string) =>
      (await db.playerStats.findFirst({ where: { projectId: project.id, userId } }))?.matches;
    expect(await matchesOf(named.id)).toBe(1);

    const substituted = await swap(mate, named);
    expect(substituted.status, substituted.text).toBe(200);
    expect(substituted.body).toMatchObject({
      id: participantId,
      notAccepted: expect.arrayContaining([named.id, bench.id]),
    });
    const left = await db.rosterMember.findMany({
      where: { participantId: squatters.body.id },
      orderBy: { id: 'asc' },
    });
    expect(left.map(({ userId }) => userId)).toEqual([stranger.id, agreed.id]);
    expect([await matchesOf(named.id), await matchesOf(stranger.id)]).toEqual([0, 1]);
    const event = await db.domainEvent.findFirstOrThrow({
      where: { aggregateId: squatters.body.id, type: 'participant.updated' },
      orderBy: { sequence: 'desc' },
    });
    expect(event).toMatchObject({ payload: { changes: ['roster'] }, metadata: { actor: { id: moderator.id } } });
  });

  test('takes whom a captain named also when that captain has gone', async () => {
    const { cup, substitute } = await setup({ rosterMax: 4 });
    const { path, organizer, moderator, mate, register } = cup;
    const [leaving, successor, replaced] = [await makeUser(), await makeUser(), await makeUser()];
    const [first, second] = [await makeUser(), await makeUser()];
    const left = await register(leaving.bearer, teamOf(leaving, [first], 'Owls'));
    const passedOn = await register(replaced.bearer, teamOf(replaced, [second], 'Foxes'));
    expect([left.status, passedOn.status]).toEqual([201, 201]);
    await makeTeam(replaced, [successor]);
    expect((await api.post(`${path}/start`, { bearer: organizer.bearer })).status).toBe(200);
    await db.participant.update({ where: { id: left.body.id }, data: { acceptedAt: null } });
    expect((await api.post(`${path}/registrations/me/leave`, leaving)).status).toBe(200);
    const passing = { replacedUserId: replaced.id, substituteUserId: successor.id, reason: 'Ill' };
    const passed = await api.post(`${path}/participants/${passedOn.body.id}/substitute`, {
      ...moderator,
      body: passing,
    });
    expect(passed.status, passed.text).toBe(200);
    let out = mate;
    for (const player of [first, second]) {
      const taken = await substitute({ replacedUserId: out.id, substituteUserId: player.id, reason: 'Needed' });
      expect(taken.status, taken.text).toBe(200);
      expect(rosterOf(taken.body)).toContainEqual([player.id, 'player']);
      out = player;
    }
    // Whom staff named stays.
    const body = { replacedUserId: second.id, substituteUserId: mate.id, reason: 'Back' };
    expect((await substitute(body)).status).toBe(200);
    const again = { replacedUserId: successor.id, substituteUserId: mate.id, reason: 'Needed' };
    const refused = await api.post(`${path}/participants/${passedOn.body.id}/substitute`, {
      ...moderator,
      body: again,
    });
    expect(refusalOf(refused)).toEqual([409, 'ALREADY_ON_ROSTER']);
  });

  test('is refused for individuals', async () => {
    const cup = await hostTournament(api);
    const [player, other] = await Promise.all([makeUser(), makeUser()]);
    const { body } = await cup.register(player.bearer);
    const response = await api.post(`${cup.path}/participants/${body.id}/substitute`, {
      bearer: cup.owner.bearer,
      body: { substituteUserId: other.id, reason: 'Ill' },
    });
    expect(refusalOf(response)).toEqual([409, 'NOT_A_TEAM']);
  });

  test('puts a player on one roster only when two teams ask at once', async () => {
    const { cup, substitute } = await setup();
    const { outsider, owner, register } = cup;
    const [second, third] = await Promise.all([makeUser(), makeUser()]);
    const other = await register(second.bearer, teamOf(second, [third], 'Foxes'));
    const body = { substituteUserId: outsider.id, reason: 'Ill' };
    const path = `${cup.path}/participants/${other.body.id}/substitute`;
    const responses = await Promise.all([substitute(body), api.post(path, { bearer: owner.bearer, body })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await db.rosterMember.count({ where: { tournamentId: cup.id, userId: outsider.id } })).toBe(1);
  });
});

test('whoever was substituted while their report or proposal waited writes nothing', async () => {
  for (const [action, body] of [
    ['report', { games: [{ scores: [16, 3] }] }],
    ['reschedule', { scheduledAt: hoursFromNow(72).toISOString() }],
  ] as const) {
    const { cup, substitute } = await setup();
    const { captain, mate, organizer, path } = cup;
    await api.post(`${path}/registrations/me/accept`, mate);
    const [rival, player] = [await makeUser(), await makeUser()];
    expect((await cup.register(rival.bearer, teamOf(rival, [player], 'Day Owls'))).status).toBe(201);
    expect((await api.post(`${path}/start`, { bearer: organizer.bearer })).status).toBe(200);
    const { id: matchId, version } = await db.match.findFirstOrThrow({ where: { tournamentId: cup.id } });
    const release = await holdLock('SELECT FROM "tournament" WHERE "id" = $1 FOR UPDATE', [cup.id]);
    const substituted = substitute({ replacedUserId: captain.id, substituteUserId: mate.id, reason: 'Ill' });
    await someoneWaits();
    const late = api.post(`/matches/${matchId}/${action}`, { bearer: captain.bearer, body });
    await until(async () => (await waiting()) > 1);
    await release();
    expect((await substituted).status).toBe(200);
    expect(refusalOf(await late), action).toEqual([403, 'NOT_IN_MATCH']);
    expect(await db.match.findUniqueOrThrow({ where: { id: matchId } })).toMatchObject({ version, report: null });
    expect(await db.matchMessage.count({ where: { matchId } })).toBe(0);
    // The one who plays now does the same.
    expect((await api.post(`/matches/${matchId}/${action}`, { bearer: mate.bearer, body })).status).toBe(200);
  }
});
