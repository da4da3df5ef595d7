import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import { limitPackets, limitPieces } from './pieces';

let server: Server;
let port: number;
/** Pieces of bodies that were parsed. */
let parsed = 0;
/** Of requests that are answered when a test says so, whatever has come of their bodies. */
let unanswered: ServerResponse[] = [];

beforeEach(async () => {
  server = createServer((req, res) => {
    const { push } = req;
    req.push = (piece, encoding) => {
      if (piece !== null) parsed += 1;
      return push.call(req, piece, encoding);
    };
    if (req.url === '/unanswered') return;
    if (req.url === '/later') return void unanswered.push(res);
    if (req.url === '/unread') return void res.setHeader('Connection', 'close').end('unread');
    let size = 0;
    req.on('data', (piece) => {
      size += piece.byteLength;
    });
    req.on('error', () => undefined);
    req.on('end', () => res.end(String(size)));
  });
  limitPieces(server);
  parsed = 0;
  unanswered = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a body in pieces of a size. @returns the response, or how the connection ended */
function send(path: string, size: number, count: number, localAddress = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    let text = '';
    socket.on('data', (data) => {
      text += data;
      if (text.includes('\r\n\r\n') && path !== '/unread') socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text === '' ? 'closed' : (text.split('\r\n\r\n')[1] ?? '')));
    const piece = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write(`${piece.repeat(count)}0\r\n\r\n`);
  });
}

test('a body in pieces as clients send them is read', async () => {
  expect(await send('/', 1_000, 1_000)).toContain('1000000');
  expect(await send('/', 1, 200)).toContain('200');
});

test('a body in thousands of tiny pieces is not, even if nothing reads it', async () => {
  expect(await send('/', 1, 10_000)).toContain('too many pieces');
  expect(await send('/unread', 1, 200_000)).not.toContain('200000');
});

test('the rest of a body in too many pieces is not parsed, nor what follows it', async () => {
  const idle = connect({ port, host: '127.0.0.1' });
  await once(idle, 'connect');
  // Whatever the number of bodies, neither the other connections nor the next ones of the address are closed.
  for (let count = 1; count <= 10; count += 1) {
    expect(await send('/', 1, 10_000)).toContain('too many pieces');
    expect(parsed).toBe(258 * count);
  }
  expect(await send('/', 10, 1)).toContain('10');
  expect(idle.closed).toBe(false);
  idle.destroy();
});

test('bodies that are sent ahead have no more pieces together', async () => {
  const piece = '1\r\nx\r\n';
  const one = `POST /unanswered HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${piece.repeat(200)}0\r\n\r\n`;
  const socket = connect({ port, host: '127.0.0.1' }).resume();
  socket.write(one.repeat(8));
  await once(socket, 'close');
  expect(parsed).toBe(258);
});

test('a body of a known length may come in any pieces', async () => {
  const answer = new Promise<string>((resolve) => {
    const req = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 2_000 } }, (res) => {
      res.on('data', (data) => resolve(String(data)));
    });
    for (let count = 0; count < 2_000; count += 1) req.write('x');
    req.end();
  });
  expect(await answer).toBe('2000');
});

/** A connection that has sent the beginning of a request, and its answer. */
async function begin(head: string, localAddress: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += data;
      if (text.endsWith('0\r\n\r\n') || /\r\n\r\n.+/.test(text)) resolve(text.split('\r\n\r\n')[1] ?? '');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve('closed'));
  });
  await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  return { socket, answer };
}

/** Sends a text on each connection, one character in a packet to all of them after the other. */
async function trickle(connections: readonly { socket: Socket }[], text: string): Promise<void> {
  for (const character of text) {
    for (const { socket } of connections) socket.write(character);
    await pause(1);
  }
}

const post = (length: number) => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;
/** Packets of one network that have turns at a time, and of each request that need none. */
const [atATime, free] = [12, 4];

test.each([
  ['a body', post(50), 'x'.repeat(50), '50'],
  ['a header', 'GET / HTTP/1.1\r\nHost: ', `${'x'.repeat(50)}\r\n\r\n`, '0'],
])('what comes of %s while its network has had its turns is read as one', async (_, head, rest, answered) => {
  const turnMs = 200;
  limitPackets(server, turnMs);
  let reads = 0;
  server.on('connection', (socket: Socket) => {
    const { parser } = socket as unknown as { parser: Record<number, (...args: unknown[]) => void> };
    const { kOnExecute } = parser.constructor as unknown as { kOnExecute: number };
    const { [kOnExecute]: onRead } = parser;
    parser[kOnExecute] = (...args) => {
      reads += 1;
      onRead?.(...args);
    };
  });
  const connections = await Promise.all(Array.from({ length: 40 }, () => begin(head, '127.0.0.1')));
  const began = performance.now();
  await trickle(connections, rest);
  for (const { answer } of connections) expect(await answer).toBe(answered);
  const turns = Math.ceil((performance.now() - began) / turnMs) + 1;
  expect(reads).toBeLessThanOrEqual(40 * (free + 1) + turns * atATime);
  for (const { socket } of connections) socket.destroy();
});

