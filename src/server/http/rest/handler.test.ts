import { TRPCError } from '@trpc/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Reason, reasons, refuse } from '@/server/errors';
import { createRestHandler } from '@/server/http/rest/handler';
import { createRouteTable } from '@/server/http/rest/routes';
import { publicProcedure, router } from '@/server/trpc';
import { makeApiKey, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
let bearer: string;
beforeAll(async () => {
  bearer = (await makeUser()).bearer;
});

const json = { 'Content-Type': 'application/json' };

function expectErrorBody(body: unknown, code: string) {
  expect(body).toEqual({
    success: false,
    data: null,
    message: expect.any(String),
    error: expect.objectContaining({ code, message: expect.any(String), requestId: expect.any(String) }),
  });
}

describe('what every failure looks like', () => {
  test('an unknown route is 404', async () => {
    for (const path of ['/no/such/route', '', '/', '/projects/x/y/z', '/PROJECTS', '/projects//members']) {
      const { status, body } = await api.get(`/api/v1${path}`);
      expect([path, status]).toEqual([path, 404]);
      expectErrorBody(body, 'ROUTE_NOT_FOUND');
    }
  });

  test('a method that the route does not take is 405 with Allow', async () => {
    const answer = await api.delete('/projects', { bearer });
    expect(answer.status).toBe(405);
    expectErrorBody(answer.body, 'METHOD_NOT_ALLOWED');
    const allow = answer.headers.get('allow')?.split(', ').sort();
    expect(allow).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
    expect((await api.post('/data/tournaments')).status).toBe(405);
    expect((await api.post('/openapi.json')).status).toBe(405);
  });

  test('a bearer that is not valid is refused where none is needed, too', async () => {
    const { project } = await makeProject();
    const { slug } = await makeTournament(project.id);
    for (const path of ['/tournaments', `/tournaments/${slug}`, `/tournaments/${slug}/participants`]) {
      const answer = await api.get(path, { bearer: 'Bearer old' });
      expect([path, answer.status, answer.reason]).toEqual([path, 401, 'INVALID_ACCESS_TOKEN']);
      expect((await api.get(path)).status).toBe(200);
    }
  });

  test('credentials are looked at before the body', async () => {
    const anonymous = await api.post('/projects', { raw: '{', headers: json });
    expect([anonymous.status, anonymous.reason]).toEqual([401, 'UNAUTHENTICATED']);
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer');
    const wrong = await api.post('/projects', { bearer: 'Bearer nonsense', raw: '{', headers: json });
    expect([wrong.status, wrong.reason]).toEqual([401, 'INVALID_ACCESS_TOKEN']);
  });

  test('an API key on a bearer route is 401, in either header', async () => {
    const { project } = await makeProject();
    const { key } = await makeApiKey(project.id);
    expect((await api.get('/projects', { apiKey: key })).status).toBe(401);
    expect((await api.get('/projects', { bearer: `Bearer ${key}` })).status).toBe(401);
    expect((await api.post('/projects', { apiKey: key, body: { name: 'Mine' } })).status).toBe(401);
  });
});

describe('requests', () => {
  test('the request id is taken when it is printable, else made', async () => {
    const sent = await api.get('/me', { bearer, headers: { 'X-Request-Id': 'trace:42' } });
    expect(sent.headers.get('x-request-id')).toBe('trace:42');
    const refused = await api.get('/me', { headers: { 'X-Request-Id': 'trace:43' } });
    expect(refused.body).toMatchObject({ error: { requestId: 'trace:43' } });
    for (const odd of ['two words', 'x'.repeat(129), 'é']) {
      const made = await api.get('/me', { bearer, headers: { 'X-Request-Id': odd } });
      expect(made.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  test('a path may carry escapes and one slash at the end', async () => {
    const { project, owner } = await makeProject();
    const escaped = project.id.replace('_', '%5F');
    for (const path of [`/projects/${escaped}`, `/projects/${project.id}/`]) {
      expect((await api.get(path, { bearer: owner.bearer })).status).toBe(200);
    }
    expect((await api.get('/projects/%00', { bearer: owner.bearer })).status).toBe(404);
  });

  test('HEAD answers as GET does, without the body', async () => {
    const head = await api.call('HEAD', '/me', { bearer });
    const get = await api.get('/me', { bearer });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  test('answers are JSON with security headers and are not kept', async () => {
    const { headers } = await api.get('/me', { bearer });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('other origins', () => {
  const from = { Origin: 'https://elsewhere.test' };
  const ask = { ...from, 'Access-Control-Request-Method': 'GET' };

  test('may read what is public, and only that', async () => {
    const open = await api.get('/openapi.json', { headers: from });
    expect(open.headers.get('access-control-allow-origin')).toBe('*');
    expect(open.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await api.get('/me', { bearer, headers: from })).headers.get('access-control-allow-origin')).toBeNull();
    expect((await api.post('/auth/token', { headers: from })).headers.get('access-control-allow-origin')).toBeNull();
    const { project } = await makeProject({ plan: 'pro' });
    const { key } = await makeApiKey(project.id);
    const data = await api.get('/data/tournaments', { apiKey: key, headers: from });
    expect([data.status, data.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  test('learn it from the preflight', async () => {
    const open = await api.call('OPTIONS', '/openapi.json', { headers: ask });
    expect(open.status).toBe(204);
    expect(open.headers.get('access-control-allow-methods')).toContain('GET');
    for (const path of ['/me', '/auth/token', '/data/tournaments', '/no/such/route']) {
      const closed = await api.call('OPTIONS', path, { headers: ask });
      expect(closed.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('a public route is open even when it refuses', async () => {
    const { project } = await makeProject();
    const draft = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null });
    const answer = await api.get(`/tournaments/${draft.id}`, { headers: from });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  });
});

describe('statuses', () => {
  const output = z.object({ ok: z.boolean() });
  const ok = () => ({ ok: true });

  /** Sends a POST to a router of one procedure with this success status. */
  function succeedWith(status: number) {
    const procedure = publicProcedure.meta({ openapi: { method: 'POST', path: '/run' }, status }).output(output);
    return post(router({ run: procedure.mutation(ok) }));
  }

  function failWith(error: unknown) {
    const procedure = publicProcedure.meta({ openapi: { method: 'POST', path: '/run' } }).output(output);
    const fail = (): { ok: boolean } => {
      throw error;
    };
    return post(router({ run: procedure.mutation(fail) }));
  }

  function post(testRouter: Parameters<typeof createRouteTable>[0]) {
    const handle = createRestHandler(createRouteTable(testRouter));
    const readBody = async () => Buffer.alloc(0);
    return handle({ method: 'POST', path: '/api/v1/run', query: '', headers: {}, ip: '127.0.0.1', readBody });
  }

  test.each([200, 201, 202, 203, 207])('a procedure may succeed with %i', async (status) => {
    expect(await succeedWith(status)).toMatchObject({ status, body: '{"ok":true}' });
  });

  test.each([204, 205])('a success with %i has no body', async (status) => {
    const response = await succeedWith(status);
    expect([response.status, response.body, response.headers['Content-Type']]).toEqual([status, null, undefined]);
  });

  test('a status that is no success is refused at the start', () => {
    expect(() => succeedWith(404)).toThrow('404');
  });

  test('a reason may have any status', async () => {
    const gone = { GONE: { status: 410, message: 'The invitation has expired.' } };
    Object.assign(reasons, gone);
    const response = await failWith(refuse('GONE' as Reason));
    expect(response.status).toBe(410);
    expectErrorBody(JSON.parse(String(response.body)), 'GONE');
  });

  test.each([
    ['PAYMENT_REQUIRED', 402],
    ['FORBIDDEN', 403],
    ['CONFLICT', 409],
    ['UNPROCESSABLE_CONTENT', 422],
    ['NOT_IMPLEMENTED', 501],
  ] as const)('a bare TRPCError %s keeps its status and does not show its message', async (code, status) => {
    const response = await failWith(new TRPCError({ code, message: 'row 7' }));
    expect(response.status).toBe(status);
    expectErrorBody(JSON.parse(String(response.body)), code);
    expect(response.body).not.toContain('row 7');
  });

  test('any other error is 500 and says nothing', async () => {
    const response = await failWith(new Error('row 7'));
    expect(response.status).toBe(500);
    expectErrorBody(JSON.parse(String(response.body)), 'INTERNAL');
    expect(response.body).not.toContain('row 7');
  });
});
