import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, IncomingMessage, request, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { pool } from '@/server/db';
import { stopLive } from '@/server/events/live';
import { startServer } from '@/server/http/server';
import { renderInTurn } from '@/server/http/turns/turns';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { openAll } from '@/test/open-connections';
import { until } from '@/test/receiver';
import { startTestServer } from '@/test/server';

afterAll(stopLive);

test('a subscription over HTTP hears what happens through another server, and ends when the server stops', async () => {
  const [one, two] = [await startTestServer(), await startTestServer()];
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id);
  const heard: unknown[] = [];
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const subscription = one
    .trpc()
    .tournaments.live.subscribe({ tournamentId: id }, { onStarted: begun, onData: (data) => heard.push(data) });
  await started;
  const before = heard.length;
  const player = await makeUser();
  await two.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
  await expect.poll(() => heard.length, { timeout: 3_000 }).toBeGreaterThan(before);
  expect((await two.get(`/tournaments/${id}`, { bearer: owner.bearer })).status).toBe(200);

  const begin = Date.now();
  await one.stop();
  expect(Date.now() - begin).toBeLessThan(2_000);
  subscription.unsubscribe();
  await two.stop();
});

test('a stop lets the request under way finish and takes no new one', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const agent = new Agent({ keepAlive: true });
  const answered = new Promise<unknown[]>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const call = request(`${server.url}/api/v1/auth/token`, { method: 'POST', headers, agent }, (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers.connection]);
    });
    call.on('error', reject);
    call.write('{"email":');
    setTimeout(() => call.end('"nobody@players.test","password":"x"}'), 300);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  expect(await answered).toEqual([401, 'close']);
  await stopped;
  agent.destroy();
});

/** Sends requests for the path in one piece, and gives what came back when the connection was closed or `enough` holds. */
async function sendAhead(port: number, count: number, enough: (text: string) => boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  let text = '';
  socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk;
      if (enough(text)) resolve();
    });
    socket.once('close', () => resolve());
  });
  socket.destroy();
  return text;
}

test('requests of one connection are answered one after the other, and a flood of them closes it', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const answers = (text: string) => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0;
  expect(answers(await sendAhead(server.port, 5, (text) => answers(text) === 5))).toBe(5);
  expect(answers(await sendAhead(server.port, 500, (text) => answers(text) === 500))).toBeLessThan(40);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await server.stop();
});

test('a port that is taken is an error, not a silence', async () => {
  const first = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  await expect(startServer({ port: first.port, host: '127.0.0.1', withNext: false })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await first.stop();
});

/** The status of a request whose target is sent exactly as written. */
function sendTarget(port: number, method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once('error', reject).end();
  });
}

test('no way of writing a path leads past what a proxy forbids by it', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const get = (path: string) => sendTarget(server.port, 'GET', path);
  for (const path of [
    '/api#x',
    '/api?x#',
    '/./api',
    '/x/../api',
    '/api/.',
    '/x/%2e%2E/api',
    '/x\\..\\api',
    `${server.url}/./api`,
  ]) {
    expect([path, await get(`${path}/trpc/auth.providers?a=/../b`)]).toEqual([path, 400]);
  }
  for (const path of ['/x\\..\\metrics', '/x/..', '/metrics/.', '/\\metrics'])
    expect([path, await get(path)]).toEqual([path, 400]);
  for (const path of ['/metrics/', '/metrics/x', '//metrics', '/METRICS'])
    expect([path, await get(path)]).toEqual([path, 404]);
  expect(await get('/metrics?x=/../y')).toBe(200);
  expect(await get('/x?to=/../api/trpc/auth.providers')).toBe(404);
  await server.stop();
});

test('an address that takes long to read, or that nobody can read, does not reach a page', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const get = (path: string) => sendTarget(server.port, 'GET', path);
  expect(await get(`/x?${'a&'.repeat(90)}`)).toBe(404);
  expect(await get('/x?y=%2500')).toBe(404);
  for (const path of [
    `/x?${'a&'.repeat(7_000)}`,
    `/x?${'a=1&'.repeat(101)}`,
    '/x/%00',
    '/x%00?y',
    '/x?y=a%00',
    '/x/%ff',
    '/%zz',
  ]) {
    expect([path.slice(0, 20), await get(path)]).toEqual([path.slice(0, 20), 400]);
  }
  await server.stop();
});

