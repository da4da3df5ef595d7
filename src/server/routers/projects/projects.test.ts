import { expect, test } from 'vitest';
import { projectRoles } from '@/domain/projects/roles';
import { env } from '@/env';
import { db } from '@/server/db';
import { freshEmail, lastEmail } from '@/test/email';
import { makeApiKey, makeMember, makeProject, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type Page = { items: Record<string, unknown>[]; total: number; hasNext: boolean };
type Project = { id: string; slug: string; version: number; role: string };

const api = setupTestServer();

async function invitationToken(recipient: string): Promise<string> {
  const { text } = await lastEmail(recipient);
  return /invitations\/([\w-]+)/.exec(text)?.[1] ?? '';
}

/** A project with one member of every role and an outsider. */
async function makeCast() {
  const { project, owner } = await makeProject();
  const [admin, organizer, moderator, member] = await Promise.all([
    makeMember(project.id, 'ADMIN'),
    makeMember(project.id, 'ORGANIZER'),
    makeMember(project.id, 'MODERATOR'),
    makeMember(project.id, 'MEMBER'),
  ]);
  const { owner: outsider } = await makeProject();
  return { project, owner, admin, organizer, moderator, member, outsider, base: `/projects/${project.id}` };
}

test('creating a project makes the caller its owner', async () => {
  const user = await makeUser();
  const made = await api.post<Project>('/projects', { bearer: user.bearer, body: { name: 'Größe Cup', plan: 'pro' } });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ slug: 'gro-e-cup', role: 'OWNER', plan: 'free', capabilities: [], version: 1 });

  const again = await api.post<Project>('/projects', { bearer: user.bearer, body: { name: 'Größe Cup' } });
  expect(again.status).toBe(201);
  expect(again.body.slug).toMatch(/^gro-e-cup-\w+$/);
  const taken = await api.post('/projects', { bearer: user.bearer, body: { name: 'X', slug: 'gro-e-cup' } });
  expect(taken.reason).toBe('SLUG_TAKEN');
  expect((await api.post('/projects', { body: { name: 'X' } })).status).toBe(401);
  expect((await api.post('/projects', { bearer: user.bearer, body: { name: ' ' } })).status).toBe(400);
  expect((await api.post<Project>('/projects', { bearer: user.bearer, body: { name: '大会' } })).status).toBe(201);

  const page = await api.get<Page>('/projects?limit=2', { bearer: user.bearer });
  expect(page.body).toMatchObject({ total: 3, page: 1, limit: 2, totalPages: 2, hasNext: true, hasPrev: false });
  const entries = await db.auditEntry.findMany({ where: { projectId: made.body.id } });
  expect(entries).toMatchObject([{ action: 'project.create', actorId: user.id }]);
});

test('projects created with the same name at the same time get different slugs', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, () => makeUser()));
  const make = ({ bearer }: { bearer: string }) =>
    api.post<Project>('/projects', { bearer, body: { name: 'Rush Hour' } });
  const responses = await Promise.all(users.map(make));
  expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201, 201, 201]);
  expect(new Set(responses.map((response) => response.body.slug)).size).toBe(6);
});

test('each route requires its role; outsiders get 404, and API keys and suspended accounts are rejected', async () => {
  const cast = await makeCast();
  const { base, owner, outsider } = cast;
  const { key } = await makeApiKey(cast.project.id);
  const managed: [string, string, object?][] = [
    ['PATCH', base, { name: 'Renamed' }],
    ['GET', `${base}/members`],
    ['POST', `${base}/members`, { email: 'nobody', role: 'MEMBER' }],
    ['PATCH', `${base}/members/usr_none`, { role: 'MEMBER' }],
    ['GET', `${base}/invitations`],
    ['DELETE', `${base}/invitations/inv_none`],
    ['GET', `${base}/developer/api-keys`],
    ['POST', `${base}/developer/api-keys`, { name: '' }],
    ['DELETE', `${base}/developer/api-keys/key_none`],
    ['GET', `${base}/audit-log`],
  ];
  for (const [method, path, body] of managed) {
    const as = async (bearer: string) => (await api.call(method, path, { bearer, body })).status;
    for (const person of [owner, cast.admin]) expect([200, 201, 400, 404]).toContain(await as(person.bearer));
    for (const person of [cast.organizer, cast.moderator, cast.member]) {
      expect(await as(person.bearer), `${method} ${path}`).toBe(403);
    }
    expect(await as(outsider.bearer), `${method} ${path}`).toBe(404);
    expect((await api.call(method, path, { body })).status).toBe(401);
    expect((await api.call(method, path, { apiKey: key, body })).status).toBe(401);
  }
  for (const person of [owner, cast.admin, cast.organizer, cast.moderator, cast.member]) {
    expect((await api.get(base, { bearer: person.bearer })).status).toBe(200);
  }
  expect((await api.get(base, { bearer: outsider.bearer })).status).toBe(404);
  await db.user.update({ where: { id: owner.id }, data: { suspendedAt: new Date() } });
  expect((await api.get(base, { bearer: owner.bearer })).reason).toBe('ACCOUNT_SUSPENDED');
});

