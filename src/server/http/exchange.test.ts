import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SentResponse, sendToNode } from './exchange';

const responses: SentResponse[] = [];
const server = createServer((req, res) => {
  const response = responses.shift();
  if (response) sendToNode(req, res, response);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const port = () => (server.address() as AddressInfo).port;

/** A response with more bytes than the operating system takes over for a client that reads nothing. */
function largeResponse(isOwnBody: boolean) {
  const body = new Uint8Array(32 * 1024 * 1024).fill(7);
  responses.push({ status: 200, headers: {}, body, isOwnBody });
  return body;
}

/** A client that has asked, and reads no more than the beginning until it is told to. */
async function ask() {
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

test('a body of its own is freed when it has been sent, and not before', async () => {
  const body = largeResponse(true);
  const { length } = body;
  const socket = await ask();
  const chunks: Buffer[] = [];
  expect(body).toHaveLength(length);
  await new Promise((resolve) => socket.on('data', (chunk) => chunks.push(chunk)).once('close', resolve));
  const received = Buffer.concat(chunks);
  expect(received.subarray(-length).equals(Buffer.alloc(length, 7))).toBe(true);
  await expect.poll(() => body.length).toBe(0);
});

test('so it is when the client has gone', async () => {
  const body = largeResponse(true);
  const socket = await ask();
  expect(body.length).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(() => body.length).toBe(0);
});

test('one that others use stays', async () => {
  const body = largeResponse(false);
  const { length } = body;
  const socket = await ask();
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(body).toHaveLength(length);
});