test('a request may name the whole address, and must name a path', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  expect(await sendTarget(server.port, 'GET', 'http://elsewhere.test/api/v1/tournaments?limit=1')).toBe(200);
  expect(await sendTarget(server.port, 'GET', 'http://elsewhere.test?/api/v1/tournaments')).toBe(404);
  expect(await sendTarget(server.port, 'OPTIONS', '*')).toBe(400);
  await server.stop();
});

test('a request that is not HTTP gets 400', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const said = await new Promise<string>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    socket.once('data', (data) => resolve(data.toString()));
  });
  expect(said).toMatch(/^HTTP\/1\.1 400 /);
  await server.stop();
});

test('no handler that reads all it is sent gets more than it may need', async () => {
  let reached = 0;
  const server = await startServer({
    port: 0,
    host: '127.0.0.1',
    withNext: false,
    inngest: (_req, res) => {
      reached += 1;
      res.end();
    },
  });
  /** Sends the headers of a request and nothing of its body. */
  const statusOf = (path: string, headers: Record<string, string | number>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${server.url}${path}`, { method: 'POST', headers }, (answer) => {
        resolve(answer.statusCode);
        call.destroy();
      });
      call.on('error', reject);
      call.flushHeaders();
    });
  for (const path of ['/api/auth/callback/credentials', '/', '/sign-in', '/api/inngest']) {
    expect(await statusOf(path, { 'Content-Length': 100_000_000 }), path).toBe(413);
    expect(await statusOf(path, { 'Transfer-Encoding': 'chunked' }), path).toBe(411);
  }
  expect(await statusOf('/api/auth/callback/credentials', { 'Content-Length': 10_000 })).toBe(413);
  // Node keeps the first headers only, and would read the body by a length that nobody else sees.
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`x${at}`, '']));
  for (const path of ['/api/auth/callback/credentials', '/api/v1/auth/token', '/api/inngest', '/healthz']) {
    expect(await statusOf(path, { Host: 'x', ...many, 'Content-Length': 100_000_000 }), path).toBe(431);
  }
  expect(reached).toBe(0);
  expect(await statusOf('/api/inngest', { 'Content-Length': 5_000_000 })).toBe(200);
  expect((await fetch(`${server.url}/sign-in`, { method: 'POST', body: 'a=b' })).status).toBe(404);
  await server.stop();
});

test('a page is not asked for by methods that no page has', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  for (const method of ['TRACE', 'PUT', 'DELETE', 'PROPFIND']) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${server.url}/sitemap.xml`, { method }, resolve).on('error', reject).end();
    });
    answer.resume();
    expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD, POST, OPTIONS']);
  }
  await server.stop();
});

test('of hundreds of reads from one network, few wait for the database at a time', async () => {
  const api = await startTestServer();
  const input = encodeURIComponent(JSON.stringify({ 0: { json: {} }, 1: { json: {} } }));
  const paths = ['/api/v1/tournaments?limit=100', `/api/trpc/tournaments.list,tournaments.list?batch=1&input=${input}`];
  for (const path of paths) {
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, pool.waitingCount);
    }, 1);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const response = await fetch(api.url + path);
        await response.text();
        return response.status;
      }),
    );
    clearInterval(watch);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([path, most < 60 ? 'few' : most]).toEqual([path, 'few']);
  }
  await api.stop();
});

test('three hundred requests of one network that arrive at once do not go before one of another', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  // With the first response, the server has taken the connection.
  const open = (localAddress: string) =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
      socket.once('data', () => resolve(socket));
      ask(socket, '/healthz');
    });
  const many = await Promise.all(Array.from({ length: 300 }, () => open('127.0.0.2')));
  const other = await open('127.0.0.3');
  let answered = 0;
  const all = many.map((socket) => new Promise<void>((resolve) => socket.once('data', () => resolve(void answered++))));
  const before = new Promise<number>((resolve) => other.once('data', () => resolve(answered)));
  const paths = ['/healthz', '/nothing', '/api/v1/nothing'];
  for (const [at, socket] of many.entries()) ask(socket, paths[at % 3] ?? '');
  ask(other, '/healthz');
  expect(await before).toBeLessThan(100);
  await Promise.all(all);
  for (const socket of [...many, other]) socket.destroy();
  await server.stop();
});

/** How many connections Linux lets wait for a process. */
const setting = '/proc/sys/net/core/somaxconn';
const allowed = existsSync(setting) ? Number(readFileSync(setting, 'utf8')) : 0;

