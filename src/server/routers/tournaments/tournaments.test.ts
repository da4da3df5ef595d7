import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import type { TournamentDetail, TournamentSummary } from './schema';

type List = { items: TournamentSummary[]; total: number; totalPages: number; hasNext: boolean; hasPrev: boolean };
type Refusal = { message: string; error: { issues?: { path: string; message: string }[] } };

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

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const body = (change: Record<string, unknown> = {}) => ({
  name: 'Winter Cup',
  game: 'cs2',
  maxParticipants: 16,
  startDate: inHours(48),
  ...change,
});

async function organizerOf(role: 'ORGANIZER' | 'MODERATOR' | 'MEMBER' = 'ORGANIZER') {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, role);
  return { project, owner, organizer, bearer: organizer.bearer };
}

async function draft(change: Record<string, unknown> = {}) {
  const made = await organizerOf();
  const answer = await api.post<TournamentDetail>(`/projects/${made.project.id}/tournaments`, {
    bearer: made.bearer,
    body: body(change),
  });
  expect(answer.status).toBe(201);
  return { ...made, tournament: answer.body };
}

async function eventsOf(tournamentId: string) {
  const rows = await db.domainEvent.findMany({ where: { aggregateId: tournamentId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.type);
}

describe('creating', () => {
  test('makes a draft with an address, the settings given and sensible others', async () => {
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
    expect(await eventsOf(tournament.id)).toEqual(['tournament.created']);
    expect(await db.auditEntry.count({ where: { targetId: tournament.id, action: 'tournament.create' } })).toBe(1);
  });

  test('gives every tournament an address of its own, also at once', async () => {
    const { project, bearer } = await organizerOf();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        api.post<TournamentDetail>(`/projects/${project.id}/tournaments`, {
          bearer,
          body: body({ name: 'Same Name' }),
        }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(201));
    expect(new Set(answers.map((answer) => answer.body.slug)).size).toBe(6);
  });

  test('takes a wanted address only if it is free', async () => {
    const slug = `wanted-${Date.now()}`;
    const { project, bearer, tournament } = await draft({ slug });
    expect(tournament.slug).toBe(slug);
    const again = await api.post(`/projects/${project.id}/tournaments`, { bearer, body: body({ slug }) });
    expect([again.status, again.reason]).toEqual([409, 'SLUG_TAKEN']);
  });

  test('a team tournament has rosters of the team size unless said otherwise', async () => {
    expect((await draft({ teamSize: 5 })).tournament).toMatchObject({ teamSize: 5, rosterMin: 5, rosterMax: 5 });
    const { tournament } = await draft({ teamSize: 5, rosterMin: 4, rosterMax: 7 });
    expect(tournament).toMatchObject({ rosterMin: 4, rosterMax: 7 });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: undefined }, 'name'],
    ['an unknown game', { game: 'chess-boxing' }, 'game'],
    ['a zone that is none', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset for a zone', { timezone: '+02:00' }, 'timezone'],
    ['a start in the past', { startDate: inHours(-1) }, 'startDate'],
    ['a start in a year of five digits', { startDate: '9999-12-31T23:59:59-01:00' }, 'startDate'],
    ['a start without a zone', { startDate: '2099-01-01T10:00:00' }, 'startDate'],
    ['registration after the start', { registrationClosesAt: inHours(50) }, 'registrationClosesAt'],
    ['a check-in that closes first', { checkInOpensAt: inHours(5), checkInClosesAt: inHours(4) }, 'checkInOpensAt'],
    ['one entrant', { maxParticipants: 1 }, 'maxParticipants'],
    ['a made-up currency', { entryFee: { amount: 5, currency: 'XXQ' } }, 'entryFee.currency'],
    ['an even best-of', { formatOptions: { bestOf: 2 } }, 'formatOptions.bestOf'],
    ["another format's option", { formatOptions: { legs: 2 } }, 'formatOptions.legs'],
    ['a bad address', { slug: 'Not A Slug' }, 'slug'],
  ])('refuses %s', async (_name, change, path) => {
    const { project, bearer } = await organizerOf();
    const answer = await api.post<Refusal>(`/projects/${project.id}/tournaments`, { bearer, body: body(change) });
    expect([answer.status, answer.reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(answer.body.error.issues?.map((issue) => issue.path)).toContain(path);
    expect(await db.tournament.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('is for organizers of the project', async () => {
    const { project } = await makeProject();
    const moderator = await makeMember(project.id, 'MODERATOR');
    const stranger = await makeUser();
    const { key } = await makeApiKey(project.id);
    const path = `/projects/${project.id}/tournaments`;
    const tries = [{ bearer: moderator.bearer }, { bearer: stranger.bearer }, {}, { apiKey: key }];
    const answers = await Promise.all(tries.map((credential) => api.post(path, { ...credential, body: body() })));
    expect(answers.map((answer) => answer.status)).toEqual([403, 404, 401, 401]);
  });
});

describe('reading', () => {
  test('a draft exists for its project alone', async () => {
    const { tournament, owner } = await draft();
    const stranger = await makeUser();
    for (const key of [tournament.id, tournament.slug]) {
      expect((await api.get(`/tournaments/${key}`)).status).toBe(404);
      expect((await api.get(`/tournaments/${key}`, { bearer: stranger.bearer })).status).toBe(404);
      expect((await api.get(`/tournaments/${key}`, { bearer: owner.bearer })).status).toBe(200);
    }
  });

  test('a published one is there for all by id and slug, an unlisted one by link, a private one for members', async () => {
    const { project, owner } = await makeProject();
    const shown = await makeTournament(project.id);
    const unlisted = await makeTournament(project.id, { visibility: 'unlisted' });
    const hidden = await makeTournament(project.id, { visibility: 'private' });
    const statuses = async (key: string, bearer?: string) => (await api.get(`/tournaments/${key}`, { bearer })).status;
    expect(await Promise.all([statuses(shown.id), statuses(shown.slug), statuses(unlisted.slug)])).toEqual([
      200, 200, 200,
    ]);
    expect([await statuses(hidden.id), await statuses(hidden.id, owner.bearer)]).toEqual([404, 200]);
    const list = await api.get<List>(`/tournaments?project=${project.slug}`);
    expect(list.body.items.map((item) => item.id)).toEqual([shown.id]);
  });

  test('says who may manage it, and what is open now', async () => {
    const { project, owner } = await makeProject();
    const { id } = await makeTournament(project.id, { checkInOpensAt: new Date(Date.now() - 1_000) });
    const anonymous = await api.get<TournamentDetail>(`/tournaments/${id}`);
    expect(anonymous.body).toMatchObject({ canManage: false, registrationOpen: true, checkInOpen: true });
    expect(Math.abs(Date.parse(anonymous.body.serverTime) - Date.now())).toBeLessThan(5_000);
    const mine = await api.get<TournamentDetail>(`/tournaments/${id}`, { bearer: owner.bearer });
    expect(mine.body.canManage).toBe(true);
  });

  test('a cancelled draft stays unknown outside', async () => {
    const { tournament, bearer } = await draft();
    expect((await api.post(`/tournaments/${tournament.id}/cancel`, { bearer })).status).toBe(200);
    expect((await api.get(`/tournaments/${tournament.id}`)).status).toBe(404);
    const stranger = await makeUser();
    expect((await api.post(`/tournaments/${tournament.id}/publish`, { bearer: stranger.bearer })).status).toBe(404);
  });
});

describe('the public list', () => {
  test('is filtered, searched by beginnings of words, sorted and paged', async () => {
    const { project } = await makeProject();
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    await db.game.upsert({ where: { id: 'rl' }, create: { id: 'rl', name: 'Rocket League' }, update: {} });
    const cup = await makeTournament(project.id, { name: 'Nordic Masters: Final', startDate: at(3) });
    const rl = await makeTournament(project.id, {
      name: 'Rocket Night',
      gameId: 'rl',
      startDate: at(2),
      format: 'swiss',
    });
    const over = await makeTournament(project.id, { name: 'Old Masters', startDate: at(-30), status: 'COMPLETED' });
    await makeTournament(project.id, { name: 'Masters draft', status: 'DRAFT', publishedAt: null });
    const list = async (query: string) => {
      const answer = await api.get<List>(`/tournaments?project=${project.id}&${query}`);
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const ids = async (query: string) => (await list(query)).items.map((item) => item.id);
    expect(await ids('')).toEqual([over.id, rl.id, cup.id]);
    expect(await ids('sort=-startDate')).toEqual([cup.id, rl.id, over.id]);
    expect(await ids('game=rl')).toEqual([rl.id]);
    expect(await ids('format=swiss')).toEqual([rl.id]);
    expect(await ids('status=COMPLETED')).toEqual([over.id]);
    expect(await ids('phase=past')).toEqual([over.id]);
    expect(await ids('phase=upcoming')).toEqual([rl.id, cup.id]);
    expect(await ids('phase=current')).toEqual([rl.id, cup.id]);
    expect(await ids(`from=${at(-40).toISOString()}&to=${at(2.5).toISOString()}`)).toEqual([over.id, rl.id]);
    expect(await ids(`from=${rl.startDate.toISOString()}&to=${cup.startDate.toISOString()}`)).toEqual([rl.id]);
    expect(await ids('search=mast')).toEqual([over.id, cup.id]);
    expect(await ids(`search=${encodeURIComponent("final: nordic & ' | !")}`)).toEqual([cup.id]);
    expect(await ids('search=aster')).toEqual([]);
    const page = await list('limit=2&page=2');
    expect(page).toMatchObject({ total: 3, totalPages: 2, hasNext: false, hasPrev: true });
    expect(page.items.map((item) => item.id)).toEqual([cup.id]);
    expect((await api.get('/tournaments?limit=101')).status).toBe(400);
    expect((await api.get('/tournaments?status=DRAFT')).status).toBe(400);
    expect((await api.get('/tournaments?from=tomorrow')).status).toBe(400);
  });

  test('knows what can still be entered and where check-in is open, as the windows say', async () => {
    const { project } = await makeProject();
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const open = await makeTournament(project.id, { name: 'open' });
    const waiting = await makeTournament(project.id, {
      maxParticipants: 2,
      currentParticipants: 2,
      waitlistEnabled: true,
    });
    await makeTournament(project.id, { maxParticipants: 2, currentParticipants: 2 });
    await makeTournament(project.id, { registrationOpensAt: at(1) });
    await makeTournament(project.id, { registrationClosesAt: at(-1) });
    await makeTournament(project.id, { startDate: at(-1) });
    const checkIn = await makeTournament(project.id, {
      registrationClosesAt: at(-1),
      checkInOpensAt: at(-1),
      startDate: at(1),
    });
    const list = async (phase: string) =>
      (await api.get<List>(`/tournaments?project=${project.id}&phase=${phase}`)).body.items;
    expect((await list('open')).map((item) => item.id).sort()).toEqual([open.id, waiting.id].sort());
    expect((await list('open')).every((item) => item.registrationOpen)).toBe(true);
    expect((await list('check_in')).map((item) => item.id)).toEqual([checkIn.id]);
    expect((await list('upcoming')).filter((item) => item.registrationOpen)).toHaveLength(3);
  });
});

describe('the dashboard', () => {
  test('shows a member every state with counts, and a stranger nothing', async () => {
    const { project } = await makeProject();
    const member = await makeMember(project.id, 'MEMBER');
    await makeTournament(project.id, { name: 'Alpha' });
    await makeTournament(project.id, { name: 'Beta', status: 'DRAFT', publishedAt: null });
    const list = await api.trpc(member.bearer).tournaments.forProject.query({ projectId: project.id, status: 'DRAFT' });
    expect(list.items.map((item) => item.name)).toEqual(['Beta']);
    expect(list.counts).toEqual({ DRAFT: 1, PUBLISHED: 1, IN_PROGRESS: 0, COMPLETED: 0, CANCELLED: 0 });
    const stranger = await makeUser();
    await expect(api.trpc(stranger.bearer).tournaments.forProject.query({ projectId: project.id })).rejects.toThrow(
      'There is no such project',
    );
  });
});

describe('changing', () => {
  test('raises the version, names what changed and leaves the rest', async () => {
    const { tournament, bearer } = await draft({ waitlistEnabled: true });
    const path = `/tournaments/${tournament.id}`;
    const changed = await api.patch<TournamentDetail>(path, {
      bearer,
      body: { name: 'Spring Cup', maxParticipants: 16, checkInOpensAt: inHours(47) },
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
    expect(await eventsOf(tournament.id)).toEqual(['tournament.created', 'tournament.updated']);
    const cleared = await api.patch<TournamentDetail>(path, { bearer, body: { checkInOpensAt: null } });
    expect(cleared.body.checkInOpensAt).toBeNull();
  });

  test('is refused for who read an older version', async () => {
    const { tournament, bearer } = await draft();
    const path = `/tournaments/${tournament.id}`;
    const send = (name: string, headers: Record<string, string>, more = {}) =>
      api.patch(path, { bearer, headers, body: { name, ...more } });
    expect((await send('Name two', { 'If-Match': '"1"' })).status).toBe(200);
    const stale = await send('Name three', { 'If-Match': '"1"' });
    expect([stale.status, stale.reason]).toEqual([412, 'VERSION_MISMATCH']);
    expect((await send('Name three', {}, { version: 1 })).status).toBe(412);
    expect((await send('Name three', {}, { version: 2 })).status).toBe(200);
    const racing = await Promise.all(['a', 'b', 'c', 'd'].map((name) => send(`Name ${name}`, { 'If-Match': '3' })));
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412]);
  });

  test('checks the settings as a whole', async () => {
    const { tournament, bearer } = await draft({ registrationClosesAt: inHours(40) });
    const answer = await api.patch<Refusal>(`/tournaments/${tournament.id}`, {
      bearer,
      body: { startDate: inHours(30) },
    });
    expect([answer.status, answer.reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(answer.body.error.issues?.[0]?.path).toBe('registrationClosesAt');
  });

  test('keeps what entrants relied on', async () => {
    const { project, owner } = await makeProject();
    const field = { key: 'rank', label: 'Rank', type: 'text', required: false, visibility: 'organizers' };
    const { id } = await makeTournament(project.id, { customFields: [field] });
    const { bearer } = owner;
    const patch = (change: Record<string, unknown>) =>
      api.patch<Refusal>(`/tournaments/${id}`, { bearer, body: change });
    expect((await patch({ game: 'rl' })).status).toBe(200);
    expect((await patch({ slug: 'new-address' })).reason).toBe('FIELD_LOCKED');
    const player = await makeUser();
    expect((await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer })).status).toBe(201);
    const refused = await patch({ game: 'cs2', teamSize: 2, name: 'Fine' });
    expect([refused.status, refused.reason]).toEqual([409, 'FIELD_LOCKED']);
    expect(refused.body.error.issues?.map((issue) => issue.path)).toEqual(['game', 'teamSize']);
    expect((await patch({ customFields: [{ ...field, type: 'number' }] })).reason).toBe('FIELD_LOCKED');
    expect((await patch({ customFields: [{ ...field, label: 'Your rank' }] })).status).toBe(200);
  });

  test('never lowers the cap below the entrants', async () => {
    const { project, owner } = await makeProject();
    const { id } = await makeTournament(project.id, { maxParticipants: 4 });
    const players = await Promise.all([makeUser(), makeUser(), makeUser()]);
    for (const { bearer } of players) await api.post(`/tournaments/${id}/participants/register`, { bearer });
    const lower = (maxParticipants: number) =>
      api.patch<Refusal>(`/tournaments/${id}`, { bearer: owner.bearer, body: { maxParticipants } });
    const refused = await lower(2);
    expect([refused.status, refused.reason]).toEqual([409, 'CAPACITY_TOO_LOW']);
    expect(refused.body.message).toBe('3 participants already have a slot, so the maximum cannot be 2.');
    expect((await lower(3)).status).toBe(200);
    expect(await eventsOf(id)).toEqual(['tournament.updated', 'registration.full', 'registration.opened']);
  });

  test('a raised cap promotes who waits, in order, in the same change', async () => {
    const { project, owner } = await makeProject();
    const { id } = await makeTournament(project.id, { maxParticipants: 2, waitlistEnabled: true });
    const players = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
    for (const { bearer } of players) await api.post(`/tournaments/${id}/participants/register`, { bearer });
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
    expect((await eventsOf(id)).filter((type) => type === 'registration.full')).toHaveLength(2);
  });

  test('is for organizers: others get 403 where they may see it and 404 where not', async () => {
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
  test('takes drafts only', async () => {
    const { tournament, bearer } = await draft();
    const gone = await api.delete(`/tournaments/${tournament.slug}`, { bearer });
    expect(gone.body).toEqual({ id: tournament.id, deleted: true });
    expect((await api.get(`/tournaments/${tournament.id}`, { bearer })).status).toBe(404);
    const { project, owner } = await makeProject();
    const published = await makeTournament(project.id);
    const refused = await api.delete(`/tournaments/${published.id}`, { bearer: owner.bearer });
    expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
  });
});
