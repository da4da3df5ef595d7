import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import type { DataTournament } from '@/server/routers/data/schema';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

type List = {
  success: boolean;
  message: string;
  data: {
    tournaments: DataTournament[];
    total: number;
    page: number;
    limit: number;
    totalPages: number;
    hasNext: boolean;
    hasPrev: boolean;
  };
};
type One = { success: boolean; message: string; data: DataTournament };

const hour = 3_600_000;
const start = Date.parse('2027-01-01T12:00:00.000Z');

async function projectWithKey(plan: 'free' | 'pro' | 'enterprise' = 'pro') {
  const { project, owner } = await makeProject({ plan });
  const { key } = await makeApiKey(project.id);
  return { project, owner, apiKey: key };
}

describe('GET /data/tournaments', () => {
  test('pages through the project in a stable order, latest start first', async () => {
    const { project, apiKey } = await projectWithKey();
    const made = [];
    for (let index = 0; index < 7; index += 1) {
      made.push(await makeTournament(project.id, { startDate: new Date(start + Math.floor(index / 2) * hour) }));
    }
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { status, body } = await api.get<List>(`/data/tournaments?limit=3&page=${page}`, { apiKey });
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, message: expect.any(String) });
      const { tournaments, ...paging } = body.data;
      expect(paging).toEqual({ total: 7, page, limit: 3, totalPages: 3, hasNext: page < 3, hasPrev: page > 1 });
      seen.push(...tournaments.map(({ id }) => id));
    }
    const expected = [...made].sort((a, b) => b.startDate.getTime() - a.startDate.getTime() || (a.id < b.id ? 1 : -1));
    expect(seen).toEqual(expected.map(({ id }) => id));

    const beyond = await api.get<List>('/data/tournaments?limit=3&page=9', { apiKey });
    expect(beyond.body.data).toMatchObject({ tournaments: [], hasNext: false, hasPrev: true });
  });

  test('has pages of four mebibytes at most', async () => {
    const { project, apiKey } = await projectWithKey();
    const texts = { description: '\u0001'.repeat(20_000), rules: '\u0001'.repeat(50_000) };
    for (let index = 0; index < 11; index += 1) await makeTournament(project.id, texts);
    const message = 'These tournaments have more than 4 MiB. Ask for fewer with `limit`.';
    expect(await api.get('/data/tournaments', { apiKey })).toMatchObject({ status: 400, body: { message } });
    const { status, body } = await api.get<List>('/data/tournaments?limit=9', { apiKey });
    expect([status, body.data.tournaments.length, body.data.total]).toEqual([200, 9, 11]);
  });

  test('lists drafts only on request, and never other projects', async () => {
    const { project, apiKey } = await projectWithKey();
    const other = await projectWithKey();
    await makeTournament(other.project.id);
    const published = await makeTournament(project.id);
    const hidden = await makeTournament(project.id, { visibility: 'private' });
    const draft = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null });
    const ids = async (query: string) => {
      const { body } = await api.get<List>(`/data/tournaments${query}`, { apiKey });
      expect(body.data.total).toBe(body.data.tournaments.length);
      return body.data.tournaments.map(({ id }) => id).sort();
    };
    expect(await ids('')).toEqual([published.id, hidden.id].sort());
    expect(await ids('?status=DRAFT')).toEqual([draft.id]);
    expect(await ids('?status=COMPLETED')).toEqual([]);
  });

  test('filters by game and by start', async () => {
    const { project, apiKey } = await projectWithKey();
    await db.game.createMany({ data: [{ id: 'dota2', name: 'Dota 2' }], skipDuplicates: true });
    const early = await makeTournament(project.id, { startDate: new Date(start) });
    const late = await makeTournament(project.id, { startDate: new Date(start + hour), gameId: 'dota2' });
    const ids = async (query: Record<string, string>) => {
      const { body } = await api.get<List>(`/data/tournaments?${new URLSearchParams(query)}`, { apiKey });
      return body.data.tournaments.map(({ id }) => id);
    };
    expect(await ids({ gameId: 'dota2' })).toEqual([late.id]);
    expect(await ids({ gameId: 'chess' })).toEqual([]);
    expect(await ids({ from: new Date(start + 1).toISOString() })).toEqual([late.id]);
    expect(await ids({ to: '2027-01-01T13:00:00+01:00' })).toEqual([early.id]);
    expect(await ids({ from: new Date(start).toISOString(), to: new Date(start + hour).toISOString() })).toHaveLength(
      2,
    );
  });

  test.each([
    ['limit=101', 'limit'],
    ['limit=0', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['status=published', 'status'],
    ['from=yesterday', 'from'],
    ['from=0000-01-01T00:00:00Z', 'from'],
    ['to=9999-12-31T23:59:59-01:00', 'to'],
    ['from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z', 'to'],
  ])('refuses ?%s', async (query, path) => {
    const { apiKey } = await projectWithKey();
    const { status, reason, body } = await api.get(`/data/tournaments?${query}`, { apiKey });
    expect([status, reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body).toMatchObject({ success: false, data: null, error: { issues: [{ path }] } });
  });

  test('ignores a projectId in the query', async () => {
    const mine = await projectWithKey();
    const other = await projectWithKey();
    await makeTournament(other.project.id);
    const response = await api.get<List>(`/data/tournaments?projectId=${other.project.id}`, { apiKey: mine.apiKey });
    expect(response.body.data.total).toBe(0);
  });
});

