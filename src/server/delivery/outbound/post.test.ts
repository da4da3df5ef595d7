import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { env } from '@/env';
import { type AddressRule, parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';
import {
  maxHeaders,
  maxPieces,
  maxResponseBytes,
  type RequestResult,
  sendRequest,
} from '@/server/delivery/outbound/post';
import type { Resolve } from '@/server/delivery/outbound/resolve';
import { ordinaryMs } from '@/server/delivery/sending/handshakes';
import { testCertificate } from '@/test/certificate';
import { until } from '@/test/receiver';

/** Every fault is a real socket that misbehaves. */

const rule: AddressRule = { allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: true };
const servers: net.Server[] = [];
const sockets = new Set<net.Socket>();

async function listen<T extends net.Server>(server: T): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** A server that calls `act` for each connection once it has received something. */
const raw = (act: (socket: net.Socket) => void) =>
  listen(net.createServer((socket) => socket.once('data', () => act(socket))));
const httpServer = (handler: http.RequestListener) => listen(http.createServer(handler));

async function post(url: string, options: { timeoutMs?: number; resolve?: Resolve } = {}) {
  const agent = createGuardedAgent(rule, options.resolve);
  const result = await sendRequest(agent, {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body: Buffer.from('{"hello":"world"}'),
    timeoutMs: options.timeoutMs ?? 10_000,
  });
  await agent.destroy();
  return result;
}

describe('the time limit', () => {
  it.each(['http:', 'https:'])('ends a connection over %s that is still being made', async (protocol) => {
    const port = await listen(net.createServer((socket) => socket.resume()));
    const agent = createGuardedAgent(rule);
    const request = { url: `${protocol}//127.0.0.1:${port}/`, headers: {}, body: Buffer.from('{}') };
    const result = await sendRequest(agent, { ...request, method: 'POST', timeoutMs: 300 });
    expect(result.errorClass).toBe(protocol === 'http:' ? 'timeout' : 'connect_timeout');
    await until(() => [...sockets].every((socket) => socket.destroyed), 5_000);
    await agent.destroy();
  });
});

describe('error classes', () => {
  it('dns_error: the name has no address', async () => {
    const unknown: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const result = await post('https://receiver.test/', { resolve: unknown });
    expect(result).toMatchObject({ errorClass: 'dns_error', succeeded: false, status: null, peerAddress: null });
    expect(result.errorMessage).toContain('ENOTFOUND');
  });

  it('blocked_address: one of the addresses of a name is private', async () => {
    const mixed: Resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.7', family: 4 },
    ];
    const result = await post('http://receiver.test/', { resolve: mixed });
    expect(result).toMatchObject({ errorClass: 'blocked_address', peerAddress: null });
    expect(result.errorMessage).toContain('10.0.0.7');
  });

  it('connect_refused: no server listens', async () => {
    const port = await listen(net.createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ errorClass: 'connect_refused', status: null });
  });

  it('connect_timeout: the look-up never ends; the time limit includes it', async () => {
    const silent: Resolve = () => new Promise(() => undefined);
    const result = await post('http://receiver.test/', { resolve: silent, timeoutMs: 300 });
    expect(result).toMatchObject({ errorClass: 'connect_timeout', status: null });
  });

  it('connect_timeout: the TLS handshake does not end', async () => {
    const port = await listen(net.createServer(() => undefined));
    const result = await post(`https://127.0.0.1:${port}/`, { timeoutMs: 300 });
    expect(result).toMatchObject({ errorClass: 'connect_timeout', status: null });
  });

  it.each([
    ['an untrusted certificate', () => listen(https.createServer(testCertificate, (_q, r) => r.end()))],
    ['no TLS at all', () => httpServer((_request, response) => response.end())],
    ['an invalid handshake', () => raw((socket) => socket.end('nonsense, in plain text'))],
  ])('tls_error: %s', async (_name, start) => {
    expect(await post(`https://127.0.0.1:${await start()}/`)).toMatchObject({ errorClass: 'tls_error', status: null });
  });

  it.each([
    ['before a response', (socket: net.Socket) => socket.resetAndDestroy()],
    ['by closing the connection', (socket: net.Socket) => socket.end()],
    [
      'in the middle of a response',
      (socket: net.Socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy()),
    ],
  ])('reset: %s', async (_name, act) => {
    expect(await post(`http://127.0.0.1:${await raw(act)}/`)).toMatchObject({ errorClass: 'reset', succeeded: false });
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\n${'x-filler: '.padEnd(4000, 'x')}\r\n`.repeat(8)],
    ['a length that is not a number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n'],
  ])('invalid_response: %s', async (_name, text) => {
    const port = await raw((socket) => socket.write(text));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ errorClass: 'invalid_response', succeeded: false });
  });

  it.each([
    [404, 'http_4xx'],
    [410, 'http_4xx'],
    [429, 'http_4xx'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
  ])('%i is %s', async (status, errorClass) => {
    const port = await httpServer((_request, response) => response.writeHead(status).end('why'));
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ errorClass, status, succeeded: false, body: 'why', peerAddress: '127.0.0.1' });
  });

  it.each([301, 302, 303, 307, 308])('http_3xx: %i is not followed, and its target is reported', async (status) => {
    let followed = 0;
    const target = await httpServer((_request, response) => {
      followed += 1;
      response.end();
    });
    const location = `http://127.0.0.1:${target}/elsewhere`;
    const port = await httpServer((_request, response) => response.writeHead(status, { location }).end());
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ errorClass: 'http_3xx', status, succeeded: false, headers: { location } });
    expect(result.errorMessage).toContain(location);
    expect(followed).toBe(0);
  });

  it('of a long target, or several, the message has the beginning of the first', async () => {
    for (const count of [1, 2]) {
      const targets = Array.from({ length: count }, (_, at) => `/${at}${'%25x'.repeat(900)}`);
      const port = await httpServer((_request, response) =>
        response.setHeader('Location', targets).writeHead(301).end(),
      );
      const { errorMessage } = await post(`http://127.0.0.1:${port}/`);
      expect(errorMessage).toContain('/0%25x');
      expect(errorMessage?.length).toBeLessThan(400);
    }
  });
});

