import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

/** A client that sends all of a request before it reads anything, in small writes, as blocking ones do. */
async function open(head: string): Promise<{ socket: Socket; ended: Promise<string> }> {
  const { hostname, port } = new URL(api.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).setEncoding('latin1');
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(text));
    socket.once('error', (error) => resolve(`${text}${(error as NodeJS.ErrnoException).code}`));
  });
  await once(socket, 'connect');
  socket.write(`${head}\r\n\r\n`);
  return { socket, ended };
}

const large = 'x'.repeat(64 * 1024);
const chunk = `10000\r\n${large}\r\n`;

describe.each([
  ['with Connection: close', 'POST /tournaments HTTP/1.1\r\nHost: x\r\nContent-Length: 655360', '413', large, ''],
  ['without a length', 'POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked', '200', chunk, '0\r\n\r\n'],
  ['to a page', 'POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked', '411', chunk, '0\r\n\r\n'],
  ['of HTTP/1.0', 'POST /api/v1/projects HTTP/1.0\r\nContent-Length: 655360', '401', large, ''],
  ['of HTTP/1.0, to no route', 'POST /api/v1/x HTTP/1.0\r\nContent-Length: 655360', '404', large, ''],
])('the response to a body that is refused before it arrives, %s,', (_how, head, status, piece, last) => {
  test('is followed by the end of the connection, once the body has arrived', async () => {
    const { socket, ended } = await open(head);
    expect(await ended).toContain(` ${status} `);
    const closed = once(socket, 'close');
    for (let count = 0; count < 10; count += 1) {
      await new Promise<void>((sent, failed) => socket.write(piece, (error) => (error ? failed(error) : sent())));
    }
    socket.end(last);
    await closed;
    expect(socket.errored).toBeNull();
  });
});

test('of a body that is refused, no more than a part is read behind the response', async () => {
  const { socket, ended } = await open('POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked');
  expect(await ended).toContain(' 200 ');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let sent = 0;
  const send = (error?: Error | null): void => {
    if (error || socket.destroyed) return;
    sent += large.length;
    socket.write(chunk, send);
  };
  send();
  await closed;
  expect(sent / 1024 ** 2).toBeGreaterThan(15);
  expect(sent / 1024 ** 2).toBeLessThan(40);
});

test('a body that is refused and does not come on keeps its connection open for some seconds', async () => {
  const { socket, ended } = await open('POST /tournaments HTTP/1.1\r\nHost: x\r\nContent-Length: 655360');
  await ended;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // Who has ended nothing notices only by writing that the connection is closed.
  let taken = 0;
  const write = setInterval(() => socket.write('x', (error) => (taken += error ? 0 : 1)), 1_000);
  await closed;
  clearInterval(write);
  // One is taken also where nobody reads any more.
  expect(taken).toBeGreaterThan(2);
}, 12_000);
