import { describe, expect, test } from 'vitest';
import { env } from '@/env';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';
import { freshEmail, lastEmail, writeEmailsAbout } from '@/test/email';
import { makeMember, makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, hoursFromNow, lastEvent, refusalOf, rosterMember, teamOf } from '@/test/tournaments';

const api = setupTestServer();

const sizes = { teamSize: 2, rosterMin: 2, rosterMax: 3 };
const accept = (path: string, bearer: string) => api.post(`${path}/registrations/me/accept`, { bearer });
const leave = (path: string, bearer: string) => api.post(`${path}/registrations/me/leave`, { bearer });

/** Writes the emails about everything that happened in a project. @returns how many were written to whom, by kind */
async function emailAll(projectId: string, recipient: { email: string }) {
  const events = await db.domainEvent.findMany({ where: { projectId }, orderBy: { sequence: 'asc' } });
  await writeEmailsAbout(events.map(({ id }) => id));
  const rows = await db.outgoingMail.findMany({ where: { recipient: recipient.email }, orderBy: { id: 'asc' } });
  return rows.map(({ kind }) => kind);
}

test('a player who cancelled, and whom staff put back, is asked again and can leave', async () => {
  const { id, path, project, organizer, register, cancel, mine, set } = await hostTournament(api);
  const { bearer } = organizer;
  const player = await makeUser();
  const { body } = await register(player.bearer);
  expect((await cancel(player.bearer)).status).toBe(200);
  await set({ allowCancel: false });
  const before = (await emailAll(project.id, player)).length;
  for (const step of ['waitlist', 'promote']) {
    expect((await api.patch(`${path}/registrations/${body.id}/${step}`, { bearer })).status).toBe(200);
  }
  expect((await mine(player.bearer)).body).toMatchObject({ registrationStatus: 'approved', mustAccept: true });
  expect((await emailAll(project.id, player)).slice(before)).toEqual(['roster_notice']);
  expect(refusalOf(await cancel(player.bearer))).toEqual([403, 'CANCEL_NOT_ALLOWED']);
  expect((await leave(path, player.bearer)).status).toBe(200);
  expect((await db.tournament.findUniqueOrThrow({ where: { id } })).currentParticipants).toBe(0);
});