describe('GET /data/tournaments/{id}', () => {
  test('reads by id and by slug, with the same fields as the list', async () => {
    const { project, apiKey } = await projectWithKey();
    const made = await makeTournament(project.id, { entryFee: { amount: 500, currency: 'EUR' } });
    const byId = await api.get<One>(`/data/tournaments/${made.id}`, { apiKey });
    const bySlug = await api.get<One>(`/data/tournaments/${made.slug}`, { apiKey });
    const list = await api.get<List>('/data/tournaments', { apiKey });
    expect(byId.status).toBe(200);
    expect(byId.body).toMatchObject({
      success: true,
      message: expect.any(String),
      data: {
        id: made.id,
        slug: made.slug,
        projectId: project.id,
        game: 'cs2',
        status: 'PUBLISHED',
        startDate: made.startDate.toISOString(),
        maxParticipants: 16,
        currentParticipants: 0,
        entryFee: { amount: 500, currency: 'EUR' },
        prizePool: null,
        customFields: [],
        formatOptions: {},
      },
    });
    expect(bySlug.body).toEqual(byId.body);
    expect(list.body.data.tournaments).toEqual([byId.body.data]);
  });

  test('finds nothing of other projects, drafts only on request, and nothing for odd ids', async () => {
    const { project, apiKey } = await projectWithKey();
    const other = await projectWithKey();
    const theirs = await makeTournament(other.project.id);
    const draft = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null });
    const odd = ['trn_nothing', 'no-such', '%00', 'a%2Fb', '%zz', "x'--", '%F0%9F%8F%86'];
    for (const id of [theirs.id, theirs.slug, draft.id, draft.slug, ...odd]) {
      const response = await api.get(`/data/tournaments/${id}`, { apiKey });
      expect([id, response.status, response.reason]).toEqual([id, 404, 'NOT_FOUND']);
    }
    expect((await api.get(`/data/tournaments/${draft.id}?status=DRAFT`, { apiKey })).status).toBe(200);
  });

  test('carries a strong ETag that changes with the tournament', async () => {
    const { project, apiKey } = await projectWithKey();
    const { id } = await makeTournament(project.id);
    const first = await api.get(`/data/tournaments/${id}`, { apiKey });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await api.get(`/data/tournaments/${id}`, { apiKey, headers: { 'If-None-Match': sent } });
      expect([again.status, again.text]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('x-ratelimit-remaining')).not.toBeNull();
    }
    await db.tournament.update({ where: { id }, data: { name: 'Renamed' } });
    const changed = await api.get<One>(`/data/tournaments/${id}`, { apiKey, headers: { 'If-None-Match': tag } });
    expect([changed.status, changed.body.data.name]).toEqual([200, 'Renamed']);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });
});

describe('access', () => {
  const paths = ['/data/tournaments', '/data/tournaments/no-such'];

  test.each(paths)('%s requires a valid key', async (path) => {
    const { project, owner } = await makeProject({ plan: 'pro' });
    const expired = await makeApiKey(project.id, { expiresAt: new Date(Date.now() - 1000) });
    const { key } = await makeApiKey(project.id);
    expect((await api.get(path)).reason).toBe('API_KEY_MISSING');
    expect((await api.get(path, { bearer: owner.bearer })).reason).toBe('API_KEY_MISSING');
    expect((await api.get(path, { bearer: `Bearer ${key}` })).reason).toBe('API_KEY_MISSING');
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    for (const apiKey of [wrong, expired.key, 'nonsense', '', `${key} `.repeat(2).trim()]) {
      const response = await api.get(path, { apiKey, headers: { 'X-API-Key': apiKey } });
      expect(response.status).toBe(401);
      expect(response.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  test.each(paths)('%s checks the plan, then the scope, then the tournament', async (path) => {
    const free = await makeProject({ plan: 'free' });
    const pro = await makeProject({ plan: 'pro' });
    const scopeless = await makeApiKey(free.project.id, { scopes: ['read:matches'] });
    const other = await makeApiKey(pro.project.id, { scopes: ['read:matches', 'anticheat:detections.read'] });
    const plan = await api.get(path, { apiKey: scopeless.key });
    expect([plan.status, plan.reason]).toEqual([403, 'PLAN_LACKS_CAPABILITY']);
    expect(plan.headers.get('x-ratelimit-limit')).toBe('60');
    const scope = await api.get(path, { apiKey: other.key });
    expect([scope.status, scope.reason]).toEqual([403, 'SCOPE_MISSING']);
    expect(scope.headers.get('x-ratelimit-limit')).toBe('600');
  });

  test('with a key and a Bearer token, the key counts', async () => {
    const { owner, apiKey } = await projectWithKey();
    expect((await api.get('/data/tournaments', { apiKey, bearer: owner.bearer })).status).toBe(200);
  });
});

describe('the rate limit', () => {
  test('gives no data to one request too many, although it is read while it is counted', async () => {
    const { project, apiKey } = await projectWithKey();
    const { id } = await makeTournament(project.id);
    const read = () => api.get<One>(`/data/tournaments/${id}`, { apiKey });
    const responses = await Promise.all(Array.from({ length: 620 }, read));
    const passed = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([600, 20]);
    const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, at) => at));
    // The last ones again, when this process knows that the window is full.
    for (const { reason, body, headers, text } of [...refused, await read()]) {
      expect([reason, body.data, text.includes(id)]).toEqual(['RATE_LIMITED', null, false]);
      expect(headers.get('etag')).toBeNull();
      expect(headers.get('x-ratelimit-limit')).toBe('600');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('comes before what else is wrong with a read', async () => {
    const { project } = await makeProject({ plan: 'free' });
    const { key: apiKey } = await makeApiKey(project.id);
    const responses = await Promise.all(Array.from({ length: 65 }, () => api.get('/data/tournaments/x', { apiKey })));
    const reasons = responses.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'PLAN_LACKS_CAPABILITY')).toHaveLength(60);
    expect(reasons.filter((reason) => reason === 'RATE_LIMITED')).toHaveLength(5);
  });
});