test('changes are rejected for an outdated version', async () => {
  const { base, owner, project } = await makeCast();
  const patch = (body: object, headers?: Record<string, string>) =>
    api.patch<Project>(base, { bearer: owner.bearer, body, headers });
  const first = await patch({ name: 'One' }, { 'If-Match': '"1"' });
  expect(first.body).toMatchObject({ name: 'One', version: 2 });
  expect((await patch({ name: 'Two' }, { 'If-Match': '"1"' })).reason).toBe('VERSION_MISMATCH');
  expect((await patch({ name: 'Two', version: 1 })).reason).toBe('VERSION_MISMATCH');
  expect((await patch({ name: 'Two' }, { 'If-Match': 'abc' })).status).toBe(412);
  const both = await Promise.all([patch({ name: 'A', version: 2 }), patch({ name: 'B', version: 2 })]);
  expect(both.map((response) => response.status).sort()).toEqual([200, 412]);

  const other = await makeProject();
  expect((await patch({ slug: other.project.slug })).reason).toBe('SLUG_TAKEN');
  expect((await db.project.findUniqueOrThrow({ where: { id: project.id } })).slug).toBe(project.slug);
});

test('instance admins can change the plan of any project, and nothing else', async () => {
  const { base, owner } = await makeCast();
  const operator = await makeUser();
  await db.user.update({ where: { id: operator.id }, data: { instanceAdmin: true } });
  expect((await api.patch(base, { bearer: owner.bearer, body: { plan: 'pro' } })).status).toBe(403);
  const response = await api.patch(base, { bearer: operator.bearer, body: { plan: 'pro' } });
  expect(response.body).toMatchObject({ plan: 'pro', capabilities: ['dataApi'], requestsPerMinute: 600, role: null });
  expect((await api.patch(base, { bearer: operator.bearer, body: { plan: 'free', name: 'X' } })).status).toBe(403);
  expect((await api.patch('/projects/prj_none', { bearer: operator.bearer, body: { plan: 'pro' } })).status).toBe(404);
});

test('INSTANCE_ADMINS makes accounts with confirmed addresses instance admins', async () => {
  const { base } = await makeCast();
  const operator = await makeUser();
  const change = () => api.patch(base, { bearer: operator.bearer, body: { plan: 'pro' } });
  expect((await change()).status).toBe(404);
  env.INSTANCE_ADMINS.push(operator.email);
  await db.user.update({ where: { id: operator.id }, data: { emailVerifiedAt: null } });
  expect((await change()).status).toBe(404);
  await db.user.update({ where: { id: operator.id }, data: { emailVerifiedAt: new Date() } });
  expect((await change()).body).toMatchObject({ plan: 'pro' });
  expect((await api.get('/me', { bearer: operator.bearer })).body).toMatchObject({ instanceAdmin: true });
});

test('an invitation is emailed, listed without its token, and accepted once, by its address only', async () => {
  const { base, owner, project } = await makeCast();
  const guest = await makeUser();
  await db.user.update({ where: { id: guest.id }, data: { emailVerifiedAt: null } });
  const invite = () =>
    api.post(`${base}/members`, {
      bearer: owner.bearer,
      body: { email: guest.email.toUpperCase(), role: 'ORGANIZER' },
    });
  const made = await invite();
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ email: guest.email, role: 'ORGANIZER', status: 'open' });
  expect((await invite()).reason).toBe('ALREADY_INVITED');

  const token = await invitationToken(guest.email);
  const list = await api.get<Page>(`${base}/invitations`, { bearer: owner.bearer });
  expect(list.body.items).toHaveLength(1);
  expect(list.text).not.toContain(token);
  expect(list.text).not.toContain('tokenHash');
  expect(await api.trpc().projects.invitations.preview.query({ token })).toMatchObject({
    status: 'open',
    role: 'ORGANIZER',
    project: { name: project.name },
    invitedBy: 'Owner',
  });

  const accept = (bearer: string) => api.post('/invitations/accept', { bearer, body: { token } });
  expect((await accept((await makeUser()).bearer)).status).toBe(403);
  const responses = await Promise.all([accept(guest.bearer), accept(guest.bearer), accept(guest.bearer)]);
  expect(responses.map((response) => response.status).sort()).toEqual([200, 400, 400]);
  expect((await api.get<Project>(base, { bearer: guest.bearer })).body.role).toBe('ORGANIZER');
  expect((await invite()).reason).toBe('ALREADY_MEMBER');
  const verified = await db.domainEvent.findMany({ where: { aggregateId: guest.id, type: 'user.verified' } });
  expect(verified).toMatchObject([{ projectId: project.id }]);
});

