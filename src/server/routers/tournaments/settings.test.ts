import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { type ErrorBody, hostTournament, hoursFromNow, refusalOf, tournamentEvents } from '@/test/tournaments';
import type { TournamentDetail } from './schema';

const api = setupTestServer();

beforeAll(async () => {
  await db.game.createMany({
    data: [
      { id: 'cs2', name: 'Counter-Strike 2' },
      { id: 'rl', name: 'Rocket League' },
    ],
    skipDuplicates: true,
  });
});

const isoIn = (hours: number) => hoursFromNow(hours).toISOString();
const body = (change: Record<string, unknown> = {}) => ({
  name: 'Winter Cup',
  game: 'cs2',
  maxParticipants: 16,
  startDate: isoIn(48),
  ...change,
});

async function organizerOf(role: 'ORGANIZER' | 'MODERATOR' | 'MEMBER' = 'ORGANIZER') {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, role);
  return { project, owner, organizer, bearer: organizer.bearer };
}

async function draft(change: Record<string, unknown> = {}) {
  const made = await organizerOf();
  const response = await api.post<TournamentDetail>(`/projects/${made.project.id}/tournaments`, {
    bearer: made.bearer,
    body: body(change),
  });
  expect(response.status).toBe(201);
  return { ...made, tournament: response.body };
}

