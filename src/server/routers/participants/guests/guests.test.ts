import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { env } from '@/env';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { playOut } from '@/server/routers/matches/matches.fixture';
import { eventEmails } from '@/server/routers/participants/data-emails';
import type { ManagedParticipant } from '@/server/routers/participants/schema';
import { writeEmails } from '@/test/email';
import { makeApiKey, makeMember, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { type ErrorBody, hostTournament, hoursFromNow, projectEvents, refusalOf } from '@/test/tournaments';

const api = setupTestServer();

const named = (count: number, prefix = 'Guest') =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix} ${at + 1}` }));

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await hostTournament(api, data);
  const { path, organizer } = cup;
  const { bearer } = organizer;
  return {
    ...cup,
    add: (body: unknown) =>
      api.post<{ items: ManagedParticipant[] } & ErrorBody>(`${path}/participants`, { bearer, body }),
    edit: (id: string, body: unknown, headers?: Record<string, string>) =>
      api.patch<ManagedParticipant & ErrorBody>(`${path}/participants/${id}`, { bearer, body, headers }),
    act: (id: string, what: string, body?: unknown) =>
      api.post<ManagedParticipant>(`${path}/participants/${id}/${what}`, { bearer, body }),
    rows: () => db.participant.findMany({ where: { tournamentId: cup.id }, orderBy: { registeredAt: 'asc' } }),
  };
}

const issuePaths = ({ body }: { body: ErrorBody }) => body.error.issues?.map(({ path }) => path);

describe('adding guests', () => {
  test('lets exactly as many pass in a day as a project may add, no matter how many callers add them at once', async () => {
    const limit = env.GUESTS_PER_PROJECT_PER_DAY;
    env.GUESTS_PER_PROJECT_PER_DAY = 8;
    try {
      const { add, taken } = await make({ maxParticipants: 64 });
      const two = (at: number) => add({ participants: named(2, `Group ${at}, player`) });
      const responses = await Promise.all(Array.from({ length: 8 }, (_, at) => two(at)));
      expect(responses.map(({ status }) => status).sort()).toEqual([...Array(4).fill(201), ...Array(4).fill(429)]);
      expect(responses.find(({ status }) => status === 429)?.reason).toBe('QUOTA_EXCEEDED');
      expect(await taken()).toBe(8);
    } finally {
      env.GUESTS_PER_PROJECT_PER_DAY = limit;
    }
  });

  test('of a hundred teams with full rosters does not hold up others', async () => {
    const { add, rows } = await make({ maxParticipants: 512, teamSize: 5, rosterMin: 1, rosterMax: 40 });
    const teams = (from: string) =>
      named(100, `Team ${from}`).map((team) => ({ ...team, roster: named(40, `${team.name}, player`) }));
    // The first of its kind is slow for other reasons.
    await add({ participants: teams('A') });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const added = await add({ participants: teams('B') });
    delay.disable();
    expect(added.status, added.text).toBe(201);
    const [team] = added.body.items;
    expect(team?.roster.map(({ name }) => name)).toEqual(named(40, 'Team B 1, player').map(({ name }) => name));
    expect(await rows()).toHaveLength(200);
    expect(delay.max / 1e6).toBeLessThan(250);
  });

  test('gives each a slot at once, in the order sent, with events and audit entries', async () => {
    const { add, taken, project, id, list, organizer } = await make({ requiresApproval: true });
    const added = await add({ participants: [{ name: 'Ada', seed: 2 }, { name: 'Bo', seed: 1 }, { name: 'Cy' }] });
    expect(added.status, added.text).toBe(201);
    expect(added.body.items.map(({ name, seed }) => [name, seed])).toEqual([
      ['Ada', 2],
      ['Bo', 1],
      ['Cy', null],
    ]);
    expect(added.body.items[0]).toMatchObject({
      ...{ userId: null, contact: null, registrationStatus: 'approved', status: 'registered', type: 'individual' },
      ...{ roster: [], isMe: false, canManage: true },
    });
    const one = await add({ name: 'Di' });
    expect(one.body.items).toHaveLength(1);
    expect(await taken()).toBe(4);
    const { items } = (await list()).body;
    expect(items.map(({ name, userId }) => [name, userId])).toEqual([
      ['Bo', null],
      ['Ada', null],
      ['Cy', null],
      ['Di', null],
    ]);
    expect(await projectEvents(project.id)).toEqual(Array(4).fill('participant.registered'));
    const [event] = await db.domainEvent.findMany({ where: { projectId: project.id }, orderBy: { sequence: 'asc' } });
    expect(event?.payload).toMatchObject({ userId: null, name: 'Ada', seed: 2, tournamentId: id, previous: null });
    const audits = await db.auditEntry.findMany({ where: { projectId: project.id, action: 'participant.add' } });
    expect(audits.map(({ actorId }) => actorId)).toEqual(Array(4).fill(organizer.id));
  });

  test('works in a draft and after registration has closed, until the start', async () => {
    const draft = await make({ status: 'DRAFT', publishedAt: null });
    const added = await draft.add({ participants: named(2) });
    expect(added.status).toBe(201);
    const removed = await api.delete(`${draft.path}/participants/${added.body.items[0]?.id}`, {
      bearer: draft.organizer.bearer,
    });
    expect([removed.status, await draft.taken()]).toEqual([200, 1]);
    const closed = await make({ registrationClosesAt: hoursFromNow(-1) });
    expect((await closed.add({ name: 'Late' })).status).toBe(201);
    await closed.set({ status: 'IN_PROGRESS' });
    expect(refusalOf(await closed.add({ name: 'Too late' }))).toEqual([409, 'INVALID_STATE']);
    await closed.set({ status: 'CANCELLED' });
    expect(refusalOf(await closed.add({ name: 'Too late' }))).toEqual([409, 'INVALID_STATE']);
    expect(await closed.taken()).toBe(1);
  });

  test('writes nothing when there are fewer free slots, also with a waitlist', async () => {
    const { add, taken, rows, project } = await make({ maxParticipants: 4, waitlistEnabled: true });
    expect((await add({ participants: named(3) })).status).toBe(201);
    const refused = await add({ participants: named(2, 'More') });
    expect(refusalOf(refused)).toEqual([409, 'ROSTER_FULL']);
    expect(refused.body.message).toContain('2 participants were sent, and only 1 slot is free');
    expect([(await rows()).length, await taken()]).toEqual([3, 3]);
    expect((await add({ name: 'Last' })).status).toBe(201);
    expect((await projectEvents(project.id)).slice(-2)).toEqual(['participant.registered', 'registration.full']);
    expect(refusalOf(await add({ name: 'Over' }))).toEqual([409, 'ROSTER_FULL']);
  });

  test('fills exactly the slots there are while players register at the same time', async () => {
    const { add, register, taken, rows } = await make({ maxParticipants: 16 });
    const players = await Promise.all(Array.from({ length: 8 }, () => makeUser()));
    const [batches, registrations] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, (_, at) => add({ participants: named(3, `Batch ${at}`) }))),
      Promise.all(players.map(({ bearer }) => register(bearer))),
    ]);
    const guests = batches.filter(({ status }) => status === 201).length * 3;
    const registered = registrations.filter(({ status }) => status === 201).length;
    for (const { status } of [...batches, ...registrations]) expect([201, 409]).toContain(status);
    const approved = (await rows()).filter(({ registrationStatus }) => registrationStatus === 'approved').length;
    expect(approved).toBe(guests + registered);
    expect(approved).toBe(await taken());
    expect(approved).toBeLessThanOrEqual(16);
    expect(approved).toBeGreaterThanOrEqual(14);
  });

  test('refuses repeated names and seeds, and says which', async () => {
    const { add, rows, register } = await make();
    const player = await makeUser({ name: 'Registered' });
    await register(player.bearer);
    const twice = await add({ participants: [{ name: 'Ada' }, { name: 'Bo' }, { name: '  aDA ' }] });
    expect([...refusalOf(twice), issuePaths(twice)]).toEqual([400, 'VALIDATION_FAILED', ['participants.2.name']]);
    const seeds = await add({
      participants: [
        { name: 'Ada', seed: 1 },
        { name: 'Bo', seed: 1 },
      ],
    });
    expect(issuePaths(seeds)).toEqual(['participants.1.seed']);
    expect((await add({ name: 'Ada', seed: 3 })).status).toBe(201);
    const known = await add({ participants: [{ name: 'Cy' }, { name: 'ada' }, { name: 'registered' }] });
    expect([...refusalOf(known), issuePaths(known)]).toEqual([
      ...[409, 'NAME_TAKEN'],
      ['participants.1.name', 'participants.2.name'],
    ]);
    const seeded = await add({ name: 'Cy', seed: 3 });
    expect([...refusalOf(seeded), issuePaths(seeded)]).toEqual([409, 'SEED_TAKEN', ['seed']]);
    expect(await rows()).toHaveLength(2);
  });

  test('compares a name with those that can be the same, and works each of these out once', async () => {
    const { add } = await make({ maxParticipants: 1_000 });
    const named = (count: number, name: string) => Array.from({ length: count }, (_, at) => ({ name: `${name}${at}` }));
    const others = [...named(60, 'Plain '), ...named(5, 'Zoë'), { name: 'ＡＤＡ' }];
    expect((await add({ participants: others })).status).toBe(201);
    const normalize = vi.spyOn(String.prototype, 'normalize');
    onTestFinished(() => normalize.mockRestore());
    for (const name of ['plain 7', 'PLAIN  7', 'Ada', 'zoë3']) {
      expect(refusalOf(await add({ name }))).toEqual([409, 'NAME_TAKEN']);
    }
    const worked = normalize.mock.contexts.map(String);
    expect(worked.filter((name) => others.some((other) => other.name === name))).toHaveLength(6);
    expect(worked.length).toBeLessThan(20);
  });

  test('refuses what is not a list of 1 to 256 named participants', async () => {
    const { add, rows } = await make({ maxParticipants: 1_000 });
    const roster = [{ name: 'Ada' }];
    for (const body of [
      undefined,
      {},
      { participants: [] },
      { name: 'Ada', participants: named(1) },
      { participants: named(257) },
      { name: ' ' },
      { name: 'Ada', seed: 0 },
      { name: 'Ada', roster },
      { participants: [{ name: 'a'.repeat(81) }] },
    ]) {
      expect(refusalOf(await add(body))).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect(await rows()).toEqual([]);
    expect((await add({ participants: named(256) })).body.items).toHaveLength(256);
  });

  test('takes the first name of a roster as the captain, and allows none', async () => {
    const { add, list } = await make({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const roster = ['Ada', 'Bo', 'Cy'].map((name) => ({ name }));
    const added = await add({ participants: [{ name: 'Foxes', roster }, { name: 'Owls' }] });
    expect(added.status, added.text).toBe(201);
    expect(added.body.items.map((item) => [item.type, item.roster])).toEqual([
      [
        'team',
        [
          { userId: null, name: 'Ada', role: 'captain' },
          { userId: null, name: 'Bo', role: 'player' },
          { userId: null, name: 'Cy', role: 'substitute' },
        ],
      ],
      ['team', []],
    ]);
    expect((await list('?search=bo')).body.items.map(({ name }) => name)).toEqual(['Foxes']);
    const tooMany = await add({ name: 'Bears', roster: [...roster, { name: 'Di' }] });
    expect([...refusalOf(tooMany), issuePaths(tooMany)]).toEqual([400, 'VALIDATION_FAILED', ['roster']]);
    const twice = await add({ name: 'Bears', roster: [{ name: 'Ada' }, { name: 'Ada' }] });
    expect(issuePaths(twice)).toEqual(['roster.1.name']);
  });

  test('is for organizers of the project', async () => {
    const { path, project, add } = await make();
    const moderator = await makeMember(project.id, 'MODERATOR');
    const stranger = await makeUser();
    const { key } = await makeApiKey(project.id);
    for (const [credential, status] of [
      [{ bearer: moderator.bearer }, 403],
      [{ bearer: stranger.bearer }, 403],
      [{ apiKey: key }, 401],
      [{}, 401],
    ] as const) {
      const response = await api.post(`${path}/participants`, { ...credential, body: { name: 'Ada' } });
      expect(response.status).toBe(status);
    }
    const { body } = await add({ name: 'Ada' });
    const guest = `${path}/participants/${body.items[0]?.id}`;
    expect((await api.patch(guest, { bearer: moderator.bearer, body: { name: 'Bo' } })).status).toBe(403);
    expect((await api.post(`${guest}/claim-link`, { bearer: moderator.bearer })).status).toBe(403);
  });
});

describe('staff', () => {
  test('edit the name and the roster of a guest, also during play', async () => {
    const { add, edit, project, set } = await make({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const { body } = await add({ participants: [{ name: 'Foxes' }, { name: 'Owls' }] });
    const [foxes] = body.items.map(({ id }) => id) as [string];
    const roster = [{ name: 'Ada' }, { name: 'Bo' }];
    const edited = await edit(foxes, { name: 'Red Foxes', roster });
    expect(edited.body).toMatchObject({ name: 'Red Foxes', version: 2 });
    expect(edited.body.roster.map(({ name, role }) => [name, role])).toEqual([
      ['Ada', 'captain'],
      ['Bo', 'player'],
    ]);
    const event = await db.domainEvent.findFirstOrThrow({
      where: { projectId: project.id, type: 'participant.updated' },
    });
    expect(event.payload).toMatchObject({ changes: ['name', 'roster'], userId: null });
    expect((await edit(foxes, { name: 'Red Foxes', roster })).body.version).toBe(2);
    expect(refusalOf(await edit(foxes, { name: 'owls' }))).toEqual([409, 'NAME_TAKEN']);
    expect((await edit(foxes, { name: 'RED FOXES' })).status).toBe(200);
    expect(refusalOf(await edit(foxes, { name: 'Late' }, { 'If-Match': '"1"' }))).toEqual([412, 'VERSION_MISMATCH']);
    expect(refusalOf(await edit('prt_ghost', { name: 'Late' }))).toEqual([404, 'NOT_FOUND']);
    await set({ status: 'IN_PROGRESS' });
    expect((await edit(foxes, { name: 'Foxes' })).status).toBe(200);
  });

  test('cannot rename a participant who has an account', async () => {
    const { edit, register } = await make();
    const player = await makeUser();
    const { id } = (await register(player.bearer)).body;
    expect(refusalOf(await edit(id, { name: 'Someone else' }))).toEqual([409, 'INVALID_STATE']);
  });

  test('check guests in, seed, disqualify, reinstate, waitlist and remove them, and the waitlist moves up', async () => {
    const { add, act, path, organizer, register, taken, id } = await make({
      maxParticipants: 2,
      waitlistEnabled: true,
    });
    const { bearer } = organizer;
    const { items } = (await add({ participants: named(2) })).body;
    const [first, second] = items.map((item) => item.id) as [string, string];
    const player = await makeUser();
    expect((await register(player.bearer)).body.registrationStatus).toBe('waitlisted');
    expect((await act(first, 'checkin')).body.status).toBe('checked_in');
    const seeding = await api.put(`${path}/seeding`, { bearer, body: { order: [second, first] } });
    expect(seeding.status).toBe(200);
    expect((await act(second, 'disqualify', { reason: 'Late' })).body.status).toBe('disqualified');
    expect((await api.get(`${path}/registrations/me`, { bearer: player.bearer })).body.registrationStatus).toBe(
      'approved',
    );
    expect(refusalOf(await act(second, 'reinstate'))).toEqual([409, 'ROSTER_FULL']);
    expect((await api.delete(`${path}/participants/${first}`, { bearer })).status).toBe(200);
    expect((await act(second, 'reinstate')).status).toBe(200);
    const waitlisted = await api.patch(`${path}/registrations/${second}/waitlist`, { bearer });
    expect(waitlisted.body).toMatchObject({ registrationStatus: 'waitlisted', waitlistPosition: 1 });
    expect((await api.post(`${path}/registrations/me/cancel`, { bearer: player.bearer })).status).toBe(200);
    const row = await db.participant.findUniqueOrThrow({ where: { id: second } });
    expect([row.registrationStatus, await taken()]).toEqual(['approved', 1]);
    const desk = await api.trpc(bearer).participants.desk.query({ tournamentId: id });
    expect(desk.items.find((item) => item.id === second)).toMatchObject({ userId: null, email: null });
    const read = await api.trpc(bearer).participants.read.query({ tournamentId: id, participantId: second });
    expect(read).toMatchObject({ userId: null, contact: null });
  });

  test('see guests in the CSV export, without an address', async () => {
    const { add, path, organizer } = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 });
    await add({ name: 'Foxes', roster: [{ name: 'Ada' }, { name: 'Bo' }] });
    const response = await api.get<{ csv: string }>(`${path}/participants/export`, { bearer: organizer.bearer });
    const [, line] = response.body.csv.split('\r\n');
    expect(line?.replaceAll('"', '')).toMatch(/^Foxes,team,approved,registered,,.*,,,Ada \(captain\); Bo$/);
  });

  test('play a whole tournament for guests, who get no emails and no statistics', async () => {
    const { add, act, path, organizer, project, id, set } = await make({ format: 'double_elimination' });
    const { bearer } = organizer;
    const { items } = (await add({ participants: named(8) })).body;
    expect((await api.post(`${path}/start`, { bearer })).status).toBe(200);
    const withdrawn = items[7]?.id ?? '';
    expect((await act(withdrawn, 'withdraw', { reason: 'Went home' })).body.status).toBe('withdrew');
    expect((await act(items[6]?.id ?? '', 'disqualify', { reason: 'Cheated' })).body.status).toBe('disqualified');
    const stranger = await makeUser();
    const open = await db.match.findFirstOrThrow({ where: { tournamentId: id, status: 'ready' } });
    const report = { bearer: stranger.bearer, body: { games: [{ scores: [1, 0] }] } };
    expect(refusalOf(await api.post(`/matches/${open.id}/report`, report))).toEqual([403, 'NOT_IN_MATCH']);
    await playOut(api, { tournamentId: id, moderator: organizer });
    const standings = await api.get<{ final: { name: string; rank: number }[] }>(`${path}/standings`);
    expect(standings.body.final[0]).toMatchObject({ rank: 1, name: 'Guest 1' });
    expect((await api.get(path)).body.status).toBe('COMPLETED');
    expect(await db.playerStats.count({ where: { projectId: project.id } })).toBe(0);
    const events = await db.domainEvent.findMany({ where: { projectId: project.id } });
    const aboutGuests = events.filter(({ aggregateType }) => aggregateType === 'participant');
    expect(aboutGuests.length).toBeGreaterThan(8);
    for (const { payload } of aboutGuests) expect(payload).toMatchObject({ userId: null });
    await writeEmails(events.filter(({ type }) => eventEmails.types.includes(type)));
    await set({ status: 'CANCELLED' });
    const ofTournament = events.filter(({ type }) => type === 'tournament.started');
    await writeEmails(ofTournament.map((event) => ({ ...event, type: 'tournament.cancelled' })));
    expect(await db.outgoingMail.count({ where: { sourceId: events[0]?.projectId ?? '' } })).toBe(0);
  });
});
