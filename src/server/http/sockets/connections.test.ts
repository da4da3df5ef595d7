import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { limitConnections, oneAtATime } from './connections';

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
