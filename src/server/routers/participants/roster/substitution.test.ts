import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ManagedParticipant, Registration } from '@/server/routers/participants/schema';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type Refusal = { message: string; error: { issues?: { path: string; message: string }[] } };

const api = setupTestServer();

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const refusal = (answer: { status: number; reason: string | undefined }) => [answer.status, answer.reason];
const as = (role: 'captain' | 'player' | 'substitute') => (user: { id: string }) => ({ userId: user.id, role });

/** A tournament for teams with one team of three in it. */
async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const moderator = await makeMember(project.id, 'MODERATOR');
  const cup = await makeTournament(project.id, { teamSize: 2, rosterMin: 2, rosterMax: 3, ...data });
  const [captain, mate, bench, outsider] = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser()]);
  const path = `/tournaments/${cup.id}`;
  const team = {
    teamName: 'Night Owls',
    teamMembers: [as('captain')(captain), as('player')(mate), as('substitute')(bench)],
  };
  const enter = (bearer: string, body: unknown) =>
    api.post<Registration>(`${path}/participants/register`, { bearer, body });
  const entered = await enter(captain.bearer, team);
  expect(entered.status).toBe(201);
  const entrant = `${path}/participants/${entered.body.id}`;
  return {
    ...{ project, owner, moderator, cup, captain, mate, bench, outsider, team, enter, id: entered.body.id },
    edit: (bearer: string, body: unknown, headers?: Record<string, string>) =>
      api.patch<Registration & Refusal>(`${path}/registrations/me`, { bearer, body, headers }),
    substitute: (body: unknown, bearer = moderator.bearer) =>
      api.post<ManagedParticipant & Refusal>(`${entrant}/substitute`, { bearer, body }),
  };
}

const rosterOf = (body: { roster: { userId: string; role: string }[] }) =>
  body.roster.map(({ userId, role }) => [userId, role]);

async function lastEvent(projectId: string) {
  return db.domainEvent.findFirstOrThrow({ where: { projectId }, orderBy: { sequence: 'desc' } });
}

describe('editing a registration', () => {
  test('changes what is sent and nothing else, and tells of it', async () => {
    const { project, captain, mate, outsider, edit } = await make();
    const teamMembers = [as('captain')(captain), as('substitute')(mate), as('player')(outsider)];
    const answer = await edit(captain.bearer, { teamName: 'Day Owls', teamMembers });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name: 'Day Owls', version: 2, registrationStatus: 'approved' });
    expect(rosterOf(answer.body)).toEqual([
      [captain.id, 'captain'],
      [outsider.id, 'player'],
      [mate.id, 'substitute'],
    ]);
    const event = await lastEvent(project.id);
    expect(event.type).toBe('participant.updated');
    expect(event.payload).toMatchObject({ changes: ['name', 'roster'], name: 'Day Owls' });
    const same = await edit(captain.bearer, { teamName: 'Day Owls', teamMembers: teamMembers.toReversed() });
    expect([same.status, same.body.version]).toEqual([200, 2]);
    expect((await lastEvent(project.id)).id).toBe(event.id);
  });

  test('is for the captain, where the organizer allows it, before the start', async () => {
    const { cup, captain, mate, outsider, edit } = await make();
    const body = { teamName: 'Other' };
    expect(refusal(await edit(mate.bearer, body))).toEqual([403, 'FORBIDDEN']);
    expect(refusal(await edit(outsider.bearer, body))).toEqual([404, 'NOT_REGISTERED']);
    const set = (data: Partial<TournamentUncheckedCreateInput>) =>
      db.tournament.update({ where: { id: cup.id }, data });
    await set({ allowEdit: false });
    expect(refusal(await edit(captain.bearer, body))).toEqual([403, 'EDIT_NOT_ALLOWED']);
    await set({ allowEdit: true, status: 'IN_PROGRESS' });
    expect(refusal(await edit(captain.bearer, body))).toEqual([409, 'INVALID_STATE']);
    await set({ status: 'PUBLISHED' });
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { registrationStatus: 'rejected' } });
    expect(refusal(await edit(captain.bearer, body))).toEqual([409, 'INVALID_STATE']);
  });

  test('leaves the roster alone once rosters are locked, and the rest free', async () => {
    const { captain, mate, team, edit } = await make({ rosterLockAt: ago(1) });
    const locked = await edit(captain.bearer, { teamMembers: [as('captain')(captain), as('player')(mate)] });
    expect(refusal(locked)).toEqual([409, 'ROSTER_LOCKED']);
    // A form that sends everything back is no edit of the roster.
    const free = await edit(captain.bearer, { ...team, teamName: 'Day Owls' });
    expect([free.status, free.body.name, free.body.canEdit, free.body.canEditRoster]).toEqual([
      ...[200, 'Day Owls', true, false],
    ]);
  });

  test('refuses rosters of the wrong size, unknown players and those of another team', async () => {
    const { captain, mate, outsider, enter, edit } = await make();
    const fourth = await makeUser();
    await enter(outsider.bearer, { teamName: 'Foxes', teamMembers: [as('captain')(outsider), as('player')(fourth)] });
    const small = await edit(captain.bearer, { teamMembers: [as('captain')(captain)] });
    expect([small.status, small.body.error.issues?.[0]?.path]).toEqual([400, 'teamMembers']);
    const ghost = await edit(captain.bearer, {
      teamMembers: [as('captain')(captain), { userId: 'usr_ghost', role: 'player' }],
    });
    expect([ghost.status, ghost.body.error.issues?.[0]?.path]).toEqual([400, 'teamMembers.1.userId']);
    const clash = await edit(captain.bearer, {
      teamMembers: [as('captain')(captain), as('player')(mate), as('player')(fourth)],
    });
    expect(refusal(clash)).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect(clash.body.message).toContain(fourth.name);
  });

  test('merges answers, checks them whole, and holds to If-Match', async () => {
    const question = (key: string, required: boolean) =>
      ({ key, label: key, type: 'text', required, visibility: 'organizers' }) as const;
    const { project } = await makeProject();
    const cup = await makeTournament(project.id, { customFields: [question('rank', true), question('note', false)] });
    const player = await makeUser();
    const path = `/tournaments/${cup.id}`;
    const body = { customFields: { rank: 'gold', note: 'hello' } };
    await api.post(`${path}/participants/register`, { bearer: player.bearer, body });
    const edit = (customFields: unknown, version?: string) =>
      api.patch<Registration & Refusal>(`${path}/registrations/me`, {
        bearer: player.bearer,
        body: { customFields },
        headers: version ? { 'If-Match': version } : undefined,
      });
    expect((await edit({ note: null })).body).toMatchObject({ customFields: { rank: 'gold' }, version: 2 });
    expect(refusal(await edit({ rank: null }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusal(await edit({ rank: 'iron' }, '"1"'))).toEqual([412, 'VERSION_MISMATCH']);
    expect((await edit({ rank: 'iron' }, '"2"')).body).toMatchObject({ customFields: { rank: 'iron' }, version: 3 });
  });
});

