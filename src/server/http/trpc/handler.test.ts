import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { maxBatchSize } from '@/domain/network/batches';
import { env, publicUrl } from '@/env';
import { db } from '@/server/db';
import { handleTrpcFetch } from '@/server/http/trpc/handler';
import { changeInTurn, changesOfNetwork, readInTurn } from '@/server/http/turns/turns';
import { logger } from '@/server/logger';
import { installWorker } from '@/server/worker/offload';
import { WorkerThread } from '@/server/worker/thread';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { holdLock } from '@/test/locks';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

function signOut(bearer: string, headers: Record<string, string>) {
  return api.call('POST', '/api/trpc/me.signOutEverywhere', { bearer, body: {}, headers });
}

test('procedures answer in the types of the router', async () => {
  const { bearer, id } = await makeUser();
  expect(await api.trpc(bearer).me.get.query()).toMatchObject({ id });
});

test('a refusal names its reason and shows nothing internal', async () => {
  const answer = await api.call('GET', '/api/trpc/me.get');
  expect(answer.status).toBe(401);
  expect(answer.text).toContain('"reason":"UNAUTHENTICATED"');
  expect(answer.text).not.toContain('stack');
});

test('what is read by a cookie is kept nowhere, and taken for nothing but JSON', async () => {
  const { bearer } = await makeUser();
  const paths = ['me.get', 'auth.providers', 'auth.providers,me.get?batch=1', 'no.such', 'tournaments.get'];
  for (const path of paths) {
    const { headers } = await api.call('GET', `/api/trpc/${path}`, { bearer });
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      path,
      'no-store',
      'nosniff',
    ]);
  }
  expect((await api.call('PUT', '/api/trpc/me.get')).headers.get('cache-control')).toBe('no-store');
});

test('a write that another site sends is refused', async () => {
  const { bearer } = await makeUser();
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://elsewhere.test' },
    { Origin: 'null' },
    { Origin: `https://elsewhere.test.${new URL(publicUrl).host}` },
  ];
  for (const headers of foreign) {
    const answer = await signOut(bearer, headers);
    expect([headers, answer.status]).toEqual([headers, 403]);
    expect(answer.text).toContain('CROSS_ORIGIN');
  }
});

test('a write from our own pages, or from no page, is taken', async () => {
  const own: Record<string, string>[] = [
    {},
    { 'Sec-Fetch-Site': 'same-origin' },
    { Origin: publicUrl },
    { Origin: api.url },
  ];
  for (const headers of own) {
    const { bearer } = await makeUser();
    expect((await signOut(bearer, headers)).status).toBe(200);
  }
});

test('text that cannot be stored is a mistake of the caller, not of ours', async () => {
  const { bearer } = await makeUser();
  for (const [path, name] of [
    ['me.update', 'a\0b'],
    ['projects.create', 'a\ud800b'],
  ]) {
    const answer = await api.call('POST', `/api/trpc/${path}`, { bearer, body: { json: { name } } });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([400, expect.stringMatching(/^req_/)]);
    expect(answer.text).toContain('VALIDATION_FAILED');
  }
});

test('one request calls no more procedures than our pages ever do', async () => {
  const batch = (size: number) => {
    const input = Object.fromEntries(Array.from({ length: size }, (_, index) => [index, { json: {} }]));
    const paths = Array.from({ length: size }, () => 'tournaments.list').join(',');
    return api.call('GET', `/api/trpc/${paths}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`);
  };
  expect((await batch(maxBatchSize)).status).toBe(200);
  const refused = await batch(maxBatchSize + 1);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('VALIDATION_FAILED');
});

test('a method that calls nothing is 405 and reaches no worker thread', async () => {
  // Whatever this thread is asked for fails.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 300 } });
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
  const paths = [`/api/trpc/matches.bracket?input=${input}`, `/api/v1/tournaments/${tournamentId}/bracket`];
  for (const path of paths) {
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PROPFIND', 'QUERY']) {
      const { status, headers, body } = await send(method, path);
      expect([path, method, status]).toEqual([path, method, 405]);
      expect(headers.allow).toContain('GET');
      expect(body).toContain('METHOD_NOT_ALLOWED');
    }
  }
  // The wrong one of those that call something.
  const { bearer } = await makeUser();
  const body = { json: { tournamentId } };
  expect(await api.call('POST', '/api/trpc/matches.bracket', { bearer, body })).toMatchObject({ status: 405 });
  expect(await api.call('GET', `/api/trpc/matches.start?input=${input}`)).toMatchObject({ status: 405 });
  expect((await send('HEAD', `/api/trpc/matches.bracket?input=${input}`)).status).toBe(204);
});

