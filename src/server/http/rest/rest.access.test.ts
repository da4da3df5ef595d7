import '@/test/store';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { scopes } from '@/domain/projects/scopes';
import type { ProjectRole } from '@/generated/prisma/enums';
import { db } from '@/server/db';
import { type Route, routeTable } from '@/server/http/rest/routes';
import { appRouter } from '@/server/routers/_app';
import type { RouteMeta } from '@/server/trpc';
import { makeApiKey, makeMember, makeProject, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { callAbout, makeWorld, traceOf, type World } from './access.fixture';

const api = setupTestServer();
let theirs: World;
let own: World;
beforeAll(async () => {
  [theirs, own] = [await makeWorld(api), await makeWorld(api)];
});

const named = (routes: Route[]) => routes.map((route) => [`${route.method} ${route.pattern}`, route] as const);
const routesFor = (...access: Route['access'][]) => routeTable.routes.filter((route) => access.includes(route.access));

/** Whether the path names something of a project, by which strangers are refused. */
const isOfProject = ({ pattern }: Route) =>
  /\{(projectId|tournamentId|matchId)\}|^\/webhooks\/subscriptions\/\{id\}/.test(pattern);

async function accessTokenOf(bearer: string): Promise<{ id: string; bearer: string }> {
  const { body } = await api.post<{ id: string; token: string }>('/me/access-tokens', { bearer, body: { name: 'CI' } });
  return { id: body.id, bearer: `Bearer ${body.token}` };
}

describe('a route for API keys', () => {
  test.each(named(routesFor('apiKey')))(
    '%s takes a key that works, has its scope, and nothing else',
    async (_, route) => {
      const scope = route.meta.scope ?? 'read:matches';
      const { projectId } = theirs;
      const [full, revoked, expired, others, sole] = await Promise.all([
        makeApiKey(projectId),
        makeApiKey(projectId),
        makeApiKey(projectId, { expiresAt: new Date(Date.now() - 1) }),
        makeApiKey(projectId, { scopes: scopes.filter((one) => one !== scope) }),
        makeApiKey(projectId, { scopes: [scope] }),
      ]);
      await db.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: new Date() } });
      const body = route.procedure === 'antiCheat.evidence.presign' ? evidenceOf(theirs) : undefined;
      const call = (options: object) => callAbout(api, route, theirs, body ? { body, ...options } : options);
      const personal = await accessTokenOf(theirs.owner.bearer);
      const swapped = `${full.key.slice(0, 13)}${others.key.slice(13)}`;
      const refused = [
        [{}, 'API_KEY_MISSING'],
        [{ bearer: theirs.owner.bearer }, 'API_KEY_MISSING'],
        [personal, 'API_KEY_MISSING'],
        [{ bearer: `Bearer ${full.key}` }, 'API_KEY_MISSING'],
        [{ apiKey: revoked.key }, 'API_KEY_INVALID'],
        [{ apiKey: expired.key }, 'API_KEY_INVALID'],
        [{ apiKey: swapped }, 'API_KEY_INVALID'],
        [{ apiKey: `${full.key}0` }, 'API_KEY_INVALID'],
        [{ apiKey: personal.bearer.slice(7) }, 'API_KEY_INVALID'],
      ] as const;
      for (const [credential, reason] of refused) expect(await call(credential)).toMatchObject({ status: 401, reason });
      expect(await call({ apiKey: others.key })).toMatchObject({ status: 403, reason: 'SCOPE_MISSING' });
      expect((await call({ apiKey: sole.key })).status).toBe(route.successStatus);

      const poor = await makeProject({ plan: 'free' });
      const { key } = await makeApiKey(poor.project.id);
      if (route.meta.capability) {
        expect(await call({ apiKey: key })).toMatchObject({ status: 403, reason: 'PLAN_LACKS_CAPABILITY' });
      }
    },
  );

  test.each(named(routesFor('apiKey')))('%s knows nothing of another project', async (_, route) => {
    const { key: apiKey } = await makeApiKey(own.projectId);
    const before = await traceOf(theirs);
    const body =
      route.procedure === 'antiCheat.evidence.presign'
        ? { ...evidenceOf(theirs), projectId: theirs.projectId }
        : undefined;
    const answer = await callAbout(api, route, theirs, body ? { apiKey, body } : { apiKey });
    if (route.procedure === 'antiCheat.sessions.end') {
      // As specified: an id that the project does not have does nothing.
      expect(answer).toMatchObject({ status: 200, body: { ended: false } });
    } else if (route.pathParameters.length > 0 || body) {
      expect(answer).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
    } else {
      for (const id of [theirs.projectId, theirs.ids.tournamentId, theirs.detectionId]) {
        expect(answer.text).not.toContain(id);
      }
    }
    expect(await traceOf(theirs)).toEqual(before);
  });

  test('a session that names the match and players of another project covers none of them', async () => {
    const { key: apiKey } = await makeApiKey(own.projectId);
    const before = await traceOf(theirs);
    const match = { game: 'cs2', matchId: theirs.ids.matchId, projectId: theirs.projectId };
    for (const body of [match, { ...match, participants: [{ userId: theirs.player.id }] }]) {
      const started = await api.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey, body });
      expect(started.status).toBe(201);
      const { sessionId } = started.body;
      expect(await db.antiCheatSession.findUnique({ where: { id: sessionId } })).toMatchObject({
        projectId: own.projectId,
      });
      expect(await db.antiCheatSessionClient.count({ where: { sessionId } })).toBe(0);
      const shown = await api.get(`/projects/${own.projectId}/anti-cheat/sessions/${sessionId}`, own.owner);
      expect(shown.body).toMatchObject({ match: null });
    }
    expect(await traceOf(theirs)).toEqual(before);
  });
});