describe('the time limit covers everything to the last byte', () => {
  const drip = (socket: net.Socket, first: string, more: string) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(more), 50);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['no response', () => undefined, null],
    ['a head that drips (slow loris)', (socket: net.Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), null],
    [
      'a body that drips',
      (socket: net.Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', '.'),
      200,
    ],
    [
      'chunks that never end',
      (socket: net.Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n.\r\n'),
      200,
    ],
  ])('timeout: %s', async (_name, act, status) => {
    const port = await raw(act);
    const result = await post(`http://127.0.0.1:${port}/`, { timeoutMs: 1_500 });
    expect(result).toMatchObject({ errorClass: 'timeout', status, succeeded: false });
    expect(result.durationMs).toBeGreaterThanOrEqual(1_499);
  });

  it('closes the connection of a request that timed out', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const port = await raw((socket) => socket.on('close', closed));
    await post(`http://127.0.0.1:${port}/`, { timeoutMs: 1_500 });
    await gone;
  });
});

describe('at most 16 KiB of a response are read', () => {
  it('an endless one is cut and flagged, its connection is closed, and its status decides', async () => {
    let written = 0;
    const port = await httpServer((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 120))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ succeeded: true, truncated: true, status: 200 });
    expect(Buffer.byteLength(result.body ?? '')).toBe(maxResponseBytes);
    expect(written).toBeLessThan(50_000_000);
  });

  it('a response of exactly 16 KiB is complete', async () => {
    const port = await httpServer((_request, response) => response.end('x'.repeat(maxResponseBytes)));
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ succeeded: true, truncated: false });
    expect(result.body).toHaveLength(maxResponseBytes);
  });

  it('this includes failed responses', async () => {
    const port = await httpServer((_request, response) =>
      response.writeHead(500).end('x'.repeat(maxResponseBytes + 1)),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ truncated: true, errorClass: 'http_5xx' });
  });

  it('a gzip bomb is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(bomb.byteLength).toBeLessThan(maxResponseBytes);
    const asked: (string | undefined)[] = [];
    const port = await httpServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ succeeded: true, truncated: false });
    expect((result.body ?? '').length).toBeLessThanOrEqual(bomb.byteLength);
    expect(asked).toEqual(['identity']);
  });

  it.each([
    ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['empty lines before it', '', '\r\n'],
    ['an extension of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'aaaaaaaa'],
  ])('a flood of %s ends the connection', async (_name, first, more) => {
    let written = 0;
    const chunk = Buffer.from(more.repeat(4_000));
    const port = await raw((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
      };
      socket.write(first);
      socket.on('drain', flood);
      flood();
    });
    const result = await post(`http://127.0.0.1:${port}/`, { timeoutMs: 5_000 });
    expect(result).toMatchObject({ errorClass: 'invalid_response', succeeded: false });
    expect(written).toBeLessThan(50_000_000);
  });

  it('a body in thousands of pieces is cut, and its status decides', async () => {
    const port = await raw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(5_000)}0\r\n\r\n`),
    );
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ succeeded: true, truncated: true });
    expect(result.body?.length).toBeLessThanOrEqual(maxPieces + 1);
    expect(result.heldUpMs).toBeGreaterThanOrEqual(ordinaryMs);
  });

  it('a few interim responses are read, and not dozens', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    let count = 3;
    const port = await raw((socket) => socket.write(`${interim.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ succeeded: true, status: 204, heldUpMs: 0 });
    count = 4;
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ errorClass: 'invalid_response' });
    count = 50;
    const refused = await post(`http://127.0.0.1:${port}/`);
    expect(refused).toMatchObject({ errorClass: 'invalid_response' });
    expect(refused.heldUpMs).toBeGreaterThanOrEqual(ordinaryMs);
  });

  const lines = 'a: b\r\n'.repeat(2_000);
  it.each([
    ['interim responses', `HTTP/1.1 103 Early Hints\r\n${lines}\r\nHTTP/1.1 204 No Content\r\n\r\n`],
    ['trailers', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${lines}\r\n`],
    ['a head that does not end', `HTTP/1.1 200 OK\r\n${lines}`],
    ['a head that is too long', `HTTP/1.1 200 OK\r\n${lines.repeat(8)}\r\n`],
  ])('thousands of headers count, in %s', async (_where, text) => {
    const port = await raw((socket) => socket.end(text));
    expect((await post(`http://127.0.0.1:${port}/`)).heldUpMs).toBeGreaterThanOrEqual(ordinaryMs);
  });

  it('a long body does not count, whatever its pieces', async () => {
    const chunk = `400\r\n${'a'.repeat(1_024)}\r\n`;
    const port = await raw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(100)}0\r\n\r\n`),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ succeeded: true, truncated: true, heldUpMs: 0 });
  });

  it('of a thousand headers the first are kept, and the one that the next attempt depends on', async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `h${index}: 1\r\n`).join('');
    const port = await raw((socket) =>
      socket.write(`HTTP/1.1 503 Busy\r\n${lines}retry-after: 30\r\ncontent-length: 0\r\n\r\n`),
    );
    const { headers, heldUpMs } = await post(`http://127.0.0.1:${port}/`);
    expect(headers).toMatchObject({ h0: '1', 'retry-after': '30' });
    // Counts like a handshake that takes long, so the project makes one request at a time when there are many.
    expect(heldUpMs).toBeGreaterThanOrEqual(ordinaryMs);
    expect(Object.keys(headers ?? {})).toHaveLength(maxHeaders + 1);
  });

  it('a connection that is used for many responses stays open', async () => {
    let connections = 0;
    const server = http.createServer((_request, response) => response.end('x'.repeat(maxResponseBytes)));
    server.on('connection', () => {
      connections += 1;
    });
    const port = await listen(server);
    const agent = createGuardedAgent(rule);
    const request = {
      url: `http://127.0.0.1:${port}/`,
      method: 'POST',
      headers: {},
      body: '{}',
      timeoutMs: 5_000,
    } as const;
    for (let sent = 0; sent < 40; sent += 1) {
      expect(await sendRequest(agent, request)).toMatchObject({ succeeded: true, truncated: false });
      // The connection can be reused in a later turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await agent.destroy();
    expect(connections).toBeLessThan(5);
  });

  it('bytes that a text column cannot store are replaced', async () => {
    const port = await httpServer((_request, response) => response.end(Buffer.from([104, 0, 105, 0xff])));
    expect((await post(`http://127.0.0.1:${port}/`)).body).toBe('h\uFFFDi\uFFFD');
  });
});