describe('a player whom a captain names', () => {
  test('is on the roster at once, and asked in the app by whom', async () => {
    const { captain, mate, mine, list } = await hostTeam(api);
    const own = await mine(mate.bearer);
    expect(own.body).toMatchObject({ mustAccept: true, isCaptain: false });
    expect((await list()).body.items[0]?.roster.map(({ userId }) => userId)).toContain(mate.id);
    const { items } = await api.trpc(mate.bearer).participants.myRegistrations.query({ when: 'current' });
    expect(items[0]).toMatchObject({ mustAccept: true, addedBy: { id: captain.id, name: captain.name } });
    const ofCaptain = await mine(captain.bearer);
    expect(ofCaptain.body).toMatchObject({ mustAccept: false, addedBy: null });
    expect(ofCaptain.body.notAccepted).toContain(mate.id);
  });

  test('accepts once; doing it again changes nothing, and strangers have nothing to accept', async () => {
    const { path, project, captain, mate, outsider, mine } = await hostTeam(api);
    const accepted = await accept(path, mate.bearer);
    expect(accepted.body).toMatchObject({ mustAccept: false });
    const event = await lastEvent(project.id);
    expect([event.type, event.payload]).toMatchObject(['participant.updated', { changes: ['acceptance'] }]);
    expect((await accept(path, mate.bearer)).status).toBe(200);
    expect((await accept(path, captain.bearer)).status).toBe(200);
    expect((await lastEvent(project.id)).id).toBe(event.id);
    expect((await mine(captain.bearer)).body.notAccepted).not.toContain(mate.id);
    expect(refusalOf(await accept(path, outsider.bearer))).toEqual([404, 'NOT_REGISTERED']);
    expect(refusalOf(await leave(path, outsider.bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('registers with a team of their own, and with teams that they belong to, in spite of who named them', async () => {
    const { path, project, captain, mate, bench, outsider, mine, register, edit } = await hostTeam(api);
    const rival = await makeTeam(outsider, [bench]);
    expect((await register(mate.bearer, teamOf(mate, [await makeUser()], 'Foxes'))).status).toBe(201);
    expect((await mine(mate.bearer)).body).toMatchObject({ name: 'Foxes', isCaptain: true, mustAccept: false });
    expect((await register(outsider.bearer, { teamId: rival.id, teamName: 'Bears' })).status).toBe(201);
    expect((await mine(bench.bearer)).body).toMatchObject({ name: 'Bears', mustAccept: false });
    const left = await mine(captain.bearer);
    expect(left.body).toMatchObject({ version: 3, roster: [{ userId: captain.id }] });
    const again = [rosterMember('captain', captain), rosterMember('player', mate)];
    expect(refusalOf(await edit(captain.bearer, { teamMembers: again }))).toEqual([409, 'ALREADY_ON_ROSTER']);
    const events = await db.domainEvent.findMany({
      where: { projectId: project.id, aggregateId: left.body.id, type: 'participant.updated' },
      orderBy: { sequence: 'asc' },
    });
    expect(events.map(({ metadata }) => metadata)).toMatchObject([
      { actor: { id: mate.id } },
      { actor: { id: outsider.id } },
    ]);
    expect((await leave(path, captain.bearer)).reason).toBe('INVALID_STATE');
  });

  test('leaves whenever they like, also once rosters are locked, until they have accepted', async () => {
    const { path, captain, mate, bench, mine, set } = await hostTeam(api);
    await accept(path, bench.bearer);
    await set({ rosterLockAt: hoursFromNow(-1) });
    expect((await mine(mate.bearer)).body.canLeave).toBe(true);
    expect((await leave(path, mate.bearer)).body).toMatchObject({ left: true });
    expect((await mine(mate.bearer)).reason).toBe('NOT_REGISTERED');
    expect(refusalOf(await leave(path, mate.bearer))).toEqual([404, 'NOT_REGISTERED']);
    expect((await mine(bench.bearer)).body.canLeave).toBe(false);
    expect(refusalOf(await leave(path, bench.bearer))).toEqual([409, 'ROSTER_LOCKED']);
    await set({ rosterLockAt: null });
    expect((await mine(bench.bearer)).body.canLeave).toBe(true);
    expect((await leave(path, bench.bearer)).status).toBe(200);
    expect(refusalOf(await leave(path, captain.bearer))).toEqual([409, 'INVALID_STATE']);
    expect((await mine(captain.bearer)).body.canLeave).toBe(false);
    expect((await mine(captain.bearer)).body.roster.map(({ userId }) => userId)).toEqual([captain.id]);
  });

  test('leaves until the start what they were put on after rosters were locked, and did not accept themselves', async () => {
    const { path, register, mine, set } = await hostTournament(api, sizes);
    await set({ rosterLockAt: hoursFromNow(-1) });
    const [captain, member, other] = await Promise.all([makeUser(), makeUser(), makeUser()]);
    const team = await makeTeam(captain, [member]);
    expect((await register(captain.bearer, { teamId: team.id })).status).toBe(201);
    expect((await register(other.bearer, teamOf(other, [member], 'Real'))).reason).toBe('ALREADY_ON_ROSTER');
    expect((await mine(member.bearer)).body).toMatchObject({ mustAccept: false, canLeave: true });
    const { items } = await api.trpc(member.bearer).participants.myRegistrations.query({ when: 'current' });
    expect(items[0]).toMatchObject({ mustAccept: false, canLeave: true });
    await set({ status: 'IN_PROGRESS' });
    expect((await mine(member.bearer)).body.canLeave).toBe(false);
    expect((await leave(path, member.bearer)).reason).toBe('ROSTER_LOCKED');
    await set({ status: 'PUBLISHED' });
    expect((await leave(path, member.bearer)).status).toBe(200);
    expect((await register(other.bearer, teamOf(other, [member], 'Real'))).status).toBe(201);
    expect((await accept(path, member.bearer)).body).toMatchObject({ canLeave: false });
    expect(refusalOf(await leave(path, member.bearer))).toEqual([409, 'ROSTER_LOCKED']);
  });

  test.each([
    ['leaves after the lock what they were put on a second before it', 1, [200, undefined]],
    ['leaves after the lock what they were put on less than a day before it', 86_399, [200, undefined]],
    ['stays after the lock where they were put a day before it', 86_400, [409, 'ROSTER_LOCKED']],
  ])('%s, as a member of the team', async (_name, seconds, expected) => {
    const { id: tournamentId, path, register, mine, set } = await hostTournament(api, sizes);
    const [captain, member] = await Promise.all([makeUser(), makeUser()]);
    const team = await makeTeam(captain, [member]);
    expect((await register(captain.bearer, { teamId: team.id })).status).toBe(201);
    const rosterLockAt = hoursFromNow(-1);
    const acceptedAt = new Date(rosterLockAt.getTime() - seconds * 1_000);
    await db.rosterMember.updateMany({ where: { tournamentId, userId: member.id }, data: { acceptedAt } });
    await set({ rosterLockAt });
    expect((await mine(member.bearer)).body).toMatchObject({ mustAccept: false, canLeave: expected[0] === 200 });
    expect(refusalOf(await leave(path, member.bearer))).toEqual(expected);
  });

  test('is not named again by who named them, but by others and as a member of the team', async () => {
    const { path, captain, mate, bench, outsider, mine, register, edit } = await hostTeam(api);
    const named = [rosterMember('captain', captain), rosterMember('player', mate), rosterMember('player', bench)];
    expect((await leave(path, mate.bearer)).body).toMatchObject({ left: true });
    const refused = await edit(captain.bearer, { teamMembers: named });
    expect(refusalOf(refused)).toEqual([400, 'VALIDATION_FAILED']);
    expect(refused.body).toMatchObject({ error: { issues: [{ path: 'teamMembers.1.userId' }] } });
    expect((await mine(mate.bearer)).reason).toBe('NOT_REGISTERED');
    await makeTeam(captain, [mate]);
    expect((await edit(captain.bearer, { teamMembers: named })).status).toBe(200);
    expect((await leave(path, mate.bearer)).status).toBe(200);
    expect((await leave(path, bench.bearer)).status).toBe(200);
    expect((await register(outsider.bearer, teamOf(outsider, [bench], 'Bears'))).status).toBe(201);
    expect((await mine(bench.bearer)).body).toMatchObject({ name: 'Bears', mustAccept: true });
  });

  test('accepts or leaves, if both come at once', async () => {
    const { path, mate } = await hostTeam(api);
    const responses = await Promise.all([accept(path, mate.bearer), leave(path, mate.bearer)]);
    expect(responses[1]?.status).toBe(200);
    expect([200, 404]).toContain(responses[0]?.status);
    expect(await db.rosterMember.count({ where: { userId: mate.id } })).toBe(0);
  });

  test('stays accepted when the captain edits the roster; whom the edit adds is asked', async () => {
    const { path, captain, mate, outsider, edit } = await hostTeam(api);
    await accept(path, mate.bearer);
    const teamMembers = [
      rosterMember('captain', captain),
      rosterMember('substitute', mate),
      rosterMember('player', outsider),
    ];
    const edited = await edit(captain.bearer, { teamMembers });
    expect(edited.body.notAccepted).toEqual([outsider.id]);
  });

  test('need not be asked as a member of a team that the captain leads', async () => {
    const cup = await hostTournament(api, sizes);
    const [captain, mate, stranger] = [await makeUser(), await makeUser(), await makeUser()];
    await makeTeam(captain, [mate]);
    const registered = await cup.register(captain.bearer, teamOf(captain, [mate, stranger]));
    expect(registered.body.notAccepted).toEqual([stranger.id]);
    // A team of a member, which the captain does not lead, says nothing.
    const other = await hostTournament(api, sizes);
    await makeTeam(stranger, [captain]);
    expect((await other.register(captain.bearer, teamOf(captain, [stranger]))).body.notAccepted).toEqual([stranger.id]);
  });
});

describe('emails to a player who was named', () => {
  test('are one fixed notice, whatever happens to the registration, until they accept', async () => {
    const cup = await hostTournament(api, { ...sizes, name: 'Win at evil.example' });
    const [captain, mate] = [await makeUser({ name: 'Prize from evil.example' }), await makeUser()];
    const { body } = await cup.register(captain.bearer, teamOf(captain, [mate], 'Click evil.example'));
    const staff = `${cup.path}/participants/${body.id}`;
    const { bearer } = cup.organizer;
    const loop = async () => {
      await api.post(`${staff}/disqualify`, { bearer, body: { reason: 'See evil.example' } });
      await api.post(`${staff}/reinstate`, { bearer });
    };
    await loop();
    expect(await emailAll(cup.project.id, mate)).toEqual(['roster_notice']);
    const notice = await lastEmail(mate.email);
    expect(`${notice.subject} ${notice.text} ${notice.html}`).not.toContain('evil');
    expect(notice.text).toContain('/me');
    await accept(cup.path, mate.bearer);
    await loop();
    expect((await emailAll(cup.project.id, mate)).length).toBeGreaterThan(1);
  });

  test('are none about a cancelled tournament or being replaced', async () => {
    const { project, organizer, moderator, path, participantId, mate, bench, outsider } = await hostTeam(api);
    const body = { replacedUserId: mate.id, substituteUserId: outsider.id, reason: 'See evil.example' };
    const substituted = await api.post(`${path}/participants/${participantId}/substitute`, {
      bearer: moderator.bearer,
      body,
    });
    expect(substituted.status).toBe(200);
    await api.post(`${path}/cancel`, { bearer: organizer.bearer });
    expect(await emailAll(project.id, bench)).toEqual(['roster_notice']);
    expect(await emailAll(project.id, outsider)).toEqual(['roster_notice']);
    expect(await emailAll(project.id, mate)).toEqual([]);
  });

  test('are none until the captain who named them confirms their address', async () => {
    const cup = await hostTournament(api, sizes);
    const [captain, mate] = [await makeUser(), await makeUser()];
    await db.user.update({ where: { id: captain.id }, data: { emailVerifiedAt: null } });
    const { status, body } = await cup.register(captain.bearer, teamOf(captain, [mate]));
    expect([status, body.notAccepted]).toEqual([201, [mate.id]]);
    expect(await emailAll(cup.project.id, mate)).toEqual([]);
    const { items } = await api.trpc(mate.bearer).participants.myRegistrations.query({ when: 'current' });
    expect(items[0]).toMatchObject({ mustAccept: true, addedBy: { id: captain.id } });
  });

  test('stop at the quota of emails to strangers, and the registration counts all the same', async () => {
    const limit = env.STRANGER_EMAILS_PER_DAY;
    env.STRANGER_EMAILS_PER_DAY = 2;
    try {
      const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 8 });
      const captain = await makeUser();
      const players = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
      expect((await cup.register(captain.bearer, teamOf(captain, players))).status).toBe(201);
      await emailAll(cup.project.id, captain);
      const where = { kind: 'roster_notice', recipient: { in: players.map(({ email }) => email) } };
      expect(await db.outgoingMail.count({ where })).toBe(2);
    } finally {
      env.STRANGER_EMAILS_PER_DAY = limit;
    }
  });

  test('count for the captain who named them, and neither for the project nor for staff who decide about the team', async () => {
    const limit = env.STRANGER_EMAILS_PER_DAY;
    env.STRANGER_EMAILS_PER_DAY = 2;
    try {
      const settings = { teamSize: 2, rosterMin: 2, rosterMax: 8, requiresApproval: true };
      const cup = await hostTournament(api, settings);
      const { bearer } = cup.organizer;
      for (let team = 0; team < 3; team += 1) {
        const captain = await makeUser();
        const players = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
        const registered = await cup.register(captain.bearer, teamOf(captain, players));
        await emailAll(cup.project.id, captain);
        const { tournamentId, id: participantId } = registered.body;
        await api.trpc(bearer).participants.approve.mutate({ tournamentId, participantId });
        await emailAll(cup.project.id, captain);
        const where = { kind: 'roster_notice', recipient: { in: players.map(({ email }) => email) } };
        expect(await db.outgoingMail.count({ where })).toBe(2);
      }
      const owner = await makeMember(cup.project.id, 'OWNER');
      for (const { bearer: inviter } of [owner, await makeMember(cup.project.id, 'ADMIN')]) {
        const body = { email: freshEmail(), role: 'MEMBER' };
        const invited = await api.post(`/projects/${cup.project.id}/members`, { bearer: inviter, body });
        expect(invited.status, invited.text).toBe(201);
      }
    } finally {
      env.STRANGER_EMAILS_PER_DAY = limit;
    }
  });
});

describe('whom an organizer imports', () => {
  async function importPlayer() {
    const cup = await hostTournament(api, { allowCancel: false });
    const player = await makeUser();
    const { bearer } = cup.organizer;
    const body = { csv: `email\n${player.email}\n` };
    expect((await api.post(`${cup.path}/participants/import`, { bearer, body })).status).toBe(200);
    const contactOf = async () => (await cup.list('', bearer)).body.items[0]?.contact;
    return { ...cup, player, contactOf };
  }

  test('is asked too, and their address shown once they accept', async () => {
    const { path, player, project, organizer, contactOf, mine } = await importPlayer();
    expect((await mine(player.bearer)).body).toMatchObject({ mustAccept: true, addedBy: { id: organizer.id } });
    expect(await contactOf()).toBeNull();
    const exported = await api.get(`${path}/participants/export`, { bearer: organizer.bearer });
    expect(exported.text).not.toContain(player.email);
    expect(await emailAll(project.id, player)).toEqual(['roster_notice']);
    expect((await accept(path, player.bearer)).body).toMatchObject({ mustAccept: false });
    expect(await contactOf()).toEqual({ email: player.email });
  });

  test('cancels by leaving, although players may not cancel', async () => {
    const { path, player, taken, mine } = await importPlayer();
    expect((await mine(player.bearer)).body.canLeave).toBe(true);
    expect((await leave(path, player.bearer)).status).toBe(200);
    expect(await taken()).toBe(0);
    expect((await mine(player.bearer)).body).toMatchObject({ registrationStatus: 'cancelled', canLeave: false });
    expect(refusalOf(await leave(path, player.bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('leaves once play has begun, and the participant stays as a guest with its results', async () => {
    const { id, path, player, project, organizer, mine, list } = await importPlayer();
    const body = { participants: [{ name: 'Rival', seed: 2 }] };
    expect((await api.post(`${path}/participants`, { ...organizer, body })).status).toBe(201);
    const { id: participantId, name } = (await mine(player.bearer)).body;
    expect((await api.post(`${path}/start`, organizer)).status).toBe(200);
    await playOut(api, { tournamentId: id, moderator: organizer });
    const statsOf = () => db.playerStats.findFirst({ where: { projectId: project.id, userId: player.id } });
    expect(await statsOf()).toMatchObject({ matches: 1, placements: { [id]: expect.any(Number) } });
    const ranks = async () => (await readMatches(api, id)).map(({ slots }) => slots);
    const before = await ranks();

    expect((await leave(path, player.bearer)).body).toEqual(expect.objectContaining({ participantId, left: true }));
    expect(await statsOf()).toMatchObject({ matches: 0, wins: 0, losses: 0, placements: {}, lastPlayedAt: null });
    expect(await ranks()).toEqual(before);
    const listed = (await list('', organizer.bearer)).body.items.find((one) => one.id === participantId);
    expect(listed).toMatchObject({ userId: null, name, notAccepted: [], contact: null });
    expect(refusalOf(await mine(player.bearer))).toEqual([404, 'NOT_REGISTERED']);
    expect(refusalOf(await leave(path, player.bearer))).toEqual([404, 'NOT_REGISTERED']);
    const event = await lastEvent(project.id);
    expect([event.type, event.payload, event.metadata]).toMatchObject([
      'participant.updated',
      { participantId, userId: null, changes: ['userId'] },
      { actor: { id: player.id } },
    ]);
    const history = await api.trpc(organizer.bearer).participants.history.query({ tournamentId: id, participantId });
    expect(history.items[0]).toMatchObject({ isGuest: true, actor: { id: player.id } });
    expect(await emailAll(project.id, player)).toEqual([]);
    await rebuildStats();
    expect(await statsOf()).toBeNull();

    const { body: link } = await api.post<{ token: string }>(
      `${path}/participants/${participantId}/claim-link`,
      organizer,
    );
    expect((await api.post('/claims/accept', { ...player, body: { token: link.token } })).status).toBe(200);
    expect(await statsOf()).toMatchObject({ matches: 1, placements: { [id]: expect.any(Number) } });
    expect((await leave(path, player.bearer)).reason).toBe('INVALID_STATE');
  });

  test('gets no email when the organizer removes them again', async () => {
    const { path, player, project, organizer, mine } = await importPlayer();
    const { id } = (await mine(player.bearer)).body;
    await api.delete(`${path}/participants/${id}`, { bearer: organizer.bearer });
    expect(await emailAll(project.id, player)).toEqual([]);
  });
});

test('whom staff have named counts for nothing while nobody has confirmed the address', async () => {
  const cup = await hostTournament(api, { visibility: 'private' });
  const teams = await hostTournament(api, { ...sizes, visibility: 'private' });
  const [player, captain, mate] = [await makeUser(), await makeUser(), await makeUser()];
  const imported = [
    { ...cup, csv: `email\n${player.email}`, named: [player] },
    { ...teams, csv: `Team,Captain email,Player emails\nOwls,${captain.email},${mate.email}`, named: [captain, mate] },
  ];
  for (const { path, organizer, csv, named, mine } of imported) {
    expect((await api.post(`${path}/participants/import`, { ...organizer, body: { csv } })).status).toBe(200);
    for (const { id, bearer } of named) {
      const listed = async () => (await api.get<{ total: number }>('/me/registrations', { bearer })).body.total;
      expect([(await mine(bearer)).status, await listed()]).toEqual([200, 1]);
      await db.user.update({ where: { id }, data: { emailVerifiedAt: null } });
      expect([(await mine(bearer)).status, await listed()]).toEqual([404, 0]);
      expect(refusalOf(await accept(path, bearer))).toEqual([404, 'NOT_FOUND']);
    }
  }
  for (const { id: tournamentId, set, mine, edit, cancel, checkIn, path } of [cup, teams]) {
    await set({ visibility: 'public' });
    const [{ bearer } = captain, ...others] = tournamentId === cup.id ? [player] : [captain, mate];
    const refused = [
      ...[edit(bearer, { teamName: 'Foxes' }), cancel(bearer)],
      ...[{ bearer }, ...others].flatMap((one) => [
        ...[checkIn(one.bearer), accept(path, one.bearer), leave(path, one.bearer)],
      ]),
    ];
    for (const answer of refused) expect(refusalOf(await answer)).toEqual([403, 'EMAIL_NOT_CONFIRMED']);
    expect((await mine(bearer)).body).toMatchObject({ registrationStatus: 'approved', mustAccept: true });
  }
  await db.user.update({ where: { id: mate.id }, data: { emailVerifiedAt: new Date() } });
  expect((await accept(teams.path, mate.bearer)).status).toBe(200);
});

test('a player whom staff have named reports no result while nobody has confirmed the address', async () => {
  const cup = await startCup(api, 4);
  const match = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'ready');
  const player = await db.participant.update({
    where: { id: match?.slots[0]?.participantId ?? '' },
    data: { acceptedAt: null, user: { update: { emailVerifiedAt: null } } },
    select: { user: true },
  });
  const bearer = `Bearer ${await signAccessToken(player.user as NonNullable<typeof player.user>)}`;
  const report = () => api.post(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores: [13, 2] }] } });
  expect(refusalOf(await report())).toEqual([403, 'NOT_IN_MATCH']);
  await db.user.update({ where: { id: player.user?.id ?? '' }, data: { emailVerifiedAt: new Date() } });
  expect((await report()).status).toBe(200);
});

test('only a player of the roster who has accepted reports a result', async () => {
  const cup = await startCup(api, 4);
  const match = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'ready');
  const participantId = match?.slots[0]?.participantId ?? '';
  const player = await makeUser();
  const row = { participantId, tournamentId: cup.tournamentId, userId: player.id, role: 'player' as const };
  await db.rosterMember.create({ data: row });
  const body = { games: [{ scores: [13, 2] }] };
  const report = () => api.post(`/matches/${match?.id}/report`, { bearer: player.bearer, body });
  expect(refusalOf(await report())).toEqual([403, 'NOT_IN_MATCH']);
  expect((await api.post(`/tournaments/${cup.tournamentId}/registrations/me/accept`, player)).status).toBe(200);
  expect((await report()).status).toBe(200);
  await playOut(api, cup);
});

test('a player who has not accepted can leave a tournament that is over, and accepting then changes no figures', async () => {
  const { id, path, project, organizer, moderator, captain, mate, bench, register } = await hostTeam(api);
  const [rival, other] = [await makeUser(), await makeUser()];
  await register(rival.bearer, teamOf(rival, [other], 'Rivals'));
  expect((await api.post(`${path}/start`, { bearer: organizer.bearer })).status).toBe(200);
  await playOut(api, { tournamentId: id, moderator });
  expect((await db.tournament.findUniqueOrThrow({ where: { id } })).status).toBe('COMPLETED');
  const figures = async () => {
    const rows = await db.playerStats.findMany({ where: { projectId: project.id }, orderBy: { userId: 'asc' } });
    return rows.map(({ updatedAt: _, ...row }) => row).filter(({ matches }) => matches > 0);
  };
  const before = await figures();
  const played = { matches: 1, placements: { [id]: expect.any(Number) } };
  expect(before.find(({ userId }) => userId === mate.id)).toMatchObject(played);
  expect((await accept(path, bench.bearer)).status).toBe(200);
  expect(await figures()).toEqual(before);
  for (const agreed of [bench, captain]) expect((await leave(path, agreed.bearer)).status).toBe(409);
  expect((await leave(path, mate.bearer)).body).toMatchObject({ left: true });
  expect(await lastEvent(project.id)).toMatchObject({ type: 'participant.updated', payload: { changes: ['roster'] } });
  const after = before.filter(({ userId }) => userId !== mate.id);
  expect(await figures()).toEqual(after);
  const left = { userId: mate.id, matches: 0, wins: 0, losses: 0, placements: {}, lastPlayedAt: null };
  expect(await db.playerStats.findFirst({ where: { projectId: project.id, userId: mate.id } })).toMatchObject(left);
  await rebuildStats();
  expect(await figures()).toEqual(after);
  const [match] = await readMatches(api, id);
  const loser = match?.slots.find(({ result }) => result === 'loss')?.participantId;
  const body = { winnerId: loser };
  expect((await api.post(`/matches/${match?.id}/correct`, { bearer: moderator.bearer, body })).status).toBe(200);
  const corrected = await figures();
  expect(corrected.map(({ userId }) => userId)).toEqual(after.map(({ userId }) => userId));
  await rebuildStats();
  expect(await figures()).toEqual(corrected);
});
