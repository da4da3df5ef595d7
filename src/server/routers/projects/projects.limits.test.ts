import { afterEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { quotas } from '@/server/limits/quotas';
import { makeMember, makeProject, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const create = (bearer: string) => api.post<{ id: string }>('/projects', { bearer, body: { name: 'Rush Hour' } });
const tally = (responses: { status: number; reason?: string }[]) =>
  responses.map(({ status, reason }) => `${status} ${reason ?? ''}`.trim()).sort();

describe('projects of an account', () => {
  test('three in a day, however many are asked for at once', async () => {
    const user = await makeUser();
    const responses = await Promise.all(Array.from({ length: 16 }, () => create(user.bearer)));
    expect(tally(responses)).toEqual([...Array(3).fill('201'), ...Array(13).fill('429 QUOTA_EXCEEDED')]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(refused?.headers.get('x-ratelimit-limit')).toBe('3');
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused?.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000 + 86_000);
    expect(refused?.text).toContain('You can create 3 projects within 24 hours.');
    expect(await db.project.count({ where: { createdById: user.id } })).toBe(3);
    expect((await create((await makeUser()).bearer)).status).toBe(201);
  });

  test('ten in all, also after leaving them to someone else', async () => {
    env.PROJECTS_PER_USER_PER_DAY = 100;
    const [user, heir] = await Promise.all([makeUser(), makeUser()]);
    const responses = await Promise.all(Array.from({ length: 16 }, () => create(user.bearer)));
    expect(tally(responses)).toEqual([...Array(10).fill('201'), ...Array(6).fill('409 QUOTA_EXCEEDED')]);
    const projectId = responses.find(({ status }) => status === 201)?.body.id ?? '';
    await db.member.create({ data: { projectId, userId: heir.id, role: 'OWNER' } });
    const left = await api.delete(`/projects/${projectId}/members/${user.id}`, { bearer: user.bearer });
    expect(left.status).toBe(200);
    expect((await create(user.bearer)).reason).toBe('QUOTA_EXCEEDED');
  });

  test('none without a confirmed address', async () => {
    const user = await makeUser();
    await db.user.update({ where: { id: user.id }, data: { emailVerifiedAt: null } });
    const refused = await create(user.bearer);
    expect([refused.status, refused.reason]).toEqual([403, 'EMAIL_NOT_CONFIRMED']);
    expect((await api.get('/projects', { bearer: user.bearer })).status).toBe(200);
  });
});

test('what an unconfirmed member of a project reads and may not write', async () => {
  const { project, owner } = await makeProject();
  await db.user.update({ where: { id: owner.id }, data: { emailVerifiedAt: null } });
  const { bearer } = owner;
  const base = `/projects/${project.id}`;
  expect((await api.get(base, { bearer })).status).toBe(200);
  const startDate = new Date(Date.now() + 86_400_000).toISOString();
  const writes: [string, string, object][] = [
    ['PATCH', base, { name: 'Renamed' }],
    ['POST', `${base}/members`, { email: 'a@players.test', role: 'MEMBER' }],
    ['POST', `${base}/tournaments`, { name: 'Cup', game: 'cs2', maxParticipants: 8, startDate }],
    ['POST', `${base}/developer/webhooks`, { url: 'https://example.com/hook', events: ['*'] }],
  ];
  for (const [method, path, body] of writes) {
    const { status, reason } = await api.call(method, path, { bearer, body });
    expect([path, status, reason]).toEqual([path, 403, 'EMAIL_NOT_CONFIRMED']);
  }
});

describe('open invitations of a project', () => {
  test('exactly the limit passes at once, and a revoked or expired one makes room', async () => {
    env.INVITATIONS_PER_PROJECT = 8;
    const { project, owner } = await makeProject();
    const { bearer } = owner;
    let sent = 0;
    const invite = () => {
      sent += 1;
      const body = { email: `${project.slug}-${sent}@players.test`, role: 'MEMBER' };
      return api.post<{ id: string }>(`/projects/${project.id}/members`, { bearer, body });
    };
    const responses = await Promise.all(Array.from({ length: 16 }, invite));
    expect(tally(responses)).toEqual([...Array(8).fill('201'), ...Array(8).fill('409 QUOTA_EXCEEDED')]);
    const [first, second] = responses.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    await api.delete(`/projects/${project.id}/invitations/${first}`, { bearer });
    expect((await invite()).status).toBe(201);
    expect((await invite()).status).toBe(409);
    await db.invitation.update({ where: { id: second }, data: { expiresAt: new Date() } });
    expect((await invite()).status).toBe(201);
  });
});

test('the limits of a project say how much is used, to its members only', async () => {
  const { project, owner } = await makeProject({ plan: 'pro' });
  const member = await makeMember(project.id, 'MEMBER');
  const body = { email: `${project.slug}@players.test`, role: 'MEMBER' };
  await api.post(`/projects/${project.id}/members`, { bearer: owner.bearer, body });
  const startDate = new Date(Date.now() + 86_400_000).toISOString();
  const cup = { name: 'Cup', game: 'cs2', maxParticipants: 8, startDate };
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const created = await api.post<{ id: string }>(`/projects/${project.id}/tournaments`, {
    bearer: owner.bearer,
    body: cup,
  });
  // A deleted draft was created all the same.
  expect((await api.delete(`/tournaments/${created.body.id}`, { bearer: owner.bearer })).status).toBe(200);
  const read = await api.get<{ items: { quota: string }[] }>(`/projects/${project.id}/limits`, {
    bearer: member.bearer,
  });
  expect(read.body.items).toEqual(
    expect.arrayContaining([
      { quota: 'webhooks', counts: 'Webhook subscriptions', used: 0, limit: 25, windowSeconds: null },
      { quota: 'projectInvitations', counts: 'Open invitations', used: 1, limit: 100, windowSeconds: null },
      { quota: 'tournaments', counts: 'Tournaments created', used: 1, limit: 200, windowSeconds: 86_400 },
    ]),
  );
  const ofProjects = Object.entries<{ per: string }>(quotas).filter(([, { per }]) =>
    per.split(/ and | or /).includes('project'),
  );
  expect(read.body.items.map(({ quota }) => quota).sort()).toEqual(ofProjects.map(([name]) => name).sort());
  const outsider = await makeUser();
  expect((await api.get(`/projects/${project.id}/limits`, { bearer: outsider.bearer })).status).toBe(404);
});

test('the limits of an account say how much is used, to the account itself', async () => {
  const user = await makeUser();
  expect((await api.post('/projects', { bearer: user.bearer, body: { name: 'Cups' } })).status).toBe(201);
  const token = { bearer: user.bearer, body: { name: 'Script', expiresInDays: 30 } };
  expect((await api.post('/me/access-tokens', token)).status).toBe(201);
  expect((await api.post('/me/access-tokens', { ...token, headers: { 'Idempotency-Key': user.id } })).status).toBe(201);
  const { body } = await api.get<{ items: { quota: string }[] }>('/me/limits', { bearer: user.bearer });
  expect(body.items).toEqual(
    expect.arrayContaining([
      { quota: 'projects', counts: 'Projects created', used: 1, limit: 10, windowSeconds: null },
      { quota: 'projectsPerDay', counts: 'Projects created', used: 1, limit: 3, windowSeconds: 86_400 },
      expect.objectContaining({ quota: 'accessTokens', used: 2, limit: 100 }),
      expect.objectContaining({ quota: 'idempotencyKeys', used: 1, limit: 50_000 }),
    ]),
  );
  const ofAccounts = Object.entries<{ per: string }>(quotas).filter(([, { per }]) => /^account\b/.test(per));
  const listed = ofAccounts.map(([name]) => name).filter((name) => name !== 'liveStreamsOfAccount');
  expect(body.items.map(({ quota }) => quota).sort()).toEqual(listed.sort());
  expect((await api.get('/me/limits')).status).toBe(401);
});

test('a project creates exactly as many tournaments in a day as it may', async () => {
  env.TOURNAMENTS_PER_PROJECT_PER_DAY = 8;
  const { project, owner } = await makeProject();
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const startDate = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: project.name, game: 'cs2', maxParticipants: 8, startDate };
  const responses = await Promise.all(
    Array.from({ length: 16 }, () => api.post(`/projects/${project.id}/tournaments`, { bearer: owner.bearer, body })),
  );
  expect(tally(responses)).toEqual([...Array(8).fill('201'), ...Array(8).fill('429 QUOTA_EXCEEDED')]);
});

test('a block of addresses creates exactly as many tournaments in a day as it may, in whatever projects', async () => {
  Object.assign(env, { TOURNAMENTS_PER_BLOCK_PER_DAY: 8, TRUSTED_PROXIES: 1 });
  const projects = await Promise.all([makeProject(), makeProject()]);
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const startDate = new Date(Date.now() + 86_400_000).toISOString();
  const create = ({ project, owner }: (typeof projects)[number], ip: string) =>
    api.post(`/projects/${project.id}/tournaments`, {
      bearer: owner.bearer,
      body: { name: project.name, game: 'cs2', maxParticipants: 8, startDate },
      headers: { 'X-Forwarded-For': ip },
    });
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) => projects.map((one) => create(one, `203.0.113.${at}`))).flat(),
  );
  expect(tally(responses)).toEqual([...Array(8).fill('201'), ...Array(8).fill('429 QUOTA_EXCEEDED')]);
  expect(responses.find(({ status }) => status === 429)?.text).toContain('Your block of addresses can create 8');
  expect(await db.tournament.count({ where: { projectId: { in: projects.map(({ project }) => project.id) } } })).toBe(
    8,
  );
  for (const one of projects) expect((await create(one, '203.0.114.1')).status).toBe(201);
});

test('a project has exactly as many API keys as it may, since each has a rate limit of its own', async () => {
  env.API_KEYS_PER_PROJECT = 4;
  const { project, owner } = await makeProject();
  const path = `/projects/${project.id}/developer/api-keys`;
  const body = { name: 'Feed', scopes: ['read:tournaments'] };
  const make = () => api.post<{ id: string }>(path, { bearer: owner.bearer, body });
  const responses = await Promise.all(Array.from({ length: 8 }, make));
  expect(tally(responses)).toEqual([...Array(4).fill('201'), ...Array(4).fill('409 QUOTA_EXCEEDED')]);
  const first = responses.find(({ status }) => status === 201);
  expect((await api.delete(`${path}/${first?.body.id}`, { bearer: owner.bearer })).status).toBe(200);
  expect((await make()).status).toBe(201);
});
