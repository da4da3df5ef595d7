import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { stopLive } from '@/server/events/live';
import { startServer } from '@/server/http/server';
import { guardUpgrades } from '@/server/http/sockets/upgrades';

afterAll(stopLive);

const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'];
const websocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

/**
 * Sends a request as it is written, and resolves with everything that came back once `until` has come or the socket
 * ended.
 */
function send(
  port: number,
  target: string,
  headers: string[],
  { body = '', until = /\r\n\r\n[\s\S]+$/ } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const length = body ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
    const lines = [`${body ? 'POST' : 'GET'} ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, ...length];
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`));
    onTestFinished(() => void socket.destroy());
    socket.on('error', reject);
    socket.on('end', () => resolve(said));
    socket.on('data', (data) => {
      said += data.toString();
      if (until.test(said)) resolve(said);
    });
  });
}

describe.each([
  ['HTTP/2', h2c],
  ['a websocket', websocket],
])('a request that offers %s', (_what, headers) => {
  test('is answered as any other', async () => {
    const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
    for (const path of ['/healthz', '/api/v1/tournaments']) {
      expect([path, (await send(server.port, path, headers)).slice(0, 15)]).toEqual([path, 'HTTP/1.1 200 OK']);
    }
    const body = '{"email":"nobody@players.test","password":"x"}';
    const answer = await send(server.port, '/api/v1/auth/token', [...headers, 'Content-Type: application/json'], {
      body,
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await server.stop();
  });

  test('does not delay a stop', async () => {
    const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
    await Promise.all(Array.from({ length: 50 }, () => send(server.port, '/healthz', headers)));
    const began = performance.now();
    await server.stop();
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

test('a connection whose request never arrives whole does not delay a stop', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const socket = connect(server.port, '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\nHost: '));
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  // Another connection is answered, so the first one has been accepted.
  await send(server.port, '/healthz', []);
  const began = performance.now();
  await server.stop();
  await gone;
  expect(performance.now() - began).toBeLessThan(1_000);
});

describe('in development', () => {
  /** A server as it is in front of Next.js, which listens for upgrades on what it was given. */
  async function startStaged() {
    const upgraded: string[] = [];
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () =>
        res.end(`${req.method} ${req.url} ${req.headers.upgrade ?? 'plain'} ${Buffer.concat(chunks)}`),
      );
    });
    const stage = guardUpgrades(server, true);
    stage.on('upgrade', (req: IncomingMessage, socket: Duplex) => {
      upgraded.push(req.url ?? '');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhot');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, port: (server.address() as AddressInfo).port, upgraded };
  }

  test('hot reload has its websocket', async () => {
    const { port, upgraded } = await startStaged();
    const said = await send(port, '/_next/hmr?id=1', websocket, { until: /hot$/ });
    expect(said).toMatch(/^HTTP\/1\.1 101 /);
    expect(upgraded).toEqual(['/_next/hmr?id=1']);
  });

  test('every other request is answered, with its body, and leaves no socket', async () => {
    const { server, port, upgraded } = await startStaged();
    const body = '{"text":"ünï"}';
    expect(await send(port, '/x', h2c, { until: /never/ })).toMatch(/\r\n\r\nGET \/x plain $/);
    expect(await send(port, '/y', websocket, { body, until: /never/ })).toMatch(
      /\r\n\r\nPOST \/y plain {"text":"ünï"}$/,
    );
    expect(upgraded).toEqual([]);
    const open = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    await expect.poll(open, { timeout: 5_000 }).toBe(0);
  });
});