const evidenceOf = ({ ids }: World) => ({
  ...{ sessionId: ids.sessionId, kind: 'screenshot', contentType: 'image/png', sizeBytes: 10 },
  sha256: '9f'.repeat(32),
});

describe('a route for people', () => {
  test.each(named(routesFor('user')))('%s takes no key, client token, or token that has ended', async (_, route) => {
    const { key } = await makeApiKey(theirs.projectId);
    const { owner } = await makeProject();
    const revoked = await accessTokenOf(owner.bearer);
    await db.personalAccessToken.update({ where: { id: revoked.id }, data: { revokedAt: new Date() } });
    const expired = await accessTokenOf(owner.bearer);
    await db.personalAccessToken.update({ where: { id: expired.id }, data: { expiresAt: new Date(Date.now() - 1) } });
    const before = await traceOf(theirs);
    const call = (options: object) => callAbout(api, route, theirs, options);
    for (const credential of [{}, { apiKey: key }]) {
      expect(await call(credential)).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
    }
    for (const bearer of [`Bearer ${key}`, `Bearer lac_${'a'.repeat(43)}`, revoked.bearer, expired.bearer]) {
      expect(await call({ bearer })).toMatchObject({ status: 401, reason: 'INVALID_ACCESS_TOKEN' });
    }
    const suspended = await makeUser();
    await db.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } });
    expect(await call({ bearer: suspended.bearer })).toMatchObject({ status: 403, reason: 'ACCOUNT_SUSPENDED' });
    expect(await traceOf(theirs)).toEqual(before);
  });

  const hidden = named(routesFor('user', 'public').filter(isOfProject));
  test.each(hidden)('%s does not exist for strangers and those who have left', async (_, route) => {
    const left = await makeMember(theirs.projectId, 'OWNER');
    await db.member.delete({ where: { projectId_userId: { projectId: theirs.projectId, userId: left.id } } });
    const before = await traceOf(theirs);
    for (const { bearer } of [own.owner, left, await accessTokenOf(left.bearer)]) {
      expect(await callAbout(api, route, theirs, { bearer })).toMatchObject({ status: 404 });
    }
    if (route.access === 'public') expect((await callAbout(api, route, theirs)).status).toBe(404);
    expect(await traceOf(theirs)).toEqual(before);
  });

  /** What a path names within a project or tournament of the caller. */
  const inner =
    /\{(participantId|stationId|stageId|keyId|invitationId|userId|sessionId|deliveryId|replayId|mediaFileId)\}/;
  const nested = named(routesFor('user', 'public').filter((route) => isOfProject(route) && inner.test(route.pattern)));
  test.each(nested)('%s finds nothing of another project through one of the caller', async (_, route) => {
    const [, name = ''] = inner.exec(route.pattern) ?? [];
    const given = { [name]: theirs.ids[name] ?? '' };
    const [before, ownBefore] = [await traceOf(theirs), await traceOf(own)];
    const answer = await callAbout(api, route, own, { bearer: own.owner.bearer, given });
    expect(answer.status, answer.text).toBe(404);
    expect(await traceOf(theirs)).toEqual(before);
    expect(await traceOf(own)).toEqual(ownBefore);
  });

  test.each(named(routesFor('user').filter(({ meta, pattern }) => meta.confirmed && pattern.includes('{'))))(
    '%s is not for an owner whose address is not confirmed',
    async (_, route) => {
      const unconfirmed = await makeMember(theirs.projectId, 'OWNER');
      await db.user.update({ where: { id: unconfirmed.id }, data: { emailVerifiedAt: null } });
      const before = await traceOf(theirs);
      const answer = await callAbout(api, route, theirs, { bearer: unconfirmed.bearer });
      expect(answer).toMatchObject({ status: 403, reason: 'EMAIL_NOT_CONFIRMED' });
      expect(await traceOf(theirs)).toEqual(before);
      await db.member.delete({ where: { projectId_userId: { projectId: theirs.projectId, userId: unconfirmed.id } } });
    },
  );
});