describe('creating', () => {
  test('makes a draft with a slug, the given settings and defaults', async () => {
    const { project, tournament } = await draft({
      name: 'Überfall Open №1',
      timezone: 'Europe/Berlin',
      startDate: '2099-12-05T19:00:00+01:00',
      waitlistEnabled: true,
      entryFee: { amount: 500, currency: 'EUR' },
      formatOptions: { bestOf: 3 },
    });
    expect(tournament).toMatchObject({
      projectId: project.id,
      project: { id: project.id, name: project.name },
      status: 'DRAFT',
      game: 'cs2',
      gameName: 'Counter-Strike 2',
      format: 'single_elimination',
      startDate: '2099-12-05T18:00:00.000Z',
      timezone: 'Europe/Berlin',
      teamSize: 1,
      rosterMin: 1,
      rosterMax: 1,
      currentParticipants: 0,
      waitlistEnabled: true,
      requiresApproval: false,
      allowCancel: true,
      entryFee: { amount: 500, currency: 'EUR' },
      prizePool: null,
      formatOptions: { bestOf: 3 },
      registrationOpen: false,
      publishedAt: null,
      version: 1,
      canManage: true,
    });
    expect(tournament.id).toMatch(/^trn_/);
    expect(tournament.slug).toMatch(/^uberfall-open-no1/);
    expect(await tournamentEvents(tournament.id)).toEqual(['tournament.created']);
    expect(await db.auditEntry.count({ where: { targetId: tournament.id, action: 'tournament.create' } })).toBe(1);
  });

  test('gives every tournament its own slug, even at the same time', async () => {
    const { project, bearer } = await organizerOf();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        api.post<TournamentDetail>(`/projects/${project.id}/tournaments`, {
          bearer,
          body: body({ name: 'Same Name' }),
        }),
      ),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(6).fill(201));
    expect(new Set(responses.map((response) => response.body.slug)).size).toBe(6);
  });

  test('accepts a slug only if it is free', async () => {
    const slug = `wanted-${Date.now()}`;
    const { project, bearer, tournament } = await draft({ slug });
    expect(tournament.slug).toBe(slug);
    const again = await api.post(`/projects/${project.id}/tournaments`, { bearer, body: body({ slug }) });
    expect(refusalOf(again)).toEqual([409, 'SLUG_TAKEN']);
  });

  test('sets the roster size of a team tournament to the team size by default', async () => {
    expect((await draft({ teamSize: 5 })).tournament).toMatchObject({ teamSize: 5, rosterMin: 5, rosterMax: 5 });
    const { tournament } = await draft({ teamSize: 5, rosterMin: 4, rosterMax: 7 });
    expect(tournament).toMatchObject({ rosterMin: 4, rosterMax: 7 });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: undefined }, 'name'],
    ['an unknown game', { game: 'chess-boxing' }, 'game'],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset as time zone', { timezone: '+02:00' }, 'timezone'],
    ["a time zone of ICU's own", { timezone: 'act' }, 'timezone'],
    ['a start in the past', { startDate: isoIn(-1) }, 'startDate'],
    ['a start in a five-digit year', { startDate: '9999-12-31T23:59:59-01:00' }, 'startDate'],
    ['a start without an offset', { startDate: '2099-01-01T10:00:00' }, 'startDate'],
    ['registration after the start', { registrationClosesAt: isoIn(50) }, 'registrationClosesAt'],
    ['check-in that closes before it opens', { checkInOpensAt: isoIn(5), checkInClosesAt: isoIn(4) }, 'checkInOpensAt'],
    ['a maximum of one participant', { maxParticipants: 1 }, 'maxParticipants'],
    ['an unknown currency', { entryFee: { amount: 5, currency: 'XXQ' } }, 'entryFee.currency'],
    ['an even best-of', { formatOptions: { bestOf: 2 } }, 'formatOptions.bestOf'],
    ["another format's option", { formatOptions: { legs: 2 } }, 'formatOptions.legs'],
    ['an invalid slug', { slug: 'Not A Slug' }, 'slug'],
    ["a page's address as slug", { slug: 'new' }, 'slug'],
  ])('refuses %s', async (_name, change, path) => {
    const { project, bearer } = await organizerOf();
    const response = await api.post<ErrorBody>(`/projects/${project.id}/tournaments`, { bearer, body: body(change) });
    expect(refusalOf(response)).toEqual([400, 'VALIDATION_FAILED']);
    expect(response.body.error.issues?.map((issue) => issue.path)).toContain(path);
    expect(await db.tournament.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('is for organizers of the project', async () => {
    const { project } = await makeProject();
    const moderator = await makeMember(project.id, 'MODERATOR');
    const stranger = await makeUser();
    const { key } = await makeApiKey(project.id);
    const path = `/projects/${project.id}/tournaments`;
    const tries = [{ bearer: moderator.bearer }, { bearer: stranger.bearer }, {}, { apiKey: key }];
    const responses = await Promise.all(tries.map((credential) => api.post(path, { ...credential, body: body() })));
    expect(responses.map((response) => response.status)).toEqual([403, 404, 401, 401]);
  });
});

describe('changing', () => {
  test('raises the version, names the changed fields and keeps the rest', async () => {
    const { tournament, bearer } = await draft({ waitlistEnabled: true });
    const path = `/tournaments/${tournament.id}`;
    const changed = await api.patch<TournamentDetail>(path, {
      bearer,
      body: { name: 'Spring Cup', maxParticipants: 16, checkInOpensAt: isoIn(47) },
    });
    expect(changed.body).toMatchObject({
      name: 'Spring Cup',
      waitlistEnabled: true,
      version: 2,
      slug: tournament.slug,
    });
    const event = await db.domainEvent.findFirstOrThrow({
      where: { aggregateId: tournament.id, type: 'tournament.updated' },
    });
    expect(event.payload).toMatchObject({ name: 'Spring Cup', changes: ['name', 'checkInOpensAt'] });

    const same = await api.patch<TournamentDetail>(path, { bearer, body: { name: 'Spring Cup' } });
    expect(same.body.version).toBe(2);
    expect(await tournamentEvents(tournament.id)).toEqual(['tournament.created', 'tournament.updated']);
    const cleared = await api.patch<TournamentDetail>(path, { bearer, body: { checkInOpensAt: null } });
    expect(cleared.body.checkInOpensAt).toBeNull();
  });

  test('is refused for an outdated version', async () => {
    const { tournament, bearer } = await draft();
    const path = `/tournaments/${tournament.id}`;
    const send = (name: string, headers: Record<string, string>, more = {}) =>
      api.patch(path, { bearer, headers, body: { name, ...more } });
    expect((await send('Name two', { 'If-Match': '"1"' })).status).toBe(200);
    const stale = await send('Name three', { 'If-Match': '"1"' });
    expect(refusalOf(stale)).toEqual([412, 'VERSION_MISMATCH']);
    expect((await send('Name three', {}, { version: 1 })).status).toBe(412);
    expect((await send('Name three', {}, { version: 2 })).status).toBe(200);
    const racing = await Promise.all(['a', 'b', 'c', 'd'].map((name) => send(`Name ${name}`, { 'If-Match': '3' })));
    expect(racing.map((response) => response.status).sort()).toEqual([200, 412, 412, 412]);
  });

  test('validates the settings as a whole', async () => {
    const { tournament, bearer } = await draft({ registrationClosesAt: isoIn(40) });
    const response = await api.patch<ErrorBody>(`/tournaments/${tournament.id}`, {
      bearer,
      body: { startDate: isoIn(30) },
    });
    expect(refusalOf(response)).toEqual([400, 'VALIDATION_FAILED']);
    expect(response.body.error.issues?.[0]?.path).toBe('registrationClosesAt');
  });

  test('locks game, team size and question types once someone has registered', async () => {
    const { project, owner } = await makeProject();
    const field = { key: 'rank', label: 'Rank', type: 'text', required: false, visibility: 'organizers' };
    const { id } = await makeTournament(project.id, { customFields: [field] });
    const { bearer } = owner;
    const patch = (change: Record<string, unknown>) =>
      api.patch<ErrorBody>(`/tournaments/${id}`, { bearer, body: change });
    expect((await patch({ game: 'rl' })).status).toBe(200);
    expect((await patch({ slug: 'new-address' })).reason).toBe('FIELD_LOCKED');
    const player = await makeUser();
    expect((await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer })).status).toBe(201);
    const refused = await patch({ game: 'cs2', teamSize: 2, name: 'Fine' });
    expect(refusalOf(refused)).toEqual([409, 'FIELD_LOCKED']);
    expect(refused.body.error.issues?.map((issue) => issue.path)).toEqual(['game', 'teamSize']);
    expect((await patch({ customFields: [{ ...field, type: 'number' }] })).reason).toBe('FIELD_LOCKED');
    expect((await patch({ customFields: [{ ...field, label: 'Your rank' }] })).status).toBe(200);
  });

  test('refuses a maximum below the number of taken slots', async () => {
    const { id, owner, register } = await hostTournament(api, { maxParticipants: 4 });
    const players = await Promise.all([makeUser(), makeUser(), makeUser()]);
    for (const { bearer } of players) await register(bearer);
    const lower = (maxParticipants: number) =>
      api.patch<ErrorBody>(`/tournaments/${id}`, { bearer: owner.bearer, body: { maxParticipants } });
    const refused = await lower(2);
    expect(refusalOf(refused)).toEqual([409, 'CAPACITY_TOO_LOW']);
    expect(refused.body.message).toBe('3 participants already have a slot, so the maximum cannot be 2.');
    expect((await lower(3)).status).toBe(200);
    expect(await tournamentEvents(id)).toEqual(['tournament.updated', 'registration.full', 'registration.opened']);
  });

  test('promotes from the waitlist in order when the maximum is raised', async () => {
    const { id, project, owner, register } = await hostTournament(api, { maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
    for (const { bearer } of players) await register(bearer);
    const raised = await api.patch<TournamentDetail>(`/tournaments/${id}`, {
      bearer: owner.bearer,
      body: { maxParticipants: 4 },
    });
    expect(raised.body).toMatchObject({ maxParticipants: 4, currentParticipants: 4, waitlistedParticipants: 1 });
    const approved = await db.participant.findMany({ where: { tournamentId: id, registrationStatus: 'approved' } });
    expect(approved.map((row) => row.userId).sort()).toEqual(
      players
        .slice(0, 4)
        .map((player) => player.id)
        .sort(),
    );
    const promoted = await db.domainEvent.findMany({
      where: { projectId: project.id, type: 'participant.approved' },
      orderBy: { sequence: 'asc' },
    });
    expect(promoted.map((event) => (event.payload as { userId: string }).userId)).toEqual([
      players[2]?.id,
      players[3]?.id,
    ]);
    expect((await tournamentEvents(id)).filter((type) => type === 'registration.full')).toHaveLength(2);
  });

  test('is for organizers: others get 403 for a tournament they can see and 404 otherwise', async () => {
    const { tournament } = await draft();
    const stranger = await makeUser();
    const moderator = await makeMember(tournament.projectId, 'MODERATOR');
    const name = { name: 'Taken over' };
    expect((await api.patch(`/tournaments/${tournament.id}`, { bearer: stranger.bearer, body: name })).status).toBe(
      404,
    );
    expect((await api.patch(`/tournaments/${tournament.id}`, { bearer: moderator.bearer, body: name })).status).toBe(
      403,
    );
    const { project } = await makeProject();
    const shown = await makeTournament(project.id);
    expect((await api.patch(`/tournaments/${shown.id}`, { bearer: stranger.bearer, body: name })).status).toBe(403);
  });
});

describe('deleting', () => {
  test('is possible for drafts only', async () => {
    const { tournament, bearer } = await draft();
    const gone = await api.delete(`/tournaments/${tournament.slug}`, { bearer });
    expect(gone.body).toEqual({ id: tournament.id, deleted: true });
    expect((await api.get(`/tournaments/${tournament.id}`, { bearer })).status).toBe(404);
    const { project, owner } = await makeProject();
    const published = await makeTournament(project.id);
    const refused = await api.delete(`/tournaments/${published.id}`, { bearer: owner.bearer });
    expect(refusalOf(refused)).toEqual([409, 'INVALID_STATE']);
  });
});
