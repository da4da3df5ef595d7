import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { env } from '@/env';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { receiveInTurn } from './bodies';

const api = setupTestServer();
const sockets: Socket[] = [];
const close = () => undefined;
afterEach(() => {
  env.TRUSTED_PROXIES = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** The body of a client that has not sent all of it. */
function bodyOnItsWay() {
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<Buffer>((resolve, reject) => {
    end = () => resolve(Buffer.alloc(10));
    fail = reject;
  });
  return { promise, end, fail };
}

test('a network that never ends its large bodies fills few, and nothing of others or of small ones waits', async () => {
  env.TRUSTED_PROXIES = 1;
  const { bearer } = await makeUser();
  const here = { 'X-Forwarded-For': '198.51.100.1' };
  const head = [
    ...['PATCH /api/v1/me HTTP/1.1', 'Host: x', `Authorization: ${bearer}`, 'X-Forwarded-For: 198.51.100.1'],
    ...['Content-Type: application/json', 'Content-Length: 1000000', '', '{'],
  ].join('\r\n');
  for (let count = 0; count < 30; count += 1) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  }
  const large = (headers: Record<string, string>) =>
    api.patch('/me', { bearer, headers, body: { name: 'Large', ignored: 'a'.repeat(200_000) } });
  await expect
    .poll(async () => (await api.patch('/me', { bearer, headers: here, body: { name: 'Small' } })).status)
    .toBe(200);
  let waiting = true;
  const later = large(here).finally(() => {
    waiting = false;
  });
  expect((await large({ 'X-Forwarded-For': '198.51.100.2' })).status).toBe(200);
  expect(waiting).toBe(true);
  for (const socket of sockets) socket.destroy();
  expect((await later).status).toBe(200);
});

test('smaller bodies that never end make room for others of their block, the oldest of the network with most first', async () => {
  const closed: string[] = [];
  const running: Promise<unknown>[] = [];
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const begin = (ip: string, name: string) => {
    const { promise, end, fail } = bodyOnItsWay();
    const onClose = () => {
      closed.push(name);
      fail(new Error('closed'));
    };
    running.push(receiveInTurn({ ip, declared: 60_000, close: onClose }, () => promise).catch(() => undefined));
    return end;
  };
  const ends = [begin('203.0.113.1', 'other')];
  for (let count = 1; count <= 511; count += 1) ends.push(begin('203.0.113.2', `${count}`));
  expect(closed).toEqual([]);
  // Of many that begin together, none is closed.
  const [together] = [begin('203.0.113.2', 'together')];
  expect(closed).toEqual([]);
  together?.();
  await running.at(-1);
  now = 1_000;
  ends.push(begin('203.0.113.3', 'new'), begin('198.51.100.3', 'elsewhere'));
  expect(closed).toEqual(['1']);
  ends.push(begin('203.0.113.2', '512'));
  expect(closed).toEqual(['1', '2']);
  // One that is whole has made room.
  ends[3]?.();
  await running[3];
  ends.push(begin('203.0.113.3', 'last'));
  expect(closed).toEqual(['1', '2']);
  for (const end of ends) end();
  await Promise.all(running);
});

test('of large bodies that have arrived, one is parsed in a round of the event loop', async () => {
  let rounds = 0;
  let counting = true;
  const count = async () => {
    while (counting) {
      await setImmediate();
      rounds += 1;
    }
  };
  const counted = count();
  const began: number[] = [];
  const body = Buffer.alloc(20_000);
  const receive = async () => body;
  await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      await receiveInTurn({ ip: `198.51.100.${at % 3}`, declared: body.length, close }, receive);
      began.push(rounds);
    }),
  );
  counting = false;
  await counted;
  expect(new Set(began).size).toBe(12);
});

test('after a large body, others have the thread for several times as long as its parsing takes', async () => {
  const body = Buffer.alloc(400_000);
  const began: number[] = [];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      await receiveInTurn({ ip: '198.51.100.9', declared: body.length, close }, async () => body);
      began.push(performance.now());
    }),
  );
  // To parse 400 kB of JSON takes 3 to 8 ms.
  for (const [at, time] of began.slice(1).entries()) expect(time - (began[at] ?? 0)).toBeGreaterThan(18);
});

test('they have it for as long after one that takes longer to parse', async () => {
  const body = Buffer.alloc(400_000);
  const parsed: number[] = [];
  const pauses = await Promise.all(
    Array.from({ length: 3 }, async () => {
      await receiveInTurn({ ip: '198.51.100.10', declared: body.length, close }, async () => body);
      const pause = performance.now() - (parsed.at(-1) ?? Number.NEGATIVE_INFINITY);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
      parsed.push(performance.now());
      return pause;
    }),
  );
  for (const pause of pauses) expect(pause).toBeGreaterThan(18);
});

test('while the thread is busy, a very large body waits longer for those of its network before it, and no other does', async () => {
  const body = Buffer.alloc(400_000);
  const began: number[] = [];
  const receive = async (ip: string) => {
    await receiveInTurn({ ip, declared: body.length, close }, async () => body);
    return performance.now();
  };
  const one = '203.0.113.11';
  const all = Promise.all([receive(one), receive(one), receive('192.0.2.11')]).then((times) => began.push(...times));
  while (began.length < 3) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
    await setImmediate();
  }
  await all;
  const [first = 0, second = 0, others = 0] = began;
  expect(second - first).toBeGreaterThan(190);
  expect(others - first).toBeLessThan((second - first) / 3);
});
