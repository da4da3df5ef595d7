import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ListedParticipant, MyRegistration, Registration } from '@/server/routers/participants/schema';
import { makeApiKey, makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type List = { items: ListedParticipant[]; total: number; canManage?: boolean };
type Refusal = { message: string; error: { issues?: { path: string; message: string }[] } };

const api = setupTestServer();

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, data);
  const path = `/tournaments/${tournament.id}`;
  return {
    ...tournament,
    project,
    owner,
    organizer,
    register: (bearer: string, body?: unknown) =>
      api.post<Registration & Refusal>(`${path}/participants/register`, { bearer, body }),
    cancel: (bearer: string) => api.post<Registration & Refusal>(`${path}/registrations/me/cancel`, { bearer }),
    mine: (bearer?: string) => api.get<Registration & Refusal>(`${path}/registrations/me`, { bearer }),
    checkIn: (bearer: string) => api.post<Registration & Refusal>(`${path}/participants/checkin/me`, { bearer }),
    checkInOf: (id: string, bearer: string) =>
      api.post<ListedParticipant & Refusal>(`${path}/participants/${id}/checkin`, { bearer }),
    list: (query = '', bearer?: string) => api.get<List>(`${path}/participants${query}`, { bearer }),
  };
}

async function eventsOf(projectId: string) {
  const rows = await db.domainEvent.findMany({ where: { projectId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.type);
}

const refusal = (answer: { status: number; reason: string | undefined }) => [answer.status, answer.reason];

describe('registering', () => {
  test('takes no body and answers with the registration', async () => {
    const cup = await make();
    const player = await makeUser({ name: 'Ada' });
    const answer = await cup.register(player.bearer);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      tournamentId: cup.id,
      userId: player.id,
      type: 'individual',
      name: 'Ada',
      registrationStatus: 'approved',
      status: 'registered',
      seed: null,
      roster: [],
      customFields: {},
      waitlistPosition: null,
      isCaptain: true,
      canCancel: true,
      canCheckIn: false,
      version: 1,
    });
    expect((await cup.mine(player.bearer)).body).toMatchObject({ id: answer.body.id, registrationStatus: 'approved' });
    expect(await eventsOf(cup.projectId)).toEqual(['participant.registered']);
    const event = await db.domainEvent.findFirstOrThrow({ where: { projectId: cup.projectId } });
    expect(event.aggregateId).toBe(answer.body.id);
    expect(event.metadata).toMatchObject({ actor: { type: 'user', id: player.id } });
    const row = await db.tournament.findUniqueOrThrow({ where: { id: cup.id } });
    expect([row.currentParticipants, row.version]).toEqual([1, 1]);
  });

  test('works by slug', async () => {
    const cup = await make();
    const player = await makeUser();
    const answer = await api.post(`/tournaments/${cup.slug}/participants/register`, { bearer: player.bearer });
    expect(answer.status).toBe(201);
  });

  test('is pending where approval is required, and holds no slot', async () => {
    const cup = await make({ requiresApproval: true, maxParticipants: 2 });
    const player = await makeUser();
    expect((await cup.register(player.bearer)).body.registrationStatus).toBe('pending');
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(0);
    expect((await cup.list()).body.items).toEqual([]);
  });

  test('fills the cap, says so once, then waits or is refused', async () => {
    const cup = await make({ maxParticipants: 2, waitlistEnabled: true });
    const full = await make({ maxParticipants: 2 });
    const players = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
    const answers = [];
    for (const player of players) answers.push((await cup.register(player.bearer)).body);
    expect(answers.map((answer) => [answer.registrationStatus, answer.waitlistPosition])).toEqual([
      ['approved', null],
      ['approved', null],
      ['waitlisted', 1],
      ['waitlisted', 2],
    ]);
    expect(await eventsOf(cup.projectId)).toEqual([
      'participant.registered',
      'participant.registered',
      'registration.full',
      'participant.registered',
      'participant.waitlisted',
      'participant.registered',
      'participant.waitlisted',
    ]);
    for (const player of players.slice(0, 2)) await full.register(player.bearer);
    expect(refusal(await full.register(players[2]?.bearer ?? ''))).toEqual([409, 'TOURNAMENT_FULL']);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>, number, string]>([
    ['before it opens', { registrationOpensAt: at(1) }, 409, 'REGISTRATION_CLOSED'],
    ['after it closed', { registrationClosesAt: at(-1) }, 409, 'REGISTRATION_CLOSED'],
    ['after the start', { startDate: at(-1) }, 409, 'REGISTRATION_CLOSED'],
    ['in progress', { status: 'IN_PROGRESS' }, 409, 'REGISTRATION_CLOSED'],
    ['cancelled', { status: 'CANCELLED' }, 409, 'REGISTRATION_CLOSED'],
    ['a draft, for outsiders', { status: 'DRAFT', publishedAt: null }, 404, 'NOT_FOUND'],
    ['private, for outsiders', { visibility: 'private' }, 404, 'NOT_FOUND'],
  ])('is refused %s', async (_name, data, status, reason) => {
    const cup = await make(data);
    const player = await makeUser();
    expect(refusal(await cup.register(player.bearer))).toEqual([status, reason]);
    expect(await db.participant.count({ where: { tournamentId: cup.id } })).toBe(0);
    expect(await eventsOf(cup.projectId)).toEqual([]);
  });

  test('members may enter a private tournament, and are told that a draft is closed', async () => {
    const hidden = await make({ visibility: 'private' });
    expect((await hidden.register(hidden.organizer.bearer)).status).toBe(201);
    const draft = await make({ status: 'DRAFT', publishedAt: null });
    expect(refusal(await draft.register(draft.organizer.bearer))).toEqual([409, 'REGISTRATION_CLOSED']);
  });

  test('is refused twice, after a rejection, when suspended, without a token and with a key', async () => {
    const cup = await make();
    const player = await makeUser();
    expect((await cup.register(player.bearer)).status).toBe(201);
    expect(refusal(await cup.register(player.bearer))).toEqual([409, 'ALREADY_REGISTERED']);
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { registrationStatus: 'rejected' } });
    expect(refusal(await cup.register(player.bearer))).toEqual([409, 'REGISTRATION_REJECTED']);
    const suspended = await makeUser();
    await db.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } });
    expect(refusal(await cup.register(suspended.bearer))).toEqual([403, 'ACCOUNT_SUSPENDED']);
    const path = `/tournaments/${cup.id}/participants/register`;
    expect((await api.post(path)).status).toBe(401);
    const { key } = await makeApiKey(cup.projectId);
    expect((await api.post(path, { apiKey: key })).status).toBe(401);
    expect((await api.post('/tournaments/trn_none/participants/register', { bearer: player.bearer })).status).toBe(404);
  });

  test('happens once, however often it is asked at once', async () => {
    const cup = await make();
    const player = await makeUser();
    const answers = await Promise.all(Array.from({ length: 8 }, () => cup.register(player.bearer)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await eventsOf(cup.projectId)).toEqual(['participant.registered']);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(1);
  });

  test('takes answers to the questions asked, and refuses missing or wrong ones', async () => {
    const cup = await make({
      customFields: [
        { key: 'rank', label: 'Rank', type: 'select', required: true, options: ['gold'], visibility: 'organizers' },
        { key: 'age', label: 'Age', type: 'number', required: false, visibility: 'organizers' },
      ],
    });
    const player = await makeUser();
    const bare = await cup.register(player.bearer);
    expect(refusal(bare)).toEqual([400, 'VALIDATION_FAILED']);
    expect(bare.body.error.issues).toEqual([{ path: 'customFields.rank', message: 'Rank is required.' }]);
    const wrong = await cup.register(player.bearer, { customFields: { rank: 'iron', age: 'old' } });
    expect(wrong.body.error.issues?.map((issue) => issue.path)).toEqual(['customFields.rank', 'customFields.age']);
    const right = await cup.register(player.bearer, { customFields: { rank: 'gold', extra: 1 }, projectId: 'prj_x' });
    expect([right.status, right.body.customFields]).toEqual([201, { rank: 'gold' }]);
  });
});

