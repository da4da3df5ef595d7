import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeApiKey, makeUser } from '@/test/factories';
import { question } from '@/test/questions';
import { setupTestServer } from '@/test/server';
import { hostTournament, hoursFromNow, projectEvents, refusalOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();

describe('registering', () => {
  test('needs no body and returns the registration', async () => {
    const cup = await hostTournament(api);
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
    expect(await projectEvents(cup.projectId)).toEqual(['participant.registered']);
    const event = await db.domainEvent.findFirstOrThrow({ where: { projectId: cup.projectId } });
    expect(event.aggregateId).toBe(answer.body.id);
    expect(event.metadata).toMatchObject({ actor: { type: 'user', id: player.id } });
    const row = await db.tournament.findUniqueOrThrow({ where: { id: cup.id } });
    expect([row.currentParticipants, row.version]).toEqual([1, 1]);
  });

  test('works by slug', async () => {
    const cup = await hostTournament(api);
    const player = await makeUser();
    const answer = await api.post(`/tournaments/${cup.slug}/participants/register`, { bearer: player.bearer });
    expect(answer.status).toBe(201);
  });

  test('is pending when approval is required, and takes no slot', async () => {
    const cup = await hostTournament(api, { requiresApproval: true, maxParticipants: 2 });
    const player = await makeUser();
    expect((await cup.register(player.bearer)).body.registrationStatus).toBe('pending');
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(0);
    expect((await cup.list()).body.items).toEqual([]);
  });

  test('fills the tournament, emits registration.full once, then joins the waitlist or is refused', async () => {
    const cup = await hostTournament(api, { maxParticipants: 2, waitlistEnabled: true });
    const full = await hostTournament(api, { maxParticipants: 2 });
    const players = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
    const answers = [];
    for (const player of players) answers.push((await cup.register(player.bearer)).body);
    expect(answers.map((answer) => [answer.registrationStatus, answer.waitlistPosition])).toEqual([
      ['approved', null],
      ['approved', null],
      ['waitlisted', 1],
      ['waitlisted', 2],
    ]);
    expect(await projectEvents(cup.projectId)).toEqual([
      'participant.registered',
      'participant.registered',
      'registration.full',
      'participant.registered',
      'participant.waitlisted',
      'participant.registered',
      'participant.waitlisted',
    ]);
    for (const player of players.slice(0, 2)) await full.register(player.bearer);
    expect(refusalOf(await full.register(players[2]?.bearer ?? ''))).toEqual([409, 'TOURNAMENT_FULL']);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>, number, string]>([
    ['before it opens', { registrationOpensAt: hoursFromNow(1) }, 409, 'REGISTRATION_CLOSED'],
    ['after it closed', { registrationClosesAt: hoursFromNow(-1) }, 409, 'REGISTRATION_CLOSED'],
    ['after the start', { startDate: hoursFromNow(-1) }, 409, 'REGISTRATION_CLOSED'],
    ['in progress', { status: 'IN_PROGRESS' }, 409, 'REGISTRATION_CLOSED'],
    ['cancelled', { status: 'CANCELLED' }, 409, 'REGISTRATION_CLOSED'],
    ['a draft, for outsiders', { status: 'DRAFT', publishedAt: null }, 404, 'NOT_FOUND'],
    ['private, for outsiders', { visibility: 'private' }, 404, 'NOT_FOUND'],
  ])('is refused %s', async (_name, data, status, reason) => {
    const cup = await hostTournament(api, data);
    const player = await makeUser();
    expect(refusalOf(await cup.register(player.bearer))).toEqual([status, reason]);
    expect(await db.participant.count({ where: { tournamentId: cup.id } })).toBe(0);
    expect(await projectEvents(cup.projectId)).toEqual([]);
  });

  test('members can register for a private tournament, but not for a draft', async () => {
    const hidden = await hostTournament(api, { visibility: 'private' });
    expect((await hidden.register(hidden.organizer.bearer)).status).toBe(201);
    const draft = await hostTournament(api, { status: 'DRAFT', publishedAt: null });
    expect(refusalOf(await draft.register(draft.organizer.bearer))).toEqual([409, 'REGISTRATION_CLOSED']);
  });

  test('is refused when repeated, after a rejection, when suspended, without a token and with an API key', async () => {
    const cup = await hostTournament(api);
    const player = await makeUser();
    expect((await cup.register(player.bearer)).status).toBe(201);
    expect(refusalOf(await cup.register(player.bearer))).toEqual([409, 'ALREADY_REGISTERED']);
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { registrationStatus: 'rejected' } });
    expect(refusalOf(await cup.register(player.bearer))).toEqual([409, 'REGISTRATION_REJECTED']);
    const suspended = await makeUser();
    await db.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } });
    expect(refusalOf(await cup.register(suspended.bearer))).toEqual([403, 'ACCOUNT_SUSPENDED']);
    const path = `/tournaments/${cup.id}/participants/register`;
    expect((await api.post(path)).status).toBe(401);
    const { key } = await makeApiKey(cup.projectId);
    expect((await api.post(path, { apiKey: key })).status).toBe(401);
    expect((await api.post('/tournaments/trn_none/participants/register', { bearer: player.bearer })).status).toBe(404);
  });

  test('happens once when requested many times at once', async () => {
    const cup = await hostTournament(api);
    const player = await makeUser();
    const answers = await Promise.all(Array.from({ length: 8 }, () => cup.register(player.bearer)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await projectEvents(cup.projectId)).toEqual(['participant.registered']);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(1);
  });

  test('stores answers to the questions, and refuses missing and invalid ones', async () => {
    const cup = await hostTournament(api, {
      customFields: [
        { key: 'rank', label: 'Rank', type: 'select', required: true, options: ['gold'], visibility: 'organizers' },
        { key: 'age', label: 'Age', type: 'number', required: false, visibility: 'organizers' },
      ],
    });
    const player = await makeUser();
    const bare = await cup.register(player.bearer);
    expect(refusalOf(bare)).toEqual([400, 'VALIDATION_FAILED']);
    expect(bare.body.error.issues).toEqual([{ path: 'customFields.rank', message: 'Rank is required.' }]);
    const wrong = await cup.register(player.bearer, { customFields: { rank: 'iron', age: 'old' } });
    expect(wrong.body.error.issues?.map((issue) => issue.path)).toEqual(['customFields.rank', 'customFields.age']);
    const right = await cup.register(player.bearer, { customFields: { rank: 'gold', extra: 1 }, projectId: 'prj_x' });
    expect([right.status, right.body.customFields]).toEqual([201, { rank: 'gold' }]);
  });
});

