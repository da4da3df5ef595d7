import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
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

  test.each([
    ['{', 'MALFORMED_JSON', 400],
    ['{"name":"x"} trailing', 'MALFORMED_JSON', 400],
    ['[]', 'VALIDATION_FAILED', 400],
    ['null', 'VALIDATION_FAILED', 400],
    ['"text"', 'VALIDATION_FAILED', 400],
    ['{"name":"a\\u0000b"}', 'VALIDATION_FAILED', 400],
    ['{"name":"a\\ud800"}', 'VALIDATION_FAILED', 400],
    ['{"name":7}', 'VALIDATION_FAILED', 400],
    ['{"name":null}', 'VALIDATION_FAILED', 400],
    ['{}', 'VALIDATION_FAILED', 400],
  ])('the body %s is refused', async (raw, code, status) => {
    const answer = await api.post('/projects', { bearer, raw, headers: json });
    expect(answer.status).toBe(status);
    expectErrorBody(answer.body, code);
  });

  test('a body nested deeper than calls can be is read all the same', async () => {
    const deep = `${'{"a":'.repeat(100_000)}"\\u0000"${'}'.repeat(100_000)}`;
    const answer = await api.post('/projects', { bearer, raw: deep, headers: json });
    expect([answer.status, answer.reason]).toEqual([400, 'VALIDATION_FAILED']);
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

  test('a field that is wrong is named', async () => {
    const { body } = await api.post('/projects', { bearer, body: { name: 7 } });
    expect(body).toMatchObject({ error: { issues: [{ path: 'name', message: expect.any(String) }] } });
  });

  test('a body that is not JSON by its type is 415, whatever is in it', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=latin1',
    ]) {
      const answer = await api.post('/projects', { bearer, raw: '{"name":"Some"}', headers: { 'Content-Type': type } });
      expect([type, answer.status]).toEqual([type, 415]);
      expectErrorBody(answer.body, 'UNSUPPORTED_MEDIA_TYPE');
    }
    const untyped = await rawPost('/api/v1/projects', { Authorization: bearer }, ['{"name":"Some"}']);
    expect(untyped.status).toBe(415);
    const typed = await api.post('/projects', {
      bearer,
      raw: '{"name":"Some project"}',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    });
    expect(typed.status).toBe(201);
  });

  test('a body over 1 MiB is 413, declared or chunked; one just under is read', async () => {
    const big = `{"name":"${'a'.repeat(1024 * 1024)}"}`;
    const declared = await api.post('/projects', { bearer, raw: big, headers: json });
    expect(declared.status).toBe(413);
    expectErrorBody(declared.body, 'BODY_TOO_LARGE');
    const chunks = Array.from({ length: 80 }, () => 'a'.repeat(16 * 1024));
    const chunked = await rawPost('/api/v1/projects', { Authorization: bearer, ...json }, chunks);
    expect(chunked.status).toBe(413);
    const fits = await api.post('/projects', { bearer, body: { name: 'Fits', ignored: 'a'.repeat(1024 * 1000) } });
    expect(fits.status).toBe(201);
    expect((await api.get('/me', { bearer })).status).toBe(200);
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

/** A POST with nothing but these headers; several chunks are sent chunked. */
function rawPost(path: string, headers: Record<string, string>, chunks: string[]) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const call = request(`${api.url}${path}`, { method: 'POST', headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    call.on('error', reject);
    for (const chunk of chunks) call.write(chunk);
    call.end();
  });
}

describe('requests', () => {
  test('a POST without a body and type is valid where no field is required', async () => {
    const user = await makeUser();
    const bare = await rawPost('/api/v1/me/sign-out-everywhere', { Authorization: user.bearer }, []);
    expect(bare.status).toBe(200);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const again = await api.post('/me/sign-out-everywhere', { bearer, raw: '', headers: form });
    expect(again.status).toBe(200);
    bearer = (await makeUser()).bearer;
  });

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

  test('a query may hold what it likes and only known fields count', async () => {
    for (const query of ['__proto__=1', 'constructor=1', 'toString=1', 'limit=5&nothing=%00']) {
      expect([query, (await api.get(`/projects?${query}`, { bearer })).status]).toEqual([query, 200]);
    }
    for (const query of ['limit=%00', 'page=__proto__', 'limit=true']) {
      const answer = await api.get(`/projects?${query}`, { bearer });
      expect([query, answer.status, answer.reason]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
    const search = await api.get('/tournaments?search=a%00b');
    expect([search.status, search.reason]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test('what is not HTTP is told so', async () => {
    const said = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
      socket.once('data', (data) => resolve(data.toString()));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a request may name the whole address, and must name a path', async () => {
    const { port } = new URL(api.url);
    const status = (method: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const call = request({ host: '127.0.0.1', port, method, path }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        call.once('error', reject).end();
      });
    expect(await status('GET', 'http://elsewhere.test/api/v1/tournaments?limit=1')).toBe(200);
    expect(await status('GET', 'http://elsewhere.test?/api/v1/tournaments')).toBe(404);
    expect(await status('OPTIONS', '*')).toBe(400);
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

  test('are told so before they ask', async () => {
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

test('the document and public routes answer 304 to what is known', async () => {
  const first = await api.get('/openapi.json');
  const again = await api.get('/openapi.json', { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } });
  expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
});

test('a tournament is not new because the clock went on, and is because someone entered', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const path = `/tournaments/${id}`;
  const first = await api.get<{ serverTime: string }>(path);
  const tag = first.headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"[\w-]+"$/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const known = await api.get(path, { headers: { 'If-None-Match': tag } });
  expect([known.status, known.headers.get('etag')]).toEqual([304, tag]);
  expect(Date.parse(known.headers.get('date') ?? '')).toBeGreaterThan(Date.parse(first.body.serverTime) - 2_000);

  await api.post(`${path}/participants/register`, { bearer: (await makeUser()).bearer });
  const changed = await api.get<{ currentParticipants: number }>(path, { headers: { 'If-None-Match': tag } });
  expect([changed.status, changed.body.currentParticipants]).toEqual([200, 1]);
});

test('the process answers its probes', async () => {
  const ready = await fetch(`${api.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', store: 'ok' } },
  ]);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).toMatch(/laurel_http_request_duration_seconds_count\{method="GET",route="\/me",status="200"\} \d+/);
  expect(metrics).toContain('laurel_database_connections{state="idle"}');
});
