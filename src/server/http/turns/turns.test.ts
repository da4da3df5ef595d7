import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeError } from '@/server/errors';
import { noteConnection } from '@/server/worker/new-connections';
import { readInTurn, renderInTurn } from './turns';

/** Pages that were begun, by address, in order, and what ends each. */
const begun: { address: string; kind: string | undefined; end: () => void }[] = [];
/** When each page was rendered that takes the thread. */
const busy: { from: number; until: number }[] = [];
/** When each page was begun whose reader stands still. */
const still: number[] = [];
const large = Buffer.alloc(16 * 1024 * 1024);
const piece = Buffer.alloc(64 * 1024);

/** Keeps the thread, as rendering does. */
function occupy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const server = createServer((req, res) => {
  const [, address = '', kind] = (req.url ?? '').split('/');
  const render = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        res.end();
        resolve();
      };
      begun.push({ address, kind, end });
      if (kind === 'large') res.write(large, () => end());
      const from = performance.now();
      if (kind === 'still' || kind === 'reference-still') {
        // As for a reader who stands still, but without filling what the operating system keeps for a connection.
        res.cork();
        res.write(piece);
        if (kind === 'still') still.push(from);
      }
      if (kind === 'busy') {
        occupy(50);
        busy.push({ from, until: performance.now() });
        end();
      }
    });
  renderInTurn(res, { ip: address, caller: '' }, render, kind?.startsWith('reference')).catch((error: unknown) =>
    res.writeHead(describeError(error).status).end(),
  );
});
const port = () => (server.address() as AddressInfo).port;
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Asks for a page; `status` is that of its response. */
function ask(path: string, read = true) {
  const call = request({ host: '127.0.0.1', port: port(), path, agent: false });
  const status = new Promise<number | undefined>((resolve) => {
    call.once('response', (response: IncomingMessage) => {
      if (read) response.resume();
      resolve(response.statusCode);
    });
    call.on('error', () => resolve(undefined));
  });
  call.end();
  return { call, status };
}

const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
const of = (address: string) => begun.filter((page) => page.address === address);

/** Asks for so many pages at once, after the first of them have begun: connections may arrive in another order than they were made. */
async function askMany(count: number, begins: number, address: string, kind = '', read = true) {
  const asked = (many: number) => Array.from({ length: many }, () => ask(`/${address}/${kind}`, read));
  const first = asked(begins);
  await expect.poll(() => of(address).length).toBe(begins);
  return [...first, ...asked(count - begins)];
}

test('a network that asks for hundreds of pages gets a few at a time, and another its own at once', async () => {
  const many = await askMany(300, 2, '198.51.100.1');
  const other = ask('/198.51.100.2');
  await expect.poll(() => of('198.51.100.2').length).toBe(1);
  of('198.51.100.2')[0]?.end();
  expect(await other.status).toBe(200);
  // One that has gone takes no turn.
  for (const { call } of many.slice(2)) call.destroy();
  await expect.poll(connections).toBe(2);
  for (const page of of('198.51.100.1')) page.end();
  expect(await Promise.all(many.slice(0, 2).map(({ status }) => status))).toEqual([200, 200]);
  const next = ask('/198.51.100.1');
  await expect.poll(() => of('198.51.100.1').length).toBe(3);
  of('198.51.100.1')[2]?.end();
  expect(await next.status).toBe(200);
});

test('the networks of an IPv6 connection take turns with each other, and as one with others', async () => {
  const site = (index: number) => `/2001:db8:1:${index.toString(16)}::1`;
  const many = Array.from({ length: 300 }, (_, index) => ask(site(index % 60)));
  const ofSite = () => begun.filter(({ address }) => address.startsWith('2001:db8:1:'));
  await expect.poll(() => ofSite().length).toBe(2);
  const other = ask('/2001:db8:2::1');
  await expect.poll(() => of('2001:db8:2::1').length).toBe(1);
  of('2001:db8:2::1')[0]?.end();
  expect(await other.status).toBe(200);
  const last = ask(site(255));
  for (let ended = 0; of(site(255).slice(1)).length === 0; ended += 1) {
    expect(ended).toBeLessThan(70);
    await expect.poll(() => ofSite().length).toBeGreaterThan(ended);
    ofSite()[ended]?.end();
  }
  of(site(255).slice(1))[0]?.end();
  expect(await last.status).toBe(200);
  for (const { call } of many) call.destroy();
});