describe('registering a team', () => {
  test('needs a captain and a roster without players of other teams', async () => {
    const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const [captain, mate, other, third] = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser()]);
    const registered = await cup.register(captain.bearer, teamOf(captain, [mate]));
    expect(registered.status).toBe(201);
    expect(registered.body).toMatchObject({ type: 'team', name: 'Night Owls', isCaptain: true });
    expect(registered.body.roster.map((member) => [member.userId, member.role])).toEqual([
      [captain.id, 'captain'],
      [mate.id, 'player'],
    ]);
    const clash = await cup.register(other.bearer, teamOf(other, [third, mate], 'Second'));
    expect(refusalOf(clash)).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect(clash.body.message).toContain(mate.name);
    await api.post(`${cup.path}/registrations/me/accept`, { bearer: mate.bearer });
    expect(refusalOf(await cup.register(mate.bearer, teamOf(mate, [third])))).toEqual([409, 'ALREADY_ON_ROSTER']);
    expect((await cup.mine(mate.bearer)).body).toMatchObject({
      id: registered.body.id,
      isCaptain: false,
      canCancel: false,
    });
    expect(refusalOf(await cup.cancel(mate.bearer))).toEqual([403, 'FORBIDDEN']);
  });

  test('succeeds for one of several teams that share a player and register at once', async () => {
    const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const mate = await makeUser();
    const captains = await Promise.all(Array.from({ length: 6 }, () => makeUser()));
    const answers = await Promise.all(captains.map((captain) => cup.register(captain.bearer, teamOf(captain, [mate]))));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    const others = answers.filter((answer) => answer.status !== 201);
    expect(others.map(refusalOf)).toEqual(Array(5).fill([409, 'ALREADY_ON_ROSTER']));
    expect(others[0]?.body.message).toContain(mate.name);
    expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(1);
    expect(await projectEvents(cup.projectId)).toEqual(['participant.registered']);
  });

  test('needs the right roster size, a name, known players and one captain', async () => {
    const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const captain = await makeUser();
    const bare = await cup.register(captain.bearer);
    expect(refusalOf(bare)).toEqual([400, 'VALIDATION_FAILED']);
    expect(bare.body.error.issues?.map((issue) => issue.path)).toEqual(['teamName', 'teamMembers']);
    const ghost = await cup.register(captain.bearer, teamOf(captain, [{ id: 'usr_ghost' }]));
    expect(ghost.body.error.issues).toEqual([{ path: 'teamMembers.1.userId', message: 'There is no such player.' }]);
    // Names that are invisible or change the text direction are refused.
    const mate = await makeUser();
    for (const name of ['\u200b\u2060', '\u202egnirts', 'a\u0007', ' ']) {
      const unseen = await cup.register(captain.bearer, teamOf(captain, [mate], name));
      expect(unseen.body.error.issues?.map((issue) => issue.path)).toEqual(['teamName']);
    }
    expect((await cup.register(captain.bearer, teamOf(captain, [mate], 'فريق'))).status).toBe(201);
  });
});

test('answers of many to the costliest patterns are matched a few in a round of the event loop', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `q${index}`);
  const pattern = '[ab]*a[ab]{18}';
  const cup = await hostTournament(api, { customFields: keys.map((key) => question({ key, pattern })) });
  const players = await Promise.all(Array.from({ length: 24 }, () => makeUser()));
  let [round, ended] = [0, false];
  const count = () => {
    round += 1;
    if (!ended) setImmediate(count);
  };
  count();
  const matched = new Map<number, number>();
  const { matches } = RE2JS.prototype;
  const spy = vi.spyOn(RE2JS.prototype, 'matches').mockImplementation(function (this: RE2JS, ...given) {
    matched.set(round, (matched.get(round) ?? 0) + 1);
    return matches.apply(this, given);
  });
  onTestFinished(() => spy.mockRestore());
  // No two alike: what was matched before is matched faster.
  const letters = (text: string) =>
    createHash('sha512').update(text).digest('hex').slice(0, 99).replace(/[0-7]/g, 'a').replace(/[^a]/g, 'b');
  const sent = players.map(({ bearer }, player) =>
    cup.register(bearer, {
      customFields: Object.fromEntries(keys.map((key, at) => [key, `${letters(`${player} ${at}`)}c`])),
    }),
  );
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([400]));
  ended = true;
  expect(Math.max(...matched.values())).toBeLessThanOrEqual(2 * keys.length);
});