test.skipIf(allowed < 2_000)('a thousand connections that arrive while the process is busy find room', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  // This process accepts none meanwhile, and what finds no room is tried again until it does.
  const { status } = spawnSync(process.execPath, ['-e', openAll, String(server.port), '1000'], { timeout: 10_000 });
  expect(status).toBe(0);
  await server.stop();
});

test('what expects something of the server waits for its turn, and is cut off with as much ahead', async () => {
  const server = await startTestServer();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'.repeat(200));
  await expect.poll(() => socket.closed).toBe(true);
  await server.stop();
});

test('what expects something of the server has to be read, too', async () => {
  const server = await startTestServer();
  const { port } = new URL(server.url);
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(Number(port), '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'.repeat(6));
    return socket;
  });
  // Who reads nothing notices only by writing that a connection is closed.
  const countClosed = () => {
    for (const socket of sockets) if (socket.writable) socket.write('\r\n');
    return sockets.filter((socket) => socket.closed).length;
  };
  await expect.poll(countClosed, { timeout: 15_000 }).toBeGreaterThan(0);
  for (const socket of sockets) socket.destroy();
  await server.stop();
}, 30_000);

test('who connects while somebody floods with requests is accepted after some of them, not after all', async () => {
  const server = await startTestServer();
  const port = Number(new URL(server.url).port);
  const open = (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    return socket;
  };
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  let answered = 0;
  const flood = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = open('127.0.0.2');
      await once(socket, 'connect');
      return socket.on('data', (text) => {
        answered += String(text).split('HTTP/1.1 200 OK').length - 1;
      });
    }),
  );
  for (const socket of flood) socket.write(request.repeat(9));
  await expect.poll(() => answered).toBeGreaterThan(0);
  const before = answered;
  const others = Array.from({ length: 100 }, () => {
    const socket = open('127.0.9.1');
    socket.write(request);
    return socket;
  });
  await Promise.all(others.map((socket) => once(socket, 'data')));
  expect(answered - before).toBeLessThan(400);
  for (const socket of [...flood, ...others]) socket.destroy();
  await server.stop();
});

test('the whole API reference waits for the turn of its block, as pages do', async () => {
  const server = await startTestServer();
  const { port } = new URL(server.url);
  const ask = (localAddress: string) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    let size = 0;
    socket.on('data', (piece) => {
      size += piece.length;
    });
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n');
    return { socket, size: () => size };
  };
  /** Pages of a block that have all of its turns, for a second at most. */
  const holdTurns = () => {
    let end: () => void = () => undefined;
    const rendered = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (const address of ['127.7.0.1', '127.7.0.1', '127.7.0.4']) {
      void renderInTurn(
        new ServerResponse(new IncomingMessage(new Socket())),
        { ip: address, caller: '' },
        () => rendered,
      );
    }
    return end;
  };
  await until(async () => {
    const end = holdTurns();
    const same = [ask('127.7.0.2'), ask('127.7.0.3')];
    const other = ask('127.7.1.1');
    await expect.poll(other.size, { timeout: 10_000, interval: 5 }).toBeGreaterThan(1_000_000);
    const hadTo = same.every(({ size }) => size() === 0);
    end();
    for (const { size } of same) await expect.poll(size, { timeout: 10_000 }).toBeGreaterThan(1_000_000);
    for (const { socket } of [...same, other]) socket.destroy();
    return hadTo;
  }, 20_000);
  await server.stop();
}, 40_000);

test.each(['/healthz', '/api/v1/nothing', '/media/nothing'])(
  'of bodies that nobody reads, few chunks are taken of a network in a round: POST %s',
  async (path) => {
    const server = await startTestServer();
    const [bodies, size, largestChunk, ofNetwork] = [16, 8 * 1024 * 1024, 64 * 1024, 2];
    const { port } = new URL(server.url);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
    const isRead = async () => {
      const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
      let received = '';
      socket.on('data', (text: string) => {
        received += text;
      });
      socket.write(head);
      socket.write(Buffer.alloc(size));
      // Is answered once the body before it has been taken.
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(async () => received.split('HTTP/1.1 ').length > 2);
      socket.destroy();
    };
    let [rounds, isDone] = [0, false];
    const count = async () => {
      for (; !isDone; rounds += 1) await setImmediate();
    };
    const counting = count();
    await Promise.all(Array.from({ length: bodies }, isRead));
    isDone = true;
    await counting;
    // Of each, the last chunk may wait for its turn when the next request is answered.
    expect(rounds).toBeGreaterThan((bodies * size) / largestChunk / ofNetwork - bodies);
    await server.stop();
  },
);