test('signing up with an invitation confirms the address and emits the event to the project', async () => {
  const { base, owner, project } = await makeCast();
  const email = freshEmail();
  await api.post(`${base}/members`, { bearer: owner.bearer, body: { email, role: 'MEMBER' } });
  const token = await invitationToken(email);
  const body = { email, name: 'Ada', password: 'correct horse', invitationToken: token };
  expect((await api.post('/auth/register', { body })).status).toBe(201);
  const user = await db.user.findUniqueOrThrow({ where: { email } });
  expect(user.emailVerifiedAt).not.toBeNull();
  const events = await db.domainEvent.findMany({ where: { aggregateId: user.id }, orderBy: { sequence: 'asc' } });
  expect(events).toMatchObject([
    { type: 'user.created', projectId: project.id },
    { type: 'user.verified', projectId: project.id },
  ]);
});

test('a revoked or expired invitation cannot be accepted; a new one can be sent', async () => {
  const { base, owner } = await makeCast();
  const guest = await makeUser();
  const invite = () =>
    api.post<{ id: string }>(`${base}/members`, { bearer: owner.bearer, body: { email: guest.email, role: 'MEMBER' } });
  const accept = async () =>
    api.post('/invitations/accept', { bearer: guest.bearer, body: { token: await invitationToken(guest.email) } });

  const first = (await invite()).body;
  const stranger = await makeProject();
  const elsewhere = `/projects/${stranger.project.id}/invitations/${first.id}`;
  expect((await api.delete(elsewhere, { bearer: stranger.owner.bearer })).status).toBe(404);
  expect((await api.delete(`${base}/invitations/${first.id}`, { bearer: owner.bearer })).status).toBe(200);
  expect((await accept()).reason).toBe('INVALID_TOKEN');

  const second = (await invite()).body;
  await db.invitation.update({ where: { id: second.id }, data: { expiresAt: new Date(0) } });
  expect((await accept()).reason).toBe('INVALID_TOKEN');
  expect((await invite()).status).toBe(201);
  expect((await accept()).status).toBe(200);
});

test('of several invitations to one address at the same time, one is created', async () => {
  const { base, owner } = await makeCast();
  const body = { email: freshEmail(), role: 'MEMBER' };
  const invite = () => api.post(`${base}/members`, { bearer: owner.bearer, body });
  const responses = await Promise.all(Array.from({ length: 5 }, invite));
  expect(responses.map((response) => response.status).sort()).toEqual([201, 409, 409, 409, 409]);
});

test('nobody grants or removes a role above their own', async () => {
  const { base, owner, admin, moderator, member } = await makeCast();
  const setRole = (bearer: string, userId: string, role: string) =>
    api.patch(`${base}/members/${userId}`, { bearer, body: { role } });
  expect((await setRole(admin.bearer, moderator.id, 'OWNER')).status).toBe(403);
  expect((await setRole(admin.bearer, owner.id, 'MEMBER')).status).toBe(403);
  expect((await setRole(admin.bearer, moderator.id, 'ORGANIZER')).body).toMatchObject({ role: 'ORGANIZER' });
  expect((await api.delete(`${base}/members/${owner.id}`, { bearer: admin.bearer })).status).toBe(403);
  const body = { email: freshEmail(), role: 'OWNER' };
  expect((await api.post(`${base}/members`, { bearer: admin.bearer, body })).status).toBe(403);
  expect((await api.delete(`${base}/members/${admin.id}`, { bearer: moderator.bearer })).status).toBe(403);
  expect((await api.delete(`${base}/members/${member.id}`, { bearer: member.bearer })).body).toEqual({
    userId: member.id,
    removed: true,
  });
  expect((await api.get(base, { bearer: member.bearer })).status).toBe(404);
  expect((await setRole(owner.bearer, member.id, 'MEMBER')).status).toBe(404);
  const log = await api.get<Page>(`${base}/audit-log`, { bearer: owner.bearer });
  expect(log.body.items.map((entry) => entry.action)).toEqual(['member.remove', 'member.update']);
  expect(log.body.items[1]).toMatchObject({ targetId: moderator.id, targetName: moderator.name });
  const narrowed = await api.get<Page>(`${base}/audit-log?targetType=tournament`, { bearer: owner.bearer });
  expect(narrowed.body.items).toEqual([]);
});

