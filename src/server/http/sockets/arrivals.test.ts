import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { abort } from './abort';
import { limitArrivals } from './arrivals';
import { oneAtATime } from './connections';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers, and the connections that anything has to do with. */
async function open(mostInSecond?: number) {
  const server = createServer(
    oneAtATime((req, res) => {
      if (req.url === '/aborted') abort(req.socket);
      else if (req.url === '/file') res.writeHead(200, { 'Content-Length': 2_000 }).write('part');
      else if (req.url === '/stream') res.writeHead(200).write('part');
      else if (req.url !== '/held') res.end('here');
    }),
  );
  servers.push(server);
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  limitArrivals(server, mostInSecond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  /** @returns what became of a connection from an address */
  const arrive = (localAddress: string, path = '/') =>
    new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on('close', () => resolve('closed'));
      socket.on('data', (bytes) => resolve(String(bytes).slice(9, 12)));
      socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
    });
  return { server, accepted, arrive };
}

test('a connection that is over before it is accepted is closed, and nothing else is done for it', async () => {
  const { server, accepted, arrive } = await open();
  const over = new Socket();
  server.emit('connection', over);
  expect([over.destroyed, over.listenerCount('data'), accepted]).toEqual([true, 0, []]);
  expect(await arrive('127.0.0.1')).toBe('200');
  expect(accepted).toHaveLength(1);
});

test('a block of addresses that opens too many in a second is refused for that long, and no other is', async () => {
  const { accepted, arrive } = await open(20);
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, at) => arrive(`127.0.1.${1 + (at % 2)}`)));
  const refused = outcomes.filter((outcome) => outcome !== '200');
  expect(refused.length).toBeGreaterThan(0);
  expect(accepted).toHaveLength(outcomes.length - refused.length);
  expect(await arrive('127.0.2.1')).toBe('200');
  await expect.poll(() => arrive('127.0.1.1')).toBe('200');
});

test('one that is closed for what it sends counts as ten', async () => {
  const { accepted, arrive } = await open(20);
  const outcomes: string[] = [];
  for (let count = 0; count < 30; count += 1) outcomes.push(await arrive('127.0.1.1', '/aborted'));
  expect(outcomes.filter((outcome) => outcome === 'ECONNRESET').length).toBeGreaterThan(0);
  expect(accepted.length).toBeLessThan(20);
  await expect.poll(() => arrive('127.0.1.1')).toBe('200');
});

test('one that its client closes before it is answered, in a body or in a file counts as ten, and in a stream as one', async () => {
  const { server, accepted, arrive } = await open(20);
  const { port } = server.address() as AddressInfo;
  const leave = (path: string, localAddress: string, header: string) =>
    new Promise<void>((resolve) => {
      const asked = once(server, 'request');
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => resolve()).on('close', () => resolve());
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
      if (path !== '/held') socket.once('data', () => socket.destroy());
      else void asked.then(() => socket.destroy());
    });
  const missing = 'Content-Length: 100\r\n';
  for (const [address, path, header] of [
    ['127.0.3.1', '/held', ''],
    ['127.0.4.1', '/', missing],
    ['127.0.5.1', '/file', ''],
  ] as const) {
    const before = accepted.length;
    for (let count = 0; count < 30; count += 1) await leave(path, address, header);
    expect(accepted.length - before).toBeLessThan(20);
    await expect.poll(() => arrive(address)).toBe('200');
  }
  const before = accepted.length;
  for (let count = 0; count < 20; count += 1) await leave('/stream', '127.0.6.1', '');
  expect(accepted.length - before).toBe(20);
});