test('all addresses of a block together get a few pages at a time, and somebody elsewhere their own at once', async () => {
  const many = Array.from({ length: 250 }, (_, at) => ask(`/192.0.2.${at + 1}`));
  const ofBlock = () => begun.filter(({ address }) => address.startsWith('192.0.2.'));
  await expect.poll(() => ofBlock().length).toBe(3);
  const other = ask('/203.0.113.1');
  await expect.poll(() => of('203.0.113.1').length).toBe(1);
  of('203.0.113.1')[0]?.end();
  expect(await other.status).toBe(200);
  expect(ofBlock()).toHaveLength(3);
  for (const { call } of many) call.destroy();
  for (const page of ofBlock()) page.end();
  await expect.poll(connections).toBe(0);
});

test('of the API reference, a block gets one page at a time, and somebody elsewhere their own at once', async () => {
  const many = Array.from({ length: 20 }, (_, at) => ask(`/192.0.3.${at + 1}/reference`));
  const ofBlock = () => begun.filter(({ address }) => address.startsWith('192.0.3.'));
  await expect.poll(() => ofBlock().length).toBeGreaterThan(0);
  const other = ask('/203.0.114.1');
  await expect.poll(() => of('203.0.114.1').length).toBe(1);
  of('203.0.114.1')[0]?.end();
  expect(await other.status).toBe(200);
  expect(ofBlock()).toHaveLength(1);
  ofBlock()[0]?.end();
  await expect.poll(() => ofBlock().length).toBe(2);
  for (const { call } of many) call.destroy();
  for (const page of ofBlock()) page.end();
  await expect.poll(connections).toBe(0);
});

test('other pages of a block do not wait for those of the API reference, which wait for each other', async () => {
  const reference = [ask('/192.0.4.1/reference-still', false), ask('/192.0.4.1/reference-still', false)];
  await expect.poll(() => of('192.0.4.1').length).toBe(1);
  await expect.poll(connections).toBe(2);
  const others = ['192.0.4.1', '192.0.4.2'].map((address) => ask(`/${address}/other`));
  const kinds = () => begun.filter(({ address }) => address.startsWith('192.0.4.')).map(({ kind }) => kind);
  await expect.poll(() => kinds().length, { timeout: 5_000 }).toBe(4);
  expect(kinds()).toEqual(['reference-still', 'other', 'other', 'reference-still']);
  for (const page of begun) if (page.kind === 'other') page.end();
  expect(await Promise.all(others.map(({ status }) => status))).toEqual([200, 200]);
  for (const { call } of reference) call.destroy();
  await expect.poll(connections).toBe(0);
});

test('pages that wait for slow readers, or for something else, pass their turns on', async () => {
  const slow = Array.from({ length: 12 }, (_, at) => ask(`/198.51.100.${at % 2 ? 3 : 4}/large`, false));
  const began = performance.now();
  await expect.poll(() => of('198.51.100.3').length + of('198.51.100.4').length, { timeout: 2_000 }).toBe(12);
  expect(performance.now() - began).toBeLessThan(1_000);
  for (const { call } of slow) call.destroy();
  const waiting = Array.from({ length: 6 }, () => ask('/198.51.100.5'));
  await expect.poll(() => of('198.51.100.5').length, { timeout: 3_000 }).toBe(6);
  for (const page of of('198.51.100.5')) page.end();
  expect(await Promise.all(waiting.map(({ status }) => status))).toEqual(Array(6).fill(200));
});

test('others have the thread between the pages of a network, for as long again as each took', async () => {
  const pages = Array.from({ length: 5 }, () => ask('/198.51.100.10/busy'));
  let done = 0;
  while (of('198.51.100.10').length < pages.length) {
    occupy(1);
    if (of('198.51.100.10').length > 0) done += 1;
    await setImmediate();
  }
  expect(done).toBeGreaterThan(0);
  for (const [at, { from, until }] of busy.entries()) {
    const next = busy[at + 1]?.from ?? Number.POSITIVE_INFINITY;
    expect(next - until).toBeGreaterThan(0.9 * Math.min(until - from, 150));
  }
  expect(busy).toHaveLength(pages.length);
  expect(await Promise.all(pages.map(({ status }) => status))).toEqual(Array(pages.length).fill(200));
});

test('others have the thread once a page waits for its reader, however long that takes', async () => {
  const pages = Array.from({ length: 6 }, () => ask('/198.51.100.11/still', false));
  while (still.length < pages.length) {
    occupy(1);
    await setImmediate();
  }
  // Two are rendered at a time. A turn is passed on after 100 milliseconds, and then the thread is left for as long again.
  for (const [at, from] of still.slice(2).entries()) expect(from - (still[at] ?? 0)).toBeGreaterThan(180);
  for (const { call } of pages) call.destroy();
  await expect.poll(connections).toBe(0);
});