test('the last owner stays, even when several requests run at the same time', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { project, owner } = await makeProject();
    const base = `/projects/${project.id}`;
    const others = await Promise.all([makeMember(project.id, 'OWNER'), makeMember(project.id, 'OWNER')]);
    const owners = [owner, ...others];
    const responses = await Promise.all(
      owners.flatMap((person, index) => {
        const next = owners[(index + 1) % owners.length] ?? owner;
        return [
          api.delete(`${base}/members/${person.id}`, { bearer: person.bearer }),
          api.patch(`${base}/members/${next.id}`, { bearer: person.bearer, body: { role: 'ADMIN' } }),
        ];
      }),
    );
    for (const response of responses) expect([200, 403, 404, 409]).toContain(response.status);
    expect(await db.member.count({ where: { projectId: project.id, role: 'OWNER' } })).toBeGreaterThanOrEqual(1);
  }
  const { project, owner } = await makeProject();
  const alone = await api.delete(`/projects/${project.id}/members/${owner.id}`, { bearer: owner.bearer });
  expect(alone.reason).toBe('LAST_OWNER');
});

test('an API key is shown once, listed without the key, revoked for good, and belongs to one project', async () => {
  const { base, owner, project } = await makeCast();
  const path = `${base}/developer/api-keys`;
  const body = { name: 'Overlay', scopes: ['read:tournaments', 'read:tournaments', 'read:matches'] };
  const made = await api.post<{ id: string; key: string; prefix: string }>(path, { bearer: owner.bearer, body });
  expect(made.status).toBe(201);
  expect(made.body.key).toMatch(/^lrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
  expect(made.body).toMatchObject({ name: 'Overlay', scopes: ['read:tournaments', 'read:matches'], expiresAt: null });
  expect(made.body.key.startsWith(made.body.prefix)).toBe(true);

  const list = await api.get<Page>(path, { bearer: owner.bearer });
  expect(list.body).toMatchObject({ total: 1, items: [{ id: made.body.id, lastUsedAt: null }] });
  expect(list.text).not.toContain(made.body.key.slice(13));
  expect(list.text).not.toContain('keyHash');
  const log = await api.get<Page>(`${base}/audit-log`, { bearer: owner.bearer });
  expect(log.text).not.toContain(made.body.key.slice(13));

  const stranger = await makeProject();
  const elsewhere = `/projects/${stranger.project.id}/developer/api-keys/${made.body.id}`;
  expect((await api.delete(elsewhere, { bearer: stranger.owner.bearer })).status).toBe(404);
  expect((await api.delete(`${path}/${made.body.id}`, { bearer: owner.bearer })).status).toBe(200);
  expect((await api.delete(`${path}/${made.body.id}`, { bearer: owner.bearer })).status).toBe(404);
  expect((await db.apiKey.findUniqueOrThrow({ where: { id: made.body.id } })).revokedAt).not.toBeNull();
  expect(await db.auditEntry.count({ where: { projectId: project.id, action: 'api_key.revoke' } })).toBe(1);

  const expired = { ...body, expiresAt: new Date(Date.now() - 1000).toISOString() };
  for (const bad of [{ name: 'x' }, { ...body, scopes: [] }, { ...body, scopes: ['write:all'] }, expired]) {
    expect((await api.post(path, { bearer: owner.bearer, body: bad })).status).toBe(400);
  }
});

test('members are listed with their roles, page by page', async () => {
  const { base, owner } = await makeCast();
  const all = await api.get<Page>(`${base}/members`, { bearer: owner.bearer });
  expect(new Set(all.body.items.map((item) => item.role))).toEqual(new Set(projectRoles));
  expect(all.text).not.toContain('passwordHash');
  const page = await api.get<Page>(`${base}/members?page=2&limit=2`, { bearer: owner.bearer });
  expect(page.body).toMatchObject({ total: 5, page: 2, hasNext: true });
  expect((await api.get(`${base}/members?limit=101`, { bearer: owner.bearer })).status).toBe(400);
});