it('a project sends nothing on connections that another one has opened', async () => {
  const connections = new Set<net.Socket>();
  const port = await httpServer(({ socket }, response) => {
    connections.add(socket);
    response.end();
  });
  const agent = createGuardedAgent(rule);
  const request = {
    url: `http://127.0.0.1:${port}/`,
    method: 'POST' as const,
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
  };
  for (const projectId of ['prj_one', 'prj_other', 'prj_one']) {
    expect(await sendRequest(agent, request, projectId)).toMatchObject({ succeeded: true });
    // A connection can be used again once the response that ends here has been passed on.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(connections.size).toBe(2);
  await agent.destroy();
});

describe('timings', () => {
  it('include each part of an attempt; a reused connection has no connection parts', async () => {
    const port = await httpServer((_request, response) => setTimeout(() => response.end('ok'), 30));
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const agent = createGuardedAgent(rule, resolve);
    const request = { url: `http://receiver.test:${port}/`, headers: {}, body: Buffer.from('{}'), timeoutMs: 5000 };
    const first = await sendRequest(agent, { ...request, method: 'POST' });
    // The connection can be reused in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await sendRequest(agent, { ...request, method: 'POST' });
    await agent.destroy();
    expect(first.timings).toEqual({
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
      tlsMs: null,
      firstByteMs: expect.any(Number),
      totalMs: expect.any(Number),
    });
    expect(first.timings.firstByteMs).toBeGreaterThanOrEqual(25);
    expect(first.timings.totalMs).toBeGreaterThanOrEqual(first.timings.firstByteMs ?? 0);
    expect(second.timings).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null });
    expect(second).toMatchObject({ succeeded: true, peerAddress: '127.0.0.1' });
  });

  it('include TLS, and the certificate is checked against the name', async () => {
    const port = await listen(https.createServer(testCertificate, (_request, response) => response.end('ok')));
    const result = await postTrusting(`https://receiver.test:${port}/`);
    expect(result).toMatchObject({ succeeded: true, status: 200, peerAddress: '127.0.0.1' });
    expect(result.timings.tlsMs).toBeGreaterThan(0);
    expect(await postTrusting(`https://other.test:${port}/`)).toMatchObject({ errorClass: 'tls_error' });
  });
});

