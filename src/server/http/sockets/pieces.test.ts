import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitPieces } from './pieces';

let server: Server;
let port: number;
/** Pieces of bodies that were parsed. */
let parsed = 0;

beforeEach(async () => {
  server = createServer(async (req, res) => {
    const { push } = req;
    req.push = (piece, encoding) => {
      if (piece !== null) parsed += 1;
      return push.call(req, piece, encoding);
    };
    if (req.url === '/unanswered') return;
    if (req.url === '/unread') return void res.setHeader('Connection', 'close').end('unread');
    let size = 0;
    for await (const piece of req) size += piece.byteLength;
    res.end(String(size));
  });
  limitPieces(server);
  parsed = 0;
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
  expect(await send('/', 1, 10_000)).toBe('closed');
  expect(await send('/unread', 1, 200_000)).not.toContain('200000');
});

test('the rest of a body in too many pieces is not parsed, nor what follows it', async () => {
  const idle = connect({ port, host: '127.0.0.1' });
  await once(idle, 'connect');
  // Whatever the number of bodies, neither the other connections nor the next ones of the address are closed.
  for (let count = 1; count <= 10; count += 1) {
    expect(await send('/', 1, 10_000)).toBe('closed');
    expect(parsed).toBe(258 * count);
  }
  expect(await send('/', 10, 1)).toContain('10');
  expect(idle.closed).toBe(false);
  idle.destroy();
});

test('bodies that are sent ahead have no more pieces together', async () => {
  const piece = '1\r\nx\r\n';
  const one = `POST /unanswered HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${piece.repeat(200)}0\r\n\r\n`;
  const socket = connect({ port, host: '127.0.0.1' });
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
