import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FairQueue } from '@/server/worker/fair-queue';
import { waitedForTurn } from '@/server/worker/waiting';
import { limitConnections } from './connection-limit';
import { oneAtATime } from './connections';

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<(from?: string) => Socket> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (localAddress = '127.0.0.1') => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('the next request of a connection begins after the response, and not at all once the client is gone', async () => {
  const begun: (string | undefined)[] = [];
  const finish = new Map<string | undefined, () => void>();
  const open = await listen(
    createServer(
      oneAtATime((req, res) => {
        begun.push(req.url);
        finish.set(req.url, () => res.end('done'));
      }),
    ),
  );
  const socket = open();
  socket.resume();
  socket.write(['/a', '/b', '/c'].map(get).join(''));
  await expect.poll(() => begun).toEqual(['/a']);
  finish.get('/a')?.();
  await expect.poll(() => begun).toEqual(['/a', '/b']);
  socket.destroy();
  const other = open();
  other.write(get('/other'));
  await expect.poll(() => begun).toEqual(['/a', '/b', '/other']);
});

test('of requests that wait for an earlier one, a connection sends a few with large headers and more with small ones', async () => {
  const open = await listen(createServer(oneAtATime((_req, res) => void setTimeout(() => res.end('done'), 100))));
  const ask = (count: number, header: string) =>
    new Promise<number>((resolve) => {
      const socket = open();
      let answered = 0;
      socket.on('data', (text) => {
        answered += String(text).split('HTTP/1.1 200').length - 1;
        if (answered === count) resolve(answered);
      });
      socket.once('close', () => resolve(answered));
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(count));
    });
  const large = `Cookie: ${'a'.repeat(10_000)}\r\n`;
  const many = Array.from({ length: 600 }, (_, at) => `A${at}: b\r\n`).join('');
  const all = [ask(2, large), ask(5, ''), ask(20, large), ask(4, many)];
  expect(await Promise.all(all)).toEqual([2, 5, 0, 0]);
});

describe('a connection that sends too many requests ahead', () => {
  let open: (from?: string) => Socket;
  let parsed = 0;
  beforeEach(async () => {
    parsed = 0;
    class Parsed extends IncomingMessage {
      constructor(socket: Socket) {
        super(socket);
        parsed += 1;
      }
    }
    open = await listen(
      createServer(
        { requireHostHeader: false, IncomingMessage: Parsed },
        oneAtATime((req, res) => void (req.url === '/held' || req.pipe(res))),
      ),
    );
  });
  const flood = (text: string, from?: string) =>
    new Promise((resolve) => open(from).once('close', resolve).resume().write(text));
  const ask = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody');
    });

  test.each([
    ['60', get('/healthz'), 60],
    ['thousands of', get('/healthz'), 1_900],
    ['thousands of the smallest', 'GET / HTTP/1.1\r\n\r\n', 3_640],
    [
      'a thousand with a body in pieces',
      'POST /held HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      900,
    ],
  ])('has those it may send parsed of %s', async (_count, request, count) => {
    await flood(request.repeat(count));
    // The one that is being answered, 8 that wait, and one too many.
    expect(parsed).toBe(10);
  });

  test('is closed alone, however often its address opens another one', async () => {
    const own = open();
    const neighbor = open('127.0.0.2');
    const all = Array(2).fill('HTTP/1.1 200 OK');
    expect(await Promise.all([own, neighbor].map(ask))).toEqual(all);
    for (let count = 0; count < 20; count += 1) await flood(get('/').repeat(1_900));
    expect(await Promise.all([own, neighbor].map(ask))).toEqual(all);
    expect(await Promise.all([open(), open('127.0.0.2')].map(ask))).toEqual(all);
  });

  test('leaves nothing to the connections that are parsed after it', async () => {
    await Promise.all(Array.from({ length: 20 }, () => flood(get('/').repeat(60))));
    const sockets = Array.from({ length: 40 }, () => open());
    for (let count = 0; count < 2; count += 1)
      expect(await Promise.all(sockets.map(ask))).toEqual(Array(40).fill('HTTP/1.1 200 OK'));
  });
});

