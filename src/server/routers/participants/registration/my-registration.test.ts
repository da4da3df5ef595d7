import { afterEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeMember, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import {
  hostTeam,
  hostTournament,
  hoursFromNow,
  lastEvent,
  projectEvents,
  refusalOf,
  rosterMember,
  rosterOf,
  teamOf,
} from '@/test/tournaments';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

test('reading returns 404 to players without a registration, and 401 without a token', async () => {
  const cup = await hostTournament(api);
  const stranger = await makeUser();
  expect(refusalOf(await cup.mine(stranger.bearer))).toEqual([404, 'NOT_REGISTERED']);
  expect((await cup.mine()).status).toBe(401);
});

describe('editing a registration', () => {
  test('changes only what is sent, and emits one event', async () => {
    const { project, captain, mate, outsider, edit } = await hostTeam(api);
    const teamMembers = [
      rosterMember('captain', captain),
      rosterMember('substitute', mate),
      rosterMember('player', outsider),
    ];
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

  test('is for the captain, if the organizer allows it, before the start', async () => {
    const { id, captain, mate, outsider, edit, set } = await hostTeam(api);
    const body = { teamName: 'Other' };
    expect(refusalOf(await edit(mate.bearer, body))).toEqual([403, 'FORBIDDEN']);
    expect(refusalOf(await edit(outsider.bearer, body))).toEqual([404, 'NOT_REGISTERED']);
    await set({ allowEdit: false });
    expect(refusalOf(await edit(captain.bearer, body))).toEqual([403, 'EDIT_NOT_ALLOWED']);
    await set({ allowEdit: true, status: 'IN_PROGRESS' });
    expect(refusalOf(await edit(captain.bearer, body))).toEqual([409, 'INVALID_STATE']);
    await set({ status: 'PUBLISHED' });
    await db.participant.updateMany({ where: { tournamentId: id }, data: { registrationStatus: 'rejected' } });
    expect(refusalOf(await edit(captain.bearer, body))).toEqual([409, 'INVALID_STATE']);
  });

  test('allows everything except roster changes once rosters are locked', async () => {
    const { captain, mate, team, edit } = await hostTeam(api, { rosterLockAt: hoursFromNow(-1) });
    const locked = await edit(captain.bearer, {
      teamMembers: [rosterMember('captain', captain), rosterMember('player', mate)],
    });
    expect(refusalOf(locked)).toEqual([409, 'ROSTER_LOCKED']);
    // Sending the same roster again is not a change.
    const free = await edit(captain.bearer, { ...team, teamName: 'Day Owls' });
    expect([free.status, free.body.name, free.body.canEdit, free.body.canEditRoster]).toEqual([
      ...[200, 'Day Owls', true, false],
    ]);
  });

  test('refuses rosters of the wrong size, unknown players and players of another team', async () => {
    const { captain, mate, outsider, register, edit } = await hostTeam(api);
    const fourth = await makeUser();
    await register(outsider.bearer, teamOf(outsider, [fourth], 'Foxes'));
    const small = await edit(captain.bearer, { teamMembers: [rosterMember('captain', captain)] });
    expect([small.status, small.body.error.issues?.[0]?.path]).toEqual([400, 'teamMembers']);
    const ghost = await edit(captain.bearer, {
      teamMembers: [rosterMember('captain', captain), { userId: 'usr_ghost', role: 'player' }],
    });
    expect([ghost.status, ghost.body.error.issues?.[0]?.path]).toEqual([400, 'teamMembers.1.userId']);
    const clash = await edit(captain.bearer, {
      teamMembers: [rosterMember('captain', captain), rosterMember('player', mate), rosterMember('player', fourth)],
    });
    expect(refusalOf(clash)).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect(clash.body.message).toContain(fourth.name);
  });

  test('merges answers, validates them together, and respects If-Match', async () => {
    const question = (key: string, required: boolean) =>
      ({ key, label: key, type: 'text', required, visibility: 'organizers' }) as const;
    const cup = await hostTournament(api, { customFields: [question('rank', true), question('note', false)] });
    const player = await makeUser();
    await cup.register(player.bearer, { customFields: { rank: 'gold', note: 'hello' } });
    const edit = (customFields: unknown, version?: string) =>
      cup.edit(player.bearer, { customFields }, version ? { 'If-Match': version } : undefined);
    expect((await edit({ note: null })).body).toMatchObject({ customFields: { rank: 'gold' }, version: 2 });
    expect(refusalOf(await edit({ rank: null }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusalOf(await edit({ rank: 'iron' }, '"1"'))).toEqual([412, 'VERSION_MISMATCH']);
    expect((await edit({ rank: 'iron' }, '"2"')).body).toMatchObject({ customFields: { rank: 'iron' }, version: 3 });
  });
});

test('an answer for the organizers is shown to everybody only when its player sends it again', async () => {
  const question = (key: string, visibility: 'organizers' | 'public') =>
    ({ key, label: key, type: 'text', required: false, visibility }) as const;
  const cup = await hostTournament(api, { customFields: [question('rank', 'organizers'), question('note', 'public')] });
  const player = await makeUser();
  await cup.register(player.bearer, { customFields: { rank: 'gold', note: 'hello' } });
  const { bearer } = await makeMember(cup.projectId, 'ADMIN');
  const customFields = [question('rank', 'public'), question('note', 'public')];
  expect((await api.patch(`/tournaments/${cup.id}`, { bearer, body: { customFields } })).status).toBe(200);
  const shown = async () => (await api.get(`/tournaments/${cup.id}/participants`)).body;
  const refused = await cup.edit(player.bearer, { customFields: { note: 'hi' } });
  expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, 'customFields.rank']);
  expect(await shown()).toMatchObject({ items: [{ publicAnswers: { note: 'hello' } }] });
  expect((await cup.edit(player.bearer, { customFields: { note: 'hi', rank: null } })).status).toBe(200);
  expect((await cup.edit(player.bearer, { customFields: { rank: 'iron' } })).status).toBe(200);
  expect(await shown()).toMatchObject({ items: [{ publicAnswers: { note: 'hi', rank: 'iron' } }] });
});

describe('cancelling', () => {
  test('promotes the first participant on the waitlist in the same transaction', async () => {
    const cup = await hostTournament(api, { maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
    for (const player of players) await cup.register(player.bearer);
    const [first, , third, fourth] = players;
    const before = (await projectEvents(cup.projectId)).length;
    const cancelled = await cup.cancel(first?.bearer ?? '');
    expect(cancelled.body).toMatchObject({ registrationStatus: 'cancelled', status: 'withdrew', canCancel: false });
    expect((await cup.mine(third?.bearer ?? '')).body).toMatchObject({
      registrationStatus: 'approved',
      waitlistPosition: null,
    });
    expect((await cup.mine(fourth?.bearer ?? '')).body).toMatchObject({
      registrationStatus: 'waitlisted',
      waitlistPosition: 1,
    });
    expect((await projectEvents(cup.projectId)).slice(before)).toEqual([
      'participant.withdrawn',
      'participant.approved',
    ]);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(2);
  });

  test('lets the player register again, at the end of the waitlist and with the same id', async () => {
    const cup = await hostTournament(api, { maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 3 }, () => makeUser()));
    const ids = [];
    for (const player of players) ids.push((await cup.register(player.bearer)).body.id);
    await cup.cancel(players[0]?.bearer ?? '');
    expect(refusalOf(await cup.cancel(players[0]?.bearer ?? ''))).toEqual([409, 'INVALID_STATE']);
    const back = await cup.register(players[0]?.bearer ?? '');
    expect([back.status, back.body.id, back.body.registrationStatus, back.body.waitlistPosition]).toEqual([
      201,
      ids[0],
      'waitlisted',
      1,
    ]);
    expect(back.body.cancelledAt).toBeNull();
    expect(refusalOf(await cup.cancel((await makeUser()).bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('emits registration.full again once the freed slot is taken', async () => {
    const cup = await hostTournament(api, { maxParticipants: 2 });
    const players = await Promise.all(Array.from({ length: 3 }, () => makeUser()));
    for (const player of players.slice(0, 2)) await cup.register(player.bearer);
    await cup.cancel(players[0]?.bearer ?? '');
    await cup.register(players[2]?.bearer ?? '');
    expect((await projectEvents(cup.projectId)).filter((type) => type === 'registration.full')).toHaveLength(2);
  });

  test('is refused when switched off, and after the start', async () => {
    const off = await hostTournament(api, { allowCancel: false });
    const player = await makeUser();
    await off.register(player.bearer);
    expect(refusalOf(await off.cancel(player.bearer))).toEqual([403, 'CANCEL_NOT_ALLOWED']);
    const cup = await hostTournament(api);
    await cup.register(player.bearer);
    await db.tournament.update({ where: { id: cup.id }, data: { status: 'IN_PROGRESS' } });
    const late = await cup.cancel(player.bearer);
    expect(refusalOf(late)).toEqual([409, 'INVALID_STATE']);
    expect(late.body.message).toContain('The tournament has started');
  });

  test('lets the players of a team register with another team', async () => {
    const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const [captain, mate, other] = await Promise.all([makeUser(), makeUser(), makeUser()]);
    await cup.register(captain.bearer, teamOf(captain, [mate]));
    expect((await cup.cancel(captain.bearer)).body).toMatchObject({ registrationStatus: 'cancelled', roster: [] });
    expect((await cup.register(other.bearer, teamOf(other, [mate], 'Second'))).status).toBe(201);
    expect(refusalOf(await cup.register(captain.bearer, teamOf(captain, [mate])))).toEqual([409, 'ALREADY_ON_ROSTER']);
  });
});

describe('checking in', () => {
  test('works once while check-in is open', async () => {
    const cup = await hostTournament(api, { checkInOpensAt: hoursFromNow(-1) });
    const player = await makeUser();
    expect((await cup.register(player.bearer)).body.canCheckIn).toBe(true);
    const done = await cup.checkIn(player.bearer);
    expect([done.status, done.body.status, done.body.canCheckIn]).toEqual([200, 'checked_in', false]);
    expect(done.body.checkedInAt).not.toBeNull();
    expect(refusalOf(await cup.checkIn(player.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    const racing = await makeUser();
    await cup.register(racing.bearer);
    const answers = await Promise.all(Array.from({ length: 5 }, () => cup.checkIn(racing.bearer)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await projectEvents(cup.projectId)).filter((type) => type === 'participant.checked_in')).toHaveLength(2);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>, number, string]>([
    ['never opened', {}, 409, 'CHECK_IN_CLOSED'],
    ['opens later', { checkInOpensAt: hoursFromNow(1) }, 409, 'CHECK_IN_CLOSED'],
    ['closed', { checkInOpensAt: hoursFromNow(-2), checkInClosesAt: hoursFromNow(-1) }, 409, 'CHECK_IN_CLOSED'],
    [
      'without an anti-cheat client',
      { checkInOpensAt: hoursFromNow(-1), requiresAntiCheat: true },
      412,
      'ANTI_CHEAT_NOT_RUNNING',
    ],
    ['pending', { checkInOpensAt: hoursFromNow(-1), requiresApproval: true }, 409, 'NOT_APPROVED'],
  ])('is refused: %s', async (_name, data, status, reason) => {
    const cup = await hostTournament(api, data);
    const player = await makeUser();
    await cup.register(player.bearer);
    expect(refusalOf(await cup.checkIn(player.bearer))).toEqual([status, reason]);
    expect(refusalOf(await cup.checkIn((await makeUser()).bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('works for any player of a team', async () => {
    const cup = await hostTournament(api, {
      teamSize: 2,
      rosterMin: 2,
      rosterMax: 2,
      checkInOpensAt: hoursFromNow(-1),
    });
    const [captain, mate] = await Promise.all([makeUser(), makeUser()]);
    await cup.register(captain.bearer, teamOf(captain, [mate]));
    expect((await cup.checkIn(mate.bearer)).body.status).toBe('checked_in');
    expect(refusalOf(await cup.checkIn(captain.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
  });
});

test('registering and cancelling in a loop ends before it floods the project with events', async () => {
  env.REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR = 2;
  const cup = await hostTournament(api);
  const player = await makeUser();
  for (let count = 0; count < 2; count += 1) {
    expect((await cup.register(player.bearer)).status).toBe(201);
    expect((await cup.cancel(player.bearer)).status).toBe(200);
  }
  expect((await cup.register(player.bearer)).status).toBe(201);
  const before = await projectEvents(cup.project.id);
  const refused = await cup.cancel(player.bearer);
  expect(refusalOf(refused)).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  expect(await projectEvents(cup.project.id)).toEqual(before);
  expect([(await cup.mine(player.bearer)).body.registrationStatus, await cup.taken()]).toEqual(['approved', 1]);

  const other = await hostTournament(api);
  expect((await other.register(player.bearer)).status).toBe(201);
  expect((await other.cancel(player.bearer)).status).toBe(200);
  const neighbor = await makeUser();
  expect((await cup.register(neighbor.bearer)).status).toBe(201);
  expect((await cup.cancel(neighbor.bearer)).status).toBe(200);
});

test('answers cannot be edited in a loop', async () => {
  env.REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR = 1;
  const { captain, edit, project } = await hostTeam(api);
  expect((await edit(captain.bearer, { teamName: 'One' })).status).toBe(200);
  const before = await projectEvents(project.id);
  expect(refusalOf(await edit(captain.bearer, { teamName: 'Two' }))).toEqual([429, 'QUOTA_EXCEEDED']);
  expect((await edit(captain.bearer, { teamName: 'One' })).status).toBe(200);
  expect(await projectEvents(project.id)).toEqual(before);
});
