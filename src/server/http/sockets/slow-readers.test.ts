import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { closeSlowest, limitSlowReaders, type SlowReaderLimits, type Waiting } from './slow-readers';

const mib = 1024 * 1024;
// More than the operating system takes over for a connection whose client reads nothing.
const body = Buffer.alloc(32 * mib);
const generous: SlowReaderLimits = { perBlock: 1_000 * mib, inAll: 1_000 * mib, stalledMs: 60_000 };

const started: { server: Server; stop: () => void }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  env.TRUSTED_PROXIES = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { server, stop } of started.splice(0)) {
    stop();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(limits: Partial<SlowReaderLimits>) {
  const server = createServer((req, res) => {
    req.socket.on('error', () => undefined);
    res.end(body.subarray(0, Number(req.url?.slice(1)) * mib || undefined));
  });
  const stop = limitSlowReaders(server, { ...generous, ...limits });
  started.push({ server, stop });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  /** A client that asks and reads nothing until `read`, which says how many bytes it got in the end. */
  async function ask(from: string, sizeInMib = 16) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const begun = new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
    socket.write(`GET /${sizeInMib} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: ${from}\r\n\r\n`);
    await begun;
    return {
      /** Reads a little, again and again, until `readRest`, which says how many bytes it got in all. */
      readSlowly: () => {
        let bytes = 0;
        const closed = new Promise((resolve) => socket.once('close', resolve));
        const timer = setInterval(() => {
          bytes += (socket.read(256 * 1024) ?? socket.read())?.length ?? 0;
        }, 20);
        async function readRest(): Promise<number> {
          clearInterval(timer);
          socket.on('data', (chunk) => {
            bytes += chunk.length;
          });
          await closed;
          return bytes;
        }
        return { bytes: () => bytes, readRest };
      },
      read: () =>
        new Promise<number>((resolve) => {
          let bytes = 0;
          socket.on('data', (chunk) => {
            bytes += chunk.length;
          });
          socket.once('close', () => resolve(bytes));
        }),
    };
  }
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { ask, connections };
}

test('a block with too much unread loses connections that stand still, and another one none', async () => {
  env.TRUSTED_PROXIES = 1;
  const { ask, connections } = await serve({ perBlock: 40 * mib });
  const other = await ask('192.0.2.1');
  await Promise.all(Array.from({ length: 8 }, () => ask('198.51.100.7')));
  await expect.poll(connections, { timeout: 5_000 }).toBeLessThanOrEqual(5);
  expect(await connections()).toBeGreaterThanOrEqual(3);
  expect(await other.read()).toBeGreaterThan(16 * mib);
});

test('the addresses of a block count together', async () => {
  env.TRUSTED_PROXIES = 1;
  const { ask, connections } = await serve({ perBlock: 40 * mib });
  await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`203.0.113.${index}`)));
  await expect.poll(connections, { timeout: 5_000 }).toBeLessThanOrEqual(4);
});

test('many blocks together are bounded too', async () => {
  env.TRUSTED_PROXIES = 1;
  const { ask, connections } = await serve({ inAll: 40 * mib });
  await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`198.51.${index}.1`)));
  await expect.poll(connections, { timeout: 5_000 }).toBeLessThanOrEqual(4);
});

test('a slow reader stays whatever others do behind its own address or elsewhere', async () => {
  env.TRUSTED_PROXIES = 1;
  const { ask, connections } = await serve({ perBlock: 40 * mib, inAll: 140 * mib });
  // Each with more unread than any of the others.
  const honest = [await ask('192.0.2.1', 32), await ask('198.51.100.7', 32)];
  const slow = honest.map((each) => each.readSlowly());
  // More than the operating system takes over at once: until then, they seem to stand still.
  await expect.poll(() => slow.every(({ bytes }) => bytes() > 10 * mib), { timeout: 20_000 }).toBe(true);
  const crowd = ['198.51.100.7', '203.0.113.1', '203.0.114.1', '203.0.115.1'];
  for (const from of crowd) await Promise.all(Array.from({ length: 5 }, () => ask(from, 12)));
  await expect.poll(connections, { timeout: 10_000 }).toBeLessThan(20);
  const got = await Promise.all(slow.map(({ readRest }) => readRest()));
  for (const bytes of got) expect(bytes).toBeGreaterThan(32 * mib);
});

test('a client that stands still is cut off, and one that reads gets everything', async () => {
  const { ask, connections } = await serve({ stalledMs: 600 });
  const reading = await ask('127.0.0.1');
  const got = reading.read();
  await ask('127.0.0.1');
  await expect.poll(connections, { timeout: 5_000 }).toBe(0);
  expect(await got).toBeGreaterThan(16 * mib);
});

test('thousands are closed in one order, made once', () => {
  let looks = 0;
  const closed: number[] = [];
  const waiting = Array.from({ length: 2_000 }, (_, index): Waiting => {
    const socket = { destroy: () => closed.push(index) as never };
    return {
      socket,
      unread: 1 + index,
      get pace() {
        looks++;
        return index % 2;
      },
    };
  });
  const unread = waiting.reduce((sum, each) => sum + each.unread, 0);
  closeSlowest(new Map([['127.0.0.1', { unread, waiting }]]), 0);
  expect(closed.slice(0, 2)).toEqual([1_998, 1_996]);
  expect(closed.at(-1)).toBe(1);
  expect(closed).toHaveLength(2_000);
  expect(looks).toBeLessThan(2 * 2_000 * Math.log2(2_000));
});