test('of what is sent behind a request whose response ends the connection, nothing is begun', async () => {
  const begun: ServerResponse[] = [];
  const open = await listen(
    createServer(
      oneAtATime((_req, res) => {
        begun.push(res);
        res.setHeader('Connection', 'close').end('last');
      }),
    ),
  );
  const socket = open();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume().write(get('/').repeat(5));
  await closed;
  await expect.poll(() => begun.map(({ closed }) => closed)).toEqual([true]);
});

test('a block of addresses has so many connections open, and one that ends makes room', async () => {
  const server = createServer((_req, res) => res.end('ok'));
  limitConnections(server, 3);
  const open = await listen(server);
  const ask = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
      socket.write(get('/'));
    });
  const first = open();
  expect(await Promise.all([first, open('127.0.0.2'), open('127.0.0.3')].map(ask))).toEqual(
    Array(3).fill('HTTP/1.1 200 OK'),
  );
  expect(await ask(open('127.0.0.4'))).toBe('closed');
  expect(await ask(open('127.0.1.1'))).toBe('HTTP/1.1 200 OK');
  first.destroy();
  await expect.poll(() => ask(open())).toBe('HTTP/1.1 200 OK');
});

test('the address with most connections of a full block makes room for its neighbors, with one that is idle', async () => {
  const begun: ServerResponse[] = [];
  const server = createServer((req, res) => void (req.url === '/held' ? begun.push(res) : res.end('ok')));
  limitConnections(server, 5);
  const open = await listen(server);
  const ask = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
    });
  const held = [open(), open()];
  const answers = held.map(ask);
  for (const socket of held) socket.write(get('/held'));
  await expect.poll(() => begun.length).toBe(2);
  const idle = [open(), open(), open()];
  const closed = idle.map((socket) => new Promise<void>((resolve) => void socket.resume().once('close', resolve)));
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(5);
  const neighbors = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((address) => open(address));
  const ofNeighbors = neighbors.map(ask);
  for (const socket of neighbors) socket.write(get('/'));
  expect(await Promise.all(ofNeighbors)).toEqual(Array(3).fill('HTTP/1.1 200 OK'));
  await Promise.all(closed);
  // Nobody has more than its own two.
  expect(await ask(open())).toBe('closed');
  for (const res of begun) res.end('ok');
  expect(await Promise.all(answers)).toEqual(Array(2).fill('HTTP/1.1 200 OK'));
});

test('idle connections of an address keep nobody else behind it out', async () => {
  const server = createServer((_req, res) => void res.end('ok'));
  limitConnections(server, 5);
  const open = await listen(server);
  const idle = Array.from({ length: 5 }, () => open());
  const closed = new Promise<void>((resolve) => void idle[0]?.resume().once('close', resolve));
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(5);
  const one = open();
  const answer = new Promise<string>((resolve) => {
    one.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
  });
  one.write(get('/'));
  expect(await answer).toBe('HTTP/1.1 200 OK');
  await closed;
});

test('connections with half a request keep nobody else behind their address out, and whole ones that wait stay', async () => {
  const begun: ServerResponse[] = [];
  const server = createServer((req, res) => void (req.url === '/' ? res.end('ok') : begun.push(res)));
  limitConnections(server, 5);
  const open = await listen(server);
  const answerOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
    });
  const whole = open();
  const answer = answerOf(whole);
  whole.write(get('/whole'));
  await expect.poll(() => begun.length).toBe(1);
  const halves = Array.from({ length: 4 }, () => open());
  const ends = halves.map(answerOf);
  for (const socket of halves) socket.write('POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nx');
  await expect.poll(() => begun.length).toBe(5);
  const one = open();
  one.write(get('/'));
  expect(await answerOf(one)).toBe('HTTP/1.1 200 OK');
  expect(await Promise.race(ends)).toBe('closed');
  begun[0]?.end('ok');
  expect(await answer).toBe('HTTP/1.1 200 OK');
});

test('a full address is looked through once, not for each connection that is refused', async () => {
  let looks = 0;
  const begun: ServerResponse[] = [];
  const server = createServer((_req, res) => void begun.push(res));
  limitConnections(server, 50);
  server.on('request', (req, res) => {
    Object.defineProperty(req, 'complete', { get: () => ++looks > 0, set: () => undefined });
    Object.defineProperty(res, 'writableFinished', { get: () => ++looks < 0 });
  });
  const open = await listen(server);
  for (let at = 0; at < 50; at += 1) open().write(get('/'));
  await expect.poll(() => begun.length).toBe(50);
  const refused = Array.from({ length: 20 }, () => open());
  await Promise.all(refused.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))));
  expect(looks).toBeGreaterThanOrEqual(50);
  expect(looks).toBeLessThan(100);
});