test('pages that have not ended are bounded: further ones wait, and others get theirs', async () => {
  const slow = await askMany(60, 2, '198.51.100.12', 'still', false);
  await expect.poll(() => of('198.51.100.12').length).toBe(48);
  for (const address of ['198.51.100.13', '198.51.100.14', '203.0.115.1']) {
    const other = ask(`/${address}`);
    await expect.poll(() => of(address).length).toBe(1);
    of(address)[0]?.end();
    expect(await other.status).toBe(200);
  }
  expect(of('198.51.100.12')).toHaveLength(48);
  const block = Array.from({ length: 30 }, () => ask('/198.51.100.15/still', false));
  await expect.poll(() => of('198.51.100.15').length).toBe(16);
  const elsewhere = ask('/203.0.115.2');
  await expect.poll(() => of('203.0.115.2').length).toBe(1);
  of('203.0.115.2')[0]?.end();
  expect(await elsewhere.status).toBe(200);
  expect(of('198.51.100.15')).toHaveLength(16);
  // What ends, or is closed, makes room.
  of('198.51.100.12')[0]?.end();
  slow[1]?.call.destroy();
  await expect.poll(() => of('198.51.100.12').length + of('198.51.100.15').length).toBe(66);
  for (const { call } of [...slow, ...block]) call.destroy();
  await expect.poll(connections).toBe(0);
});

test('the oldest pages of a network make room when others wait and these do not end', async () => {
  const slow = await askMany(48, 1, '198.51.100.16', 'still', false);
  await expect.poll(() => of('198.51.100.16').length).toBe(48);
  const waiting = ask('/198.51.100.16');
  await Promise.race(slow.map(({ call }) => new Promise((resolve) => call.once('close', resolve))));
  await expect.poll(() => of('198.51.100.16').length).toBe(49);
  of('198.51.100.16')[48]?.end();
  expect(await waiting.status).toBe(200);
  expect(slow.filter(({ call }) => call.destroyed)).toEqual(slow.slice(0, 1));
  for (const { call } of slow) call.destroy();
  await expect.poll(connections).toBe(0);
});

test('past what may wait, pages are refused', async () => {
  const many = Array.from({ length: 1_200 }, () => ask('/198.51.100.6'));
  let refused = 0;
  for (const { status } of many) void status.then((code) => (code === 503 ? refused++ : undefined));
  await expect.poll(() => refused, { timeout: 10_000 }).toBeGreaterThanOrEqual(100);
  for (const { call } of many) call.destroy();
});

test('reads of a network take turns with those of others, and its callers with each other', async () => {
  const ends: (() => void)[] = [];
  const started: string[] = [];
  const read = (ip: string, caller: string) =>
    readInTurn({ ip, caller }, async () => {
      started.push(`${ip} ${caller}`);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = Array.from({ length: 100 }, () => read('198.51.100.7', 'one'));
  all.push(read('198.51.100.7', 'two'), read('198.51.100.8', 'three'));
  await expect.poll(() => started.length).toBe(5);
  expect(started.filter((who) => who.startsWith('198.51.100.7'))).toHaveLength(4);
  ends.shift()?.();
  ends.shift()?.();
  await expect.poll(() => started.includes('198.51.100.7 two')).toBe(true);
  while (started.length < all.length || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(all);
});

test('a request with several reads counts as many, and one that takes two seconds keeps its turn', async () => {
  const ends: (() => void)[] = [];
  const read = () =>
    readInTurn(
      { ip: '198.51.100.9', caller: 'one', reads: 5 },
      () => new Promise<void>((resolve) => ends.push(resolve)),
    );
  const both = [read(), read()];
  await expect.poll(() => ends.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await Promise.all(both);
});

test('work begins after a round of the event loop without a new connection, and during a flood of them, too', async () => {
  const asker = { ip: '192.0.2.77', caller: '' };
  let left = 20;
  let isFlood = false;
  const arrive = () => {
    if (left <= 0 && !isFlood) return;
    left -= 1;
    noteConnection();
    globalThis.setImmediate(arrive);
  };
  arrive();
  expect(await readInTurn(asker, async () => left)).toBe(0);
  isFlood = true;
  arrive();
  await readInTurn(asker, async () => undefined);
  isFlood = false;
});