describe('substituting', () => {
  test('puts someone in the place and role of a player, and keeps the history', async () => {
    const { project, cup, moderator, mate, outsider, id, substitute } = await make({ rosterLockAt: ago(1) });
    const answer = await substitute({ substituteUserId: outsider.id, reason: 'Power cut' });
    expect(answer.status).toBe(200);
    expect(rosterOf(answer.body)).toContainEqual([outsider.id, 'player']);
    expect(answer.body.roster.map(({ userId }) => userId)).not.toContain(mate.id);
    const kept = await db.rosterChange.findMany({ where: { participantId: id } });
    expect(kept).toMatchObject([
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
    const act = await db.auditEntry.findFirstOrThrow({ where: { targetId: id, action: 'participant.substitute' } });
    expect(act.actorId).toBe(moderator.id);
  });

  test('of the captain hands the registration over', async () => {
    const { cup, captain, outsider, substitute, edit } = await make();
    const body = { substituteUserId: outsider.id, replacedUserId: captain.id, reason: 'Ill' };
    expect((await substitute(body)).body).toMatchObject({ userId: outsider.id });
    expect((await edit(outsider.bearer, { teamName: 'Day Owls' })).status).toBe(200);
    expect(refusal(await edit(captain.bearer, { teamName: 'Mine' }))).toEqual([404, 'NOT_REGISTERED']);
    const again = await makeUser();
    await db.participant.create({
      data: {
        ...{ id: 'prt_cancelled', tournamentId: cup.id, userId: again.id, name: 'Earlier', type: 'team' },
        registrationStatus: 'cancelled',
        status: 'withdrew',
      },
    });
    const taken = await substitute({ substituteUserId: again.id, replacedUserId: outsider.id, reason: 'Ill' });
    expect(refusal(taken)).toEqual([409, 'ALREADY_REGISTERED']);
  });

  test('needs to know whom, someone free, a reason, and a team that is in', async () => {
    const { cup, captain, mate, bench, outsider, team, edit, substitute } = await make();
    const out = { substituteUserId: outsider.id, reason: 'Ill' };
    expect(refusal(await substitute({ ...out, reason: ' ' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusal(await substitute({ ...out, replacedUserId: outsider.id }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusal(await substitute({ ...out, substituteUserId: 'usr_ghost' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusal(await substitute({ ...out, substituteUserId: bench.id }))).toEqual([409, 'ALREADY_ON_ROSTER']);
    const players = team.teamMembers.map((member) =>
      member.role === 'captain' ? member : as('player')({ id: member.userId }),
    );
    await edit(captain.bearer, { teamMembers: players });
    const unclear = await substitute(out);
    expect([unclear.status, unclear.body.error.issues?.[0]?.path]).toEqual([400, 'replacedUserId']);
    await db.user.update({ where: { id: outsider.id }, data: { suspendedAt: new Date() } });
    expect(refusal(await substitute({ ...out, replacedUserId: mate.id }))).toEqual([400, 'VALIDATION_FAILED']);
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { registrationStatus: 'pending' } });
    expect(refusal(await substitute(out))).toEqual([409, 'NOT_APPROVED']);
  });

  test('is not for individuals', async () => {
    const { project, owner } = await makeProject();
    const cup = await makeTournament(project.id);
    const [player, other] = await Promise.all([makeUser(), makeUser()]);
    const path = `/tournaments/${cup.id}/participants`;
    const { body } = await api.post<Registration>(`${path}/register`, { bearer: player.bearer });
    const answer = await api.post(`${path}/${body.id}/substitute`, {
      bearer: owner.bearer,
      body: { substituteUserId: other.id, reason: 'Ill' },
    });
    expect(refusal(answer)).toEqual([409, 'NOT_A_TEAM']);
  });

  test('by two at once puts the same player on one roster only', async () => {
    const { outsider, cup, owner, enter, substitute } = await make();
    const [second, third] = await Promise.all([makeUser(), makeUser()]);
    const other = await enter(second.bearer, {
      teamName: 'Foxes',
      teamMembers: [as('captain')(second), as('player')(third)],
    });
    const body = { substituteUserId: outsider.id, reason: 'Ill' };
    const path = `/tournaments/${cup.id}/participants/${other.body.id}/substitute`;
    const answers = await Promise.all([substitute(body), api.post(path, { bearer: owner.bearer, body })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await db.rosterMember.count({ where: { tournamentId: cup.id, userId: outsider.id } })).toBe(1);
  });
});