/** As `post`, from a process that trusts the test's certificate. */
async function postTrusting(url: string): Promise<RequestResult> {
  const trusted = path.join(env.LAUREL_DATA_DIR, 'trusted.pem');
  await writeFile(trusted, testCertificate.cert);
  const fixture = fileURLToPath(new URL('./tls.fixture.ts', import.meta.url));
  const environment = { ...process.env, NODE_EXTRA_CA_CERTS: trusted };
  const args = ['--import', 'tsx', fixture, url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return JSON.parse(stdout);
}

describe('a response over TLS', () => {
  /** Each piece is a record of its own. */
  const inRecords = (pieces: string[]) =>
    listen(
      tls.createServer(testCertificate, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', async () => {
          for (const piece of pieces) {
            if (socket.destroyed) return;
            await new Promise((written) => socket.write(piece, written));
          }
        });
      }),
    );

  it('of which TLS keeps most to itself is given up', async () => {
    const port = await inRecords(['HTTP/1.1 200 OK\r\nx: ', ...'a'.repeat(2_000), '\r\ncontent-length: 2\r\n\r\nok']);
    expect(await postTrusting(`https://receiver.test:${port}/`)).toMatchObject({
      errorClass: 'invalid_response',
      errorMessage: expect.stringContaining('far more'),
    });
  });

  it.each([
    ['in large records', [`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 18}\r\n\r\n`, 'a'.repeat(2 ** 18)], true],
    [
      'in hundreds of records',
      ['HTTP/1.1 200 OK\r\nx: ', ...'a'.repeat(500), '\r\ncontent-length: 2\r\n\r\nok'],
      false,
    ],
  ])('%s is read', async (_name, pieces, truncated) => {
    const port = await inRecords(pieces);
    expect(await postTrusting(`https://receiver.test:${port}/`)).toMatchObject({ succeeded: true, truncated });
  });
});

it('response headers with unsafe names are not stored', async () => {
  const port = await httpServer((_req, res) => {
    res.writeHead(200, { constructor: 'a', prototype: 'b', 'x-stored': 'c' }).end('ok');
  });
  const { succeeded, headers } = await post(`http://127.0.0.1:${port}/`);
  expect(succeeded).toBe(true);
  expect(Object.keys(headers ?? {})).toContain('x-stored');
  expect(Object.keys(headers ?? {})).not.toContain('constructor');
  expect(Object.keys(headers ?? {})).not.toContain('prototype');
});
