import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { abort, lateBody, refuseBrokenRequest } from './abort';
import { oneAtATime } from './connections';
import { lingerAfter } from './linger';
import { limitPieces } from './pieces';

/** Sends the beginning of a request whose body never ends, and then more of it until the connection is over. @returns what came back */
async function flood(path: string, first: string): Promise<string> {
  const server = createServer(
    oneAtATime((req, res) => {
      if (req.url === '/begun') res.writeHead(200).write('begun');
      if (req.url === '/late') abort(req.socket, lateBody);
      req.resume();
    }),
  );
  limitPieces(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    text += ` ${error.code}`;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${first}`);
  while (!socket.readableEnded && !socket.closed) {
    socket.write('1\r\nx\r\n');
    await setImmediate();
  }
  socket.destroy();
  return text;
}

const tiny = '1\r\nx\r\n'.repeat(10_000);

test('a connection that is closed for its body is answered first, and its client reads that while it goes on sending', async () => {
  for (const path of ['/', '/unread']) {
    expect(await flood(path, tiny)).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n[\s\S]*once\.\n$/);
  }
  expect(await flood('/late', '')).toMatch(
    /^HTTP\/1.1 408 Request Timeout\r\nConnection: close\r\n[\s\S]*in time\.\n$/,
  );
});

test('one whose answer has begun is closed without another one', async () => {
  const text = await flood('/begun', '');
  expect(text.match(/HTTP\/1.1/g)).toHaveLength(1);
});

/** Connects to a server that begins to answer, answers, or ends with its answer what asks for it, and refuses what is broken. */
async function openBroken(requestTimeout = 0) {
  const server = createServer(
    { connectionsCheckingInterval: 20, headersTimeout: requestTimeout, requestTimeout },
    oneAtATime((req, res) => {
      if (req.url === '/begun') res.writeHead(200, { 'Content-Length': 10 }).write('begun');
      if (req.url === '/kept') res.end('kept');
      if (req.url === '/last') {
        lingerAfter(req);
        res.writeHead(200, { 'Content-Length': 6, Connection: 'close' }).end('last.\n');
      }
      req.resume();
    }),
  );
  server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket as Socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', (piece) => {
      text += piece;
    });
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  const send = (piece: string) =>
    new Promise<void>((sent, failed) => socket.write(piece, (error) => (error ? failed(error) : sent())));
  /** What came back once the server has ended the connection, and the statuses in it. */
  const said = async () => {
    await ended;
    return text;
  };
  const statuses = async () => (await said()).match(/(?<=HTTP\/1\.1 )\d+/g);
  const count = () => new Promise((resolve) => server.getConnections((_error, connections) => resolve(connections)));
  return { send, said, statuses, count, hears: (part: string) => expect.poll(() => text).toContain(part) };
}

const answer = (status: number) =>
  new RegExp(`^HTTP/1.1 ${status} .*\\r\\n(.*\\r\\n)*Connection: close\\r\\n[\\s\\S]*\\.\\n$`);
const line = `X: ${'a'.repeat(7_900)}\r\n`;
const chunked = 'HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const fixed = (headers: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 204800\r\n${headers}\r\n`;

test.each([
  ['a header is not HTTP', fixed('X: a\u0001b\r\n'), 400],
  ['the headers have more than 16 KiB', fixed(line.repeat(3)), 431],
  ['the body is broken behind the last response', `POST /last ${chunked}`, 200],
])('where %s, the client reads the response and can go on sending', async (_what, head, status) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { send, said, count } = await openBroken();
  await send(head);
  expect(await said()).toMatch(answer(status));
  for (let sent = 0; sent < 204_800; sent += 4_096) {
    await send(' '.repeat(4_096));
    // What this leads to has happened before the next piece.
    for (let round = 0; round < 3; round += 1) await setImmediate();
  }
  expect(await count()).toBe(1);
  vi.advanceTimersByTime(500);
  await expect.poll(count).toBe(0);
});

test.each([
  ['a header that never ends', 'GET /x HTTP/1.1\r\nHost:', 408],
  ['a body that never comes', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n', 408],
  ['a chunk without a length', `POST /x ${chunked}x\r\n`, 400],
])('%s is answered', async (_what, request, status) => {
  const { send, said } = await openBroken(100);
  await send(request);
  expect(await said()).toMatch(answer(status));
});

test.each([
  ['behind a whole request that was answered', 'kept', 'GET /kept HTTP/1.1\r\nHost: x\r\n\r\n', ['200', '400']],
  ['in the body of one that was answered', 'kept', `POST /kept ${chunked}`, ['200']],
  ['while the answer is on its way', 'begun', `POST /begun ${chunked}`, ['200']],
])(
  'what is broken %s is answered if no answer can be taken for that of another',
  async (_where, part, request, expected) => {
    const { send, statuses, hears } = await openBroken();
    await send(request);
    await hears(part);
    await send('x\r\n');
    expect(await statuses()).toEqual(expected);
  },
);