test('other networks do not wait for it, nor what comes in ordinary packets', async () => {
  limitPackets(server, 60_000);
  const slow = await Promise.all(Array.from({ length: 40 }, () => begin(post(50), '127.0.0.1')));
  let answered = 0;
  for (const { answer } of slow)
    void answer.then(() => {
      answered += 1;
    });
  await trickle(slow, 'x'.repeat(50));
  const other = await begin(post(12), '127.1.0.1');
  await trickle([other], 'x'.repeat(12));
  expect(await other.answer).toBe('12');
  const own = await begin(post(60_200), '127.0.0.1');
  for (let sent = 0; sent < 60_200; sent += 1_400) {
    own.socket.write('x'.repeat(1_400));
    await pause(1);
  }
  expect(await own.answer).toBe('60200');
  expect(answered).toBe(0);
  for (const { socket } of [...slow, other, own]) socket.destroy();
});

describe('behind a proxy, while the turns of an address are taken', () => {
  const [attacker, other] = ['203.0.113.1', '198.51.100.1'];
  let busy: Connection[];

  type Connection = { socket: Socket; received: () => string };

  function open(): Connection {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => undefined);
    return { socket, received: () => text };
  }

  /** A header as a proxy sends it on. */
  const headOf = (address: string, length: number, path = '/') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${length}\r\n\r\n`;

  /** Sends a request whose body comes one character in a packet, or so many of them. */
  async function post(
    connection: Connection,
    address: string,
    length: number,
    path = '/',
    sent = length,
  ): Promise<void> {
    connection.socket.write(headOf(address, length, path));
    await pause(1);
    await trickle([connection], 'x'.repeat(sent));
  }

  const answered = ({ received }: Connection, end: string) =>
    expect.poll(received).toMatch(new RegExp(`\\r\\n\\r\\n${end}$`));

  async function answerEarly(connection: Connection): Promise<void> {
    await expect.poll(() => unanswered.length).toBe(1);
    unanswered[0]?.end('early');
    await answered(connection, 'early');
  }

  beforeEach(async () => {
    env.TRUSTED_PROXIES = 1;
    limitPackets(server, 60_000);
    busy = Array.from({ length: 40 }, open);
    await Promise.all(busy.map((connection) => post(connection, attacker, 50, '/', 20)));
  });
  afterEach(() => {
    for (const { socket } of busy) socket.destroy();
    env.TRUSTED_PROXIES = 0;
  });

  test('the request of another on the same connection does not wait after one that came in small packets', async () => {
    const connection = open();
    await post(connection, attacker, free);
    await answered(connection, String(free));
    await post(connection, other, 12);
    await answered(connection, '12');
    connection.socket.destroy();
  });

  test('nor after one that was answered while its body waited', async () => {
    const connection = open();
    await post(connection, attacker, 20, '/later', 10);
    connection.socket.write('x'.repeat(10));
    await answerEarly(connection);
    await post(connection, other, 12);
    await answered(connection, '12');
    connection.socket.destroy();
  });

  test('a connection is closed on which a body goes on in small packets after the answer', async () => {
    const connection = open();
    await post(connection, attacker, 1_000, '/later', 10);
    await answerEarly(connection);
    await trickle([connection], 'x'.repeat(20));
    await expect.poll(() => connection.socket.closed).toBe(true);
  });

  test('but not one on which it goes on in ordinary packets', async () => {
    const connection = open();
    await post(connection, attacker, 140_000, '/later', 0);
    await answerEarly(connection);
    for (let sent = 0; sent < 140_000; sent += 1_400) {
      connection.socket.write('x'.repeat(1_400));
      await pause(1);
    }
    await post(connection, other, 12);
    await answered(connection, '12');
    connection.socket.destroy();
  });

  test('the packets of a header count for the address that it names', async () => {
    const inPackets = async (address: string) => {
      const connection = open();
      const head = headOf(address, 3);
      const size = Math.ceil(head.length / (2 * free));
      for (let sent = 0; sent < head.length; sent += size) {
        connection.socket.write(head.slice(sent, sent + size));
        await pause(1);
      }
      await trickle([connection], 'xxx');
      return connection;
    };
    const held = await inPackets(attacker);
    const passed = await inPackets(other);
    await answered(passed, '3');
    expect(held.received()).toBe('');
    for (const { socket } of [held, passed]) socket.destroy();
  });
});