test('connections that read no response keep nobody else behind their address out', async () => {
  const begun: ServerResponse[] = [];
  const body = Buffer.alloc(16 * 1024 * 1024);
  const server = createServer((req, res) => void (req.url === '/held' ? begun.push(res) : res.end(body)));
  limitConnections(server, 100);
  const open = await listen(server);
  // More than are looked at for one connection.
  for (let at = 0; at < 97; at += 1) open().write(get('/held'));
  await expect.poll(() => begun.length).toBe(97);
  const unread = [open(), open(), open()];
  const closed = unread.map((socket) => new Promise<number>((resolve) => void socket.once('close', () => resolve(1))));
  for (const socket of unread) socket.write(get('/'));
  await Promise.all(unread.map((socket) => new Promise((resolve) => socket.once('readable', resolve))));
  const ask = () =>
    new Promise<string>((resolve) => {
      const socket = open();
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
      socket.write(get('/'));
    });
  const answers = await Promise.all([ask(), ask()]);
  expect(answers).toContain('HTTP/1.1 200 OK');
  for (const socket of unread) socket.resume();
  expect(await Promise.race(closed)).toBe(1);
  expect(begun.filter(({ destroyed }) => destroyed)).toEqual([]);
});

describe('requests that wait for a turn', () => {
  const waiting = new Set<Socket>();
  let begun: ServerResponse[];
  let open: (from?: string) => Socket;
  let server: Server;
  beforeEach(async () => {
    begun = [];
    waiting.clear();
    const turns = new FairQueue({ running: [1], waiting: 1_000, waitingOfOwner: 1_000 });
    server = createServer(
      oneAtATime((req, res) => {
        if (req.url === '/') return res.end('ok');
        waiting.add(req.socket);
        const signal = new AbortController();
        res.once('close', () => {
          waiting.delete(req.socket);
          signal.abort();
        });
        const work = () => new Promise<void>((resolve) => void begun.push(res.once('close', resolve)));
        void turns.run({ owner: 'one', signal: signal.signal }, work).catch(() => undefined);
      }),
    );
    limitConnections(server, 60);
    open = await listen(server);
  });
  /** Has one request after the other wait, with another one behind it, and connects again when that is closed. */
  function insist(of = server): void {
    const socket = open();
    socket.resume().once('close', () => servers.includes(of) && insist(of));
    socket.write(get('/turn').repeat(2));
  }
  /** Resolves when all but the first have waited for so long that they make room before those that have just connected. */
  async function allWait(): Promise<void> {
    const haveWaited = () =>
      [...waiting].filter((each) => (waitedForTurn(each, performance.now()) ?? 0) > 1_000).length;
    await expect.poll(haveWaited, { timeout: 10_000 }).toBe(59);
  }
  const answerOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once('data', (text) => resolve(String(text).slice(0, 15))).once('close', () => resolve('closed'));
    });
  const ask = (socket: Socket) => {
    socket.write(get('/'));
    return answerOf(socket);
  };

  test('keep nobody else behind their address out, and one whose turn it is stays', async () => {
    const socket = open();
    const answer = answerOf(socket);
    socket.write(get('/turn'));
    await expect.poll(() => begun.length).toBe(1);
    for (let at = 1; at < 60; at += 1) insist();
    await allWait();
    const answers: string[] = [];
    for (let at = 0; at < 20; at += 1) answers.push(await ask(open()));
    expect(answers).toEqual(Array(20).fill('HTTP/1.1 200 OK'));
    begun[0]?.end('ok');
    expect(await answer).toBe('HTTP/1.1 200 OK');
  });

  test('make room before a client that has just connected', async () => {
    for (let at = 0; at < 60; at += 1) open().write(get('/turn').repeat(2));
    await allWait();
    const neighbors = Array.from({ length: 10 }, () => open());
    await expect.poll(() => waiting.size).toBe(50);
    expect(await Promise.all(neighbors.map(ask))).toEqual(Array(10).fill('HTTP/1.1 200 OK'));
  });
});