describe('roles', () => {
  /** The lowest role that may call what a path below a project does; the first pattern that fits counts. */
  const lowest: [ProjectRole | 'anyone', RegExp][] = [
    ['anyone', /\/(register|me|checkin\/me|registrations\/me(\/\w+)?)$/],
    ['anyone', /^(GET|POST) \/matches\/\{matchId\}\/(report|confirm|dispute|reschedule.*|messages|media.*)$/],
    ['ADMIN', /^\w+ \/webhooks\/|\/developer\/|\/audit-log|\/invitations/],
    ['MEMBER', /^DELETE .*\/members\/\{userId\}$/],
    ['ADMIN', /\/members|^PATCH \/projects\/\{projectId\}$/],
    ['MEMBER', /^GET \/projects\/\{projectId\}(\/games|\/limits)?$/],
    ['MODERATOR', /\/anti-cheat\/sessions|^GET .*\/anti-cheat\//],
    ['MODERATOR', /^\w+ \/matches\/|\/stations|\/stream-queue|\/ruling$|^GET .*\/(draw|export)$/],
    ['MODERATOR', /\/(disqualify|reinstate|substitute|withdraw)$|^DELETE .*\/participants\/\{participantId\}$/],
    ['ORGANIZER', /./],
  ];
  const routes = named(routesFor('user').filter(isOfProject)).map(([name, route]) => {
    const [role] = lowest.find(([, pattern]) => pattern.test(name)) ?? ['ORGANIZER' as const];
    return [name, role, route] as const;
  });
  const limited = routes.filter(([, role]) => role !== 'anyone' && role !== 'MEMBER');
  // What is deleted cannot be asked for afterwards.
  const ordered = limited.sort(([a], [b]) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')));

  test.each(ordered)('%s is for %s and above', async (_, role, route) => {
    const staff = { MEMBER: own.member, MODERATOR: own.moderator, ORGANIZER: own.organizer, ADMIN: own.admin };
    const order = ['MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN'] as const;
    const at = (order as readonly string[]).indexOf(role);
    const before = await traceOf(own);
    for (const lower of order.slice(0, at)) {
      const refused = await callAbout(api, route, own, { bearer: staff[lower].bearer });
      expect(refused.status, `${lower} ${refused.text}`).toBe(403);
    }
    expect(await traceOf(own)).toEqual(before);
    const admitted = await callAbout(api, route, own, { bearer: staff[order[at] ?? 'ADMIN'].bearer });
    // What they do may be refused for other reasons, such as the state of the tournament.
    expect([401, 403], admitted.text).not.toContain(admitted.status);
  });
});

describe('tRPC', () => {
  const procedures = Object.entries(appRouter._def.procedures) as unknown as [
    string,
    { _def: { type: 'query' | 'mutation' | 'subscription'; meta: RouteMeta } },
  ][];
  const closed = procedures.filter(([, { _def }]) => _def.meta.access !== 'public' && _def.type !== 'subscription');

  test.each(closed)('%s takes no API key', async (name, { _def }) => {
    const { key: apiKey } = await makeApiKey(theirs.projectId);
    const json = { ...theirs.ids, id: theirs.subscriptionId };
    for (const credential of [{}, { apiKey }, { bearer: `Bearer ${apiKey}` }, { bearer: `Bearer ${newId('key')}` }]) {
      const answer =
        _def.type === 'query'
          ? await api.get(`/api/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ json }))}`, credential)
          : await api.post(`/api/trpc/${name}`, { ...credential, body: { json } });
      expect(answer.status, answer.text).toBe(401);
    }
  });

  const gated = closed.filter(([, { _def }]) => _def.meta.gate?.includes('NOT_FOUND') && !_def.meta.openapi);
  test.each(gated)('%s does not exist for strangers and those who have left', async (name, { _def }) => {
    const left = await makeMember(theirs.projectId, 'OWNER');
    await db.member.delete({ where: { projectId_userId: { projectId: theirs.projectId, userId: left.id } } });
    const json = { ...theirs.ids, id: theirs.subscriptionId, url: 'https://example.com/hook' };
    const before = await traceOf(theirs);
    for (const { bearer } of [own.owner, left]) {
      const answer =
        _def.type === 'query'
          ? await api.get(`/api/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ json }))}`, { bearer })
          : await api.post(`/api/trpc/${name}`, { bearer, body: { json } });
      expect(answer.status, answer.text).toBe(404);
    }
    expect(await traceOf(theirs)).toEqual(before);
  });
});
