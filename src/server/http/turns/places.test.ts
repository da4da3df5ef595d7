import {
  type ClientRequest,
  createServer,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { limitSlowReaders } from '@/server/http/sockets/slow-readers';
import { Places } from './places';
import { renderInTurn } from './turns';

const placesOfNetwork = 48;
const piece = Buffer.alloc(64 * 1024);
const state = { timeout: 30_000 };

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

/** A server, and what asks it for a page. */
async function serve(handle: RequestListener) {
  const server = createServer(handle);
  const stopLimiting = limitSlowReaders(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const calls: ClientRequest[] = [];
  const ask = (path: string) => {
    const { port } = server.address() as AddressInfo;
    const call = request({ host: '127.0.0.1', port, path, agent: false });
    call.on('error', () => undefined);
    call.once('response', (response) => response.on('error', () => undefined).resume());
    call.end();
    calls.push(call);
    return call;
  };
  onTestFinished(async () => {
    for (const call of calls) call.destroy();
    await expect.poll(() => connections(server), state).toBe(0);
    stopLimiting();
    server.close();
  });
  return { server, ask };
}

/** Writes some of a page whose reader stands still, without filling what the operating system keeps for a connection. */
function standStill(res: ServerResponse): void {
  res.socket?.cork();
  res.write(piece);
}

/** A server with pages of callers of a network, which are ready, slow, or end by `end`. */
async function servePages(ip: string) {
  const begun: { caller: string; end: () => void }[] = [];
  const { ask, server } = await serve((req, res) => {
    const [, kind, caller = ''] = (req.url ?? '').split('/');
    const render = () =>
      new Promise<void>((resolve) => {
        const end = () => {
          res.end();
          resolve();
        };
        begun.push({ caller, end });
        if (kind === 'ready') end();
        if (kind === 'slow') standStill(res);
      });
    void renderInTurn(res, { ip, caller }, render);
  });
  return { ask, begun, connections: () => connections(server) };
}

test.each([
  { who: 'nobody', ip: '192.0.2.1', holder: '' },
  { who: 'another account', ip: '198.51.100.1', holder: 'usr_other' },
])('an account has a place when slow readers of $who have all of its network', async ({ ip, holder }) => {
  const { ask, begun } = await servePages(ip);
  for (let count = 0; count < 150; count += 1) ask(`/slow/${holder}`);
  await expect.poll(() => begun.length, state).toBeGreaterThanOrEqual(placesOfNetwork);
  const before = begun.length;
  ask('/ready/usr_1');
  await expect.poll(() => begun.some(({ caller }) => caller === 'usr_1'), state).toBe(true);
  // Those of whom it is the turn meanwhile.
  expect(begun.findIndex(({ caller }) => caller === 'usr_1')).toBeLessThan(before + 5);
});

test('an account has its turn beside hundreds of pages that others of its network ask for', async () => {
  const { ask, begun, connections } = await servePages('203.0.113.1');
  for (let count = 0; count < 300; count += 1) ask('/long');
  await expect.poll(() => begun.length, state).toBe(2);
  ask('/ready/usr_1');
  await expect.poll(connections, state).toBe(301);
  for (const { end } of begun) end();
  await expect.poll(() => begun.some(({ caller }) => caller === 'usr_1'), state).toBe(true);
  expect(begun.findIndex(({ caller }) => caller === 'usr_1')).toBeLessThan(5);
});

test('the page that is read most slowly makes room for one that waits, before older ones', async () => {
  const path = ['block', 'site'];
  const places = new Places([100, 3]);
  let begun = 0;
  const { ask } = await serve((req, res) => {
    begun += 1;
    if (req.url === '/slow') standStill(res);
    res.once('close', places.take(path, { res, at: performance.now() }));
  });
  const closed: string[] = [];
  for (const [at, page] of ['/', '/slow', '/'].entries()) {
    ask(page).once('close', () => closed.push(page));
    await expect.poll(() => begun).toBe(at + 1);
  }
  onTestFinished(places.wait(path));
  await expect.poll(() => closed.length, state).toBe(1);
  expect(closed).toEqual(['/slow']);
});