/** A request by any method; `fetch` does not send all of them. */
function send(method: string, path: string): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}${path}`, { method }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    sent.once('error', reject).end();
  });
}

test('a client that leaves is not logged as a failure, but what fails after that is', async () => {
  let asked = 0;
  installWorker({
    waiting: 0,
    run: ({ signal }, name) =>
      new Promise((_, reject) => {
        asked += 1;
        const fail = () => reject(name === 'champion' ? signal?.reason : new Error('The thread has ended.'));
        signal?.addEventListener('abort', fail);
      }),
  });
  const error = vi.spyOn(logger, 'error');
  onTestFinished(() => {
    installWorker(undefined);
    error.mockRestore();
  });
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 300 } });
  const input = encodeURIComponent(JSON.stringify({ 0: { json: { tournamentId } }, 1: { json: { tournamentId } } }));
  const gone = new AbortController();
  const url = `${api.url}/api/trpc/matches.champion,matches.standingsPage?batch=1&input=${input}`;
  const left = fetch(url, { signal: gone.signal }).catch(({ name }: Error) => name);
  await expect.poll(() => asked).toBe(2);
  gone.abort();
  expect(await left).toBe('AbortError');
  const logged = () => error.mock.calls.map(([fields]) => (fields as unknown as { procedure: string }).procedure);
  await expect.poll(logged).toContain('matches.standingsPage');
  expect(logged()).toEqual(['matches.standingsPage']);
});

test('changes whose clients leave before their turn give it back', async () => {
  const ends: (() => void)[] = [];
  const held = Array.from({ length: changesOfNetwork }, (_, at) =>
    changeInTurn({ ip: '127.0.0.1', caller: `caller ${at}` }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await expect.poll(() => ends.length).toBe(changesOfNetwork);
  let [arrived, left] = [0, 0];
  const onRequest = (message: unknown) => {
    const { request: req, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!req.url?.includes('auth.verifyEmail')) return;
    arrived += 1;
    response.once('close', () => {
      left += 1;
    });
  };
  subscribe('http.server.request.start', onRequest);
  const method = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const clients = Array.from({ length: 12 }, () => {
    const client = request(`${api.url}/api/trpc/auth.verifyEmail`, method).on('error', () => undefined);
    client.end(JSON.stringify({ json: { token: 'no such token' } }));
    return client;
  });
  await expect.poll(() => arrived).toBe(12);
  // These begin after those, which wait for the turn of a change by then.
  for (let count = 0; count < 5; count += 1) await api.call('GET', '/healthz');
  for (const client of clients) client.destroy();
  await expect.poll(() => left).toBe(12);
  unsubscribe('http.server.request.start', onRequest);
  for (const end of ends) end();
  await Promise.all(held);
  for (let count = 0; count < changesOfNetwork; count += 1) {
    const answer = await api.call('POST', '/api/trpc/auth.verifyEmail', { body: { json: { token: 'no such token' } } });
    expect(answer.status).toBe(400);
  }
});

test('an unknown procedure is 404, a broken path 400', async () => {
  expect((await api.call('GET', '/api/trpc/no.such')).status).toBe(404);
  expect((await api.call('GET', '/api/trpc/%zz')).status).toBe(400);
});

test('an input is plain JSON: what would be made large from little is refused', async () => {
  const { bearer, id } = await makeUser();
  const ask = (input: object) =>
    api.call('GET', `/api/trpc/tournaments.list?input=${encodeURIComponent(JSON.stringify(input))}`);
  const made = (type: unknown, json: unknown) =>
    ask({ json: { more: json }, meta: { values: { more: [type] }, v: 1 } });
  for (const [type, json] of [
    [['typed-array', 'Uint8Array'], { length: 50 }],
    ['set', [1]],
    ['regexp', '/(a+)+/'],
    ['bigint', '9'],
  ]) {
    const answer = await made(type, json);
    expect([type, answer.status]).toEqual([type, 400]);
    expect(answer.text).toContain('VALIDATION_FAILED');
  }
  const deep = Array.from({ length: 100 }).reduce<object>((inner) => ({ a: inner }), ['undefined']);
  expect((await ask({ json: {}, meta: { values: deep } })).status).toBe(400);
  expect((await ask({ json: { more: null }, meta: { values: { more: ['undefined', null] } } })).status).toBe(200);

  // What one place refers to in another stays what stands there.
  const referring = { json: { name: 'Kept', timezone: 'x' }, meta: { referentialEqualities: { name: ['timezone'] } } };
  const answer = await api.call('POST', '/api/trpc/me.update', { bearer, body: referring });
  expect(answer.status).toBe(400);
  const absent = { json: { name: 'Kept', timezone: null }, meta: { values: { timezone: ['undefined'] }, v: 1 } };
  expect((await api.call('POST', '/api/trpc/me.update', { bearer, body: absent })).status).toBe(200);
  expect(await api.trpc(bearer).me.get.query()).toMatchObject({ id, name: 'Kept' });
});

test('a host that speaks fetch takes bodies of the same size', async () => {
  const call = (name: string) =>
    handleTrpcFetch(
      new Request(`${publicUrl}/api/trpc/auth.verifyEmail`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ json: { token: name } }),
      }),
    );
  const small = await call('a');
  expect([small.status, await small.text()]).toEqual([400, expect.stringContaining('INVALID_TOKEN')]);
  const large = await call('a'.repeat(2 * 1024 * 1024));
  expect([large.status, await large.text()]).toEqual([413, expect.stringContaining('BODY_TOO_LARGE')]);
});

test('a read that asks for a stream waits for its turn like any other', async () => {
  const ends: (() => void)[] = [];
  const others = Array.from({ length: 4 }, () =>
    readInTurn({ ip: '127.0.0.1', caller: 'others' }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await expect.poll(() => ends.length).toBe(4);
  let answered = false;
  const asked = api
    .call('GET', '/api/trpc/auth.providers', { headers: { Accept: 'text/event-stream' } })
    .then(({ status }) => {
      answered = true;
      return status;
    });
  for (let count = 0; count < 20; count += 1) await api.call('GET', '/healthz');
  expect(answered).toBe(false);
  for (const end of ends) end();
  expect(await asked).toBe(200);
  await Promise.all(others);
});

test('streams that begin at once leave connections of the database to others', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const { bearer } = await makeUser();
  const release = await holdLock('LOCK TABLE tournament IN ACCESS EXCLUSIVE MODE');
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }));
  const streams = Array.from({ length: 24 }, () => follow(`${api.url}/api/trpc/tournaments.live?input=${input}`));
  for (let count = 0; count < 5; count += 1) {
    expect((await api.patch('/me', { bearer, body: { name: `Ada ${count}` } })).status).toBe(200);
  }
  await release();
  for (const stream of await Promise.all(streams)) await stream.until('live.resumed');
});

test('a stream begins when it is the turn of its network, and takes no turn from then on', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }));
  const url = `${api.url}/api/trpc/tournaments.live?input=${input}`;
  const ends: (() => void)[] = [];
  const others = Array.from({ length: 4 }, () =>
    readInTurn({ ip: '127.0.0.1', caller: 'others' }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await expect.poll(() => ends.length).toBe(4);
  let begun = 0;
  const streams = Array.from({ length: 6 }, async () => {
    const stream = await follow(url);
    begun += 1;
    await stream.until('live.resumed');
  });
  for (let count = 0; count < 20; count += 1) await api.call('GET', '/healthz');
  expect(begun).toBe(0);
  for (const end of ends) end();
  await Promise.all([...others, ...streams]);
  expect((await api.call('GET', '/api/trpc/auth.providers')).status).toBe(200);
});

test('a stream that ends by itself is not counted any more', async () => {
  const before = env.LIVE_STREAMS_PER_NETWORK;
  env.LIVE_STREAMS_PER_NETWORK = 1;
  onTestFinished(() => void Object.assign(env, { LIVE_STREAMS_PER_NETWORK: before }));
  const url = `${api.url}/api/trpc/tournaments.live?input=`;
  const asked = (input: unknown) => follow(`${url}${encodeURIComponent(JSON.stringify({ json: input }))}`);
  const untilRefused = async (input: unknown, reason: string) =>
    expect
      .poll(async () => {
        const stream = await asked(input);
        await expect.poll(stream.text).toMatch(/VALIDATION_FAILED|NOT_FOUND|QUOTA_EXCEEDED/);
        return stream.text();
      })
      .toContain(reason);
  for (let count = 0; count < 3; count += 1) {
    await untilRefused({}, 'VALIDATION_FAILED');
    await untilRefused({ tournamentId: newId('trn') }, 'NOT_FOUND');
  }
});

test('a network has a limited number of streams without a session, and those with one do not count', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id);
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }));
  const url = `${api.url}/api/trpc/tournaments.live?input=${input}`;
  env.LIVE_STREAMS_PER_NETWORK = 2;
  onTestFinished(() => {
    env.LIVE_STREAMS_PER_NETWORK = 500;
  });
  const first = await follow(url);
  await first.until('live.resumed');
  await (await follow(url)).until('live.resumed');
  await (await follow(url)).until('QUOTA_EXCEEDED');
  await (await follow(url, 'Bearer of nobody')).until('QUOTA_EXCEEDED');
  await (await follow(url, owner.bearer)).until('live.resumed');
  first.end();
  await expect
    .poll(async () => {
      const next = await follow(url);
      await expect.poll(next.text).toMatch(/live\.resumed|QUOTA_EXCEEDED/);
      return next.text();
    })
    .toContain('live.resumed');
});

test('an account has so many live streams, of whatever kind, and no more', async () => {
  const before = env.LIVE_STREAMS_PER_USER;
  env.LIVE_STREAMS_PER_USER = 2;
  onTestFinished(() => void Object.assign(env, { LIVE_STREAMS_PER_USER: before }));
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
  const tournament = `${api.url}/api/trpc/tournaments.live?input=${input}`;
  const registrations = `${api.url}/api/trpc/participants.live`;
  const [player, other] = [await makeUser(), await makeUser()];
  const first = await follow(tournament, player.bearer);
  await first.until('live.resumed');
  await (await follow(registrations, player.bearer)).until('live.resumed');
  await (await follow(tournament, player.bearer)).until('QUOTA_EXCEEDED');
  await (await follow(registrations, player.bearer)).until('QUOTA_EXCEEDED');
  await (await follow(tournament, other.bearer)).until('live.resumed');
  first.end();
  await expect
    .poll(async () => {
      const next = await follow(registrations, player.bearer);
      await expect.poll(next.text).toMatch(/live\.resumed|QUOTA_EXCEEDED/);
      return next.text();
    })
    .toContain('live.resumed');
});

test('a call is JSON: forms and files, which no procedure takes, are refused before anything parses them', async () => {
  const { bearer } = await makeUser();
  const part = '--b\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n\r\n';
  const types = ['multipart/form-data; boundary=b', 'application/octet-stream', 'text/plain', 'application/json-seq'];
  for (const type of types) {
    const response = await fetch(`${api.url}/api/trpc/me.signOutEverywhere`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': type },
      body: `${part}--b--\r\n`,
    });
    expect([type, response.status]).toEqual([type, 415]);
    expect(await response.text()).toContain('UNSUPPORTED_MEDIA_TYPE');
  }
  expect((await api.call('GET', '/api/trpc/me.get', { bearer })).status).toBe(200);
});

test('a mebibyte of brackets is refused before anything parses it', async () => {
  const { bearer } = await makeUser();
  const deep = `{"json":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
  const refused = await api.call('POST', '/api/trpc/me.update', {
    bearer,
    raw: deep,
    headers: { 'Content-Type': 'application/json' },
  });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('nests too deep');
  const large = await api.call('POST', '/api/trpc/me.update', {
    bearer,
    body: { json: { name: 'x'.repeat(1_100_000) } },
  });
  expect(large.status).toBe(413);
  const body = { json: { name: 'x'.repeat(70_000) } };
  expect((await api.call('POST', '/api/trpc/me.update', { body })).status).toBe(413);
  expect((await api.call('POST', '/api/trpc/me.update', { bearer, body })).status).toBe(400);
  const brackets = { json: { name: 'Kept', timezone: null, more: '['.repeat(5_000) } };
  expect((await api.call('POST', '/api/trpc/me.update', { bearer, body: brackets })).status).toBe(200);
});