describe('teams', () => {
  const team = (captain: { id: string }, others: { id: string }[], teamName = 'Night Owls') => ({
    teamName,
    teamMembers: [{ userId: captain.id, role: 'captain' }, ...others.map(({ id }) => ({ userId: id, role: 'player' }))],
  });

  test('are registered by their captain, with a roster that nobody else has', async () => {
    const cup = await make({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const [captain, mate, other, third] = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser()]);
    const entered = await cup.register(captain.bearer, team(captain, [mate]));
    expect(entered.status).toBe(201);
    expect(entered.body).toMatchObject({ type: 'team', name: 'Night Owls', isCaptain: true });
    expect(entered.body.roster.map((member) => [member.userId, member.role])).toEqual([
      [captain.id, 'captain'],
      [mate.id, 'player'],
    ]);
    const clash = await cup.register(other.bearer, team(other, [third, mate], 'Second'));
    expect(refusal(clash)).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect(clash.body.message).toContain(mate.name);
    expect(refusal(await cup.register(mate.bearer, team(mate, [third])))).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect((await cup.mine(mate.bearer)).body).toMatchObject({
      id: entered.body.id,
      isCaptain: false,
      canCancel: false,
    });
    expect(refusal(await cup.cancel(mate.bearer))).toEqual([403, 'FORBIDDEN']);
  });

  test('that share a player and come at once do not both get in', async () => {
    const cup = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const mate = await makeUser();
    const captains = await Promise.all(Array.from({ length: 6 }, () => makeUser()));
    const answers = await Promise.all(captains.map((captain) => cup.register(captain.bearer, team(captain, [mate]))));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    const others = answers.filter((answer) => answer.status !== 201);
    expect(others.map(refusal)).toEqual(Array(5).fill([409, 'ALREADY_ON_ROSTER']));
    expect(others[0]?.body.message).toContain(mate.name);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(1);
    expect(await eventsOf(cup.projectId)).toEqual(['participant.registered']);
  });

  test('must have the right size, a name, known players and one captain', async () => {
    const cup = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const captain = await makeUser();
    const bare = await cup.register(captain.bearer);
    expect(refusal(bare)).toEqual([400, 'VALIDATION_FAILED']);
    expect(bare.body.error.issues?.map((issue) => issue.path)).toEqual(['teamName', 'teamMembers']);
    const ghost = await cup.register(captain.bearer, team(captain, [{ id: 'usr_ghost' }]));
    expect(ghost.body.error.issues).toEqual([{ path: 'teamMembers.1.userId', message: 'There is no such player.' }]);
    // A name that nobody sees, or that turns the line around it, is none.
    const mate = await makeUser();
    for (const name of ['\u200b\u2060', '\u202egnirts', 'a\u0007', ' ']) {
      const unseen = await cup.register(captain.bearer, team(captain, [mate], name));
      expect(unseen.body.error.issues?.map((issue) => issue.path)).toEqual(['teamName']);
    }
    expect((await cup.register(captain.bearer, team(captain, [mate], 'فريق'))).status).toBe(201);
  });

  test('free their players when they cancel, and the players may enter anew', async () => {
    const cup = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const [captain, mate, other] = await Promise.all([makeUser(), makeUser(), makeUser()]);
    await cup.register(captain.bearer, team(captain, [mate]));
    expect((await cup.cancel(captain.bearer)).body).toMatchObject({ registrationStatus: 'cancelled', roster: [] });
    expect((await cup.register(other.bearer, team(other, [mate], 'Second'))).status).toBe(201);
    expect(refusal(await cup.register(captain.bearer, team(captain, [mate])))).toEqual([409, 'ALREADY_ON_ROSTER']);
  });

  test('check in through any of their players', async () => {
    const cup = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2, checkInOpensAt: at(-1) });
    const [captain, mate] = await Promise.all([makeUser(), makeUser()]);
    await cup.register(captain.bearer, team(captain, [mate]));
    expect((await cup.checkIn(mate.bearer)).body.status).toBe('checked_in');
    expect(refusal(await cup.checkIn(captain.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
  });
});

describe('cancelling', () => {
  test('frees the slot for who waits first, in the same change', async () => {
    const cup = await make({ maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
    for (const player of players) await cup.register(player.bearer);
    const [first, , third, fourth] = players;
    const before = (await eventsOf(cup.projectId)).length;
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
    expect((await eventsOf(cup.projectId)).slice(before)).toEqual(['participant.withdrawn', 'participant.approved']);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(2);
  });

  test('lets the player come back, at the end of the queue, in the same row', async () => {
    const cup = await make({ maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 3 }, () => makeUser()));
    const ids = [];
    for (const player of players) ids.push((await cup.register(player.bearer)).body.id);
    await cup.cancel(players[0]?.bearer ?? '');
    expect(refusal(await cup.cancel(players[0]?.bearer ?? ''))).toEqual([409, 'INVALID_STATE']);
    const back = await cup.register(players[0]?.bearer ?? '');
    expect([back.status, back.body.id, back.body.registrationStatus, back.body.waitlistPosition]).toEqual([
      201,
      ids[0],
      'waitlisted',
      1,
    ]);
    expect(back.body.cancelledAt).toBeNull();
    expect(refusal(await cup.cancel((await makeUser()).bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('says full again only when a slot was really free', async () => {
    const cup = await make({ maxParticipants: 2 });
    const players = await Promise.all(Array.from({ length: 3 }, () => makeUser()));
    for (const player of players.slice(0, 2)) await cup.register(player.bearer);
    await cup.cancel(players[0]?.bearer ?? '');
    await cup.register(players[2]?.bearer ?? '');
    expect((await eventsOf(cup.projectId)).filter((type) => type === 'registration.full')).toHaveLength(2);
  });

  test('is refused when switched off, and after the start', async () => {
    const off = await make({ allowCancel: false });
    const player = await makeUser();
    await off.register(player.bearer);
    expect(refusal(await off.cancel(player.bearer))).toEqual([403, 'CANCEL_NOT_ALLOWED']);
    const cup = await make();
    await cup.register(player.bearer);
    await db.tournament.update({ where: { id: cup.id }, data: { status: 'IN_PROGRESS' } });
    const late = await cup.cancel(player.bearer);
    expect(refusal(late)).toEqual([409, 'INVALID_STATE']);
    expect(late.body.message).toContain('The tournament has started');
  });
});

describe('checking in', () => {
  test('works while the window is open, once', async () => {
    const cup = await make({ checkInOpensAt: at(-1) });
    const player = await makeUser();
    expect((await cup.register(player.bearer)).body.canCheckIn).toBe(true);
    const done = await cup.checkIn(player.bearer);
    expect([done.status, done.body.status, done.body.canCheckIn]).toEqual([200, 'checked_in', false]);
    expect(done.body.checkedInAt).not.toBeNull();
    expect(refusal(await cup.checkIn(player.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    const racing = await makeUser();
    await cup.register(racing.bearer);
    const answers = await Promise.all(Array.from({ length: 5 }, () => cup.checkIn(racing.bearer)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await eventsOf(cup.projectId)).filter((type) => type === 'participant.checked_in')).toHaveLength(2);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>, number, string]>([
    ['never opened', {}, 409, 'CHECK_IN_CLOSED'],
    ['opens later', { checkInOpensAt: at(1) }, 409, 'CHECK_IN_CLOSED'],
    ['closed', { checkInOpensAt: at(-2), checkInClosesAt: at(-1) }, 409, 'CHECK_IN_CLOSED'],
    [
      'without an anti-cheat client',
      { checkInOpensAt: at(-1), requiresAntiCheat: true },
      412,
      'ANTI_CHEAT_NOT_RUNNING',
    ],
    ['pending', { checkInOpensAt: at(-1), requiresApproval: true }, 409, 'NOT_APPROVED'],
  ])('is refused: %s', async (_name, data, status, reason) => {
    const cup = await make(data);
    const player = await makeUser();
    await cup.register(player.bearer);
    expect(refusal(await cup.checkIn(player.bearer))).toEqual([status, reason]);
    expect(refusal(await cup.checkIn((await makeUser()).bearer))).toEqual([404, 'NOT_REGISTERED']);
  });

  test('an organizer checks anyone in, whatever the window and the client', async () => {
    const cup = await make({ requiresAntiCheat: true });
    const player = await makeUser();
    const { id } = (await cup.register(player.bearer)).body;
    const done = await cup.checkInOf(id, cup.organizer.bearer);
    expect(done.body).toMatchObject({
      id,
      status: 'checked_in',
      canManage: true,
      isMe: false,
      contact: { email: player.email },
    });
    expect(refusal(await cup.checkInOf(id, cup.organizer.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    expect(await db.auditEntry.count({ where: { targetId: id, action: 'participant.check_in' } })).toBe(1);
  });

  test('of others is for organizers of that tournament', async () => {
    const cup = await make();
    const player = await makeUser();
    const { id } = (await cup.register(player.bearer)).body;
    const moderator = await makeMember(cup.projectId, 'MODERATOR');
    expect((await cup.checkInOf(id, moderator.bearer)).status).toBe(403);
    expect((await cup.checkInOf(id, player.bearer)).status).toBe(403);
    const other = await make();
    expect((await other.checkInOf(id, other.organizer.bearer)).status).toBe(404);
    await db.tournament.update({ where: { id: cup.id }, data: { status: 'IN_PROGRESS' } });
    expect(refusal(await cup.checkInOf(id, cup.organizer.bearer))).toEqual([409, 'INVALID_STATE']);
  });
});

describe('my registrations', () => {
  test('are those I captain and those I play in, latest first', async () => {
    const player = await makeUser();
    const captain = await makeUser();
    const [solo, duo, gone] = [await make(), await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 }), await make()];
    await solo.register(player.bearer);
    await duo.register(captain.bearer, {
      teamName: 'Duo',
      teamMembers: [
        { userId: captain.id, role: 'captain' },
        { userId: player.id, role: 'player' },
      ],
    });
    await gone.register(player.bearer);
    await gone.cancel(player.bearer);
    const list = async (query = '') => {
      const answer = await api.get<{ items: MyRegistration[]; total: number }>(`/me/registrations${query}`, {
        bearer: player.bearer,
      });
      return answer.body;
    };
    const all = await list();
    expect(all.items.map((item) => item.tournament.id)).toEqual([gone.id, duo.id, solo.id]);
    expect(all.items[1]).toMatchObject({ name: 'Duo', isCaptain: false, tournament: { slug: duo.slug, game: 'cs2' } });
    expect((await list('?when=current')).items.map((item) => item.tournament.id)).toEqual([duo.id, solo.id]);
    expect((await list('?when=past')).items.map((item) => item.tournament.id)).toEqual([gone.id]);
    expect(await list('?limit=1&page=3')).toMatchObject({ total: 3 });
    expect(await list('?page=9')).toMatchObject({ total: 3, items: [] });
    expect((await api.get('/me/registrations')).status).toBe(401);
  });

  test('are read with 404 where there is none', async () => {
    const cup = await make();
    const stranger = await makeUser();
    expect(refusal(await cup.mine(stranger.bearer))).toEqual([404, 'NOT_REGISTERED']);
    expect((await cup.mine()).status).toBe(401);
  });
});
