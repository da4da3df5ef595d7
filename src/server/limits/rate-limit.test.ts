import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { pool } from '@/server/db';
import { consumeAttempts, forgiveAttempts, isRemembered, remember } from '@/server/limits/rate-limit';
import { SlidingWindowPostgres } from '@/server/limits/sliding-window';

let other: pg.Pool;
beforeAll(() => {
  other = new pg.Pool({ connectionString: env.DATABASE_URL, max: 4 });
});
afterAll(() => other.end());

/** As two processes have it: each its own limiter, queue and connections. */
function twoLimiters(window: { points: number; duration: number }) {
  const options = { keyPrefix: 'test', ...window };
  return [new SlidingWindowPostgres(pool, options), new SlidingWindowPostgres(other, options)] as const;
}

async function passes(attempt: Promise<RateLimiterRes>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (refusal) {
    expect(refusal).toBeInstanceOf(RateLimiterRes);
    return false;
  }
}

async function hammer(limiters: readonly SlidingWindowPostgres[], subject: string, each: number): Promise<number> {
  const results = await Promise.all(
    limiters.flatMap((limiter) => Array.from({ length: each }, () => passes(limiter.consume(subject)))),
  );
  return results.filter(Boolean).length;
}

test.each([60, 600, 6000])('two processes hammering one key let exactly %i pass', async (points) => {
  const limiters = twoLimiters({ points, duration: 60 });
  const subject = newId('key');
  const rounds = [await hammer(limiters, subject, points / 3), await hammer(limiters, subject, points)];
  expect(rounds.reduce((sum, passed) => sum + passed, 0)).toBe(points);
  expect(await hammer(limiters, subject, 10)).toBe(0);
  expect(await hammer(limiters, newId('key'), 10)).toBe(20);
});

test('hits leave one by one as they get older than the window', async () => {
  const [first, second] = twoLimiters({ points: 4, duration: 1 });
  const subject = newId('key');
  const passed: number[] = [];
  const end = Date.now() + 2600;
  while (Date.now() < end) {
    const at = Date.now();
    if (await passes((passed.length % 2 ? first : second).consume(subject))) passed.push(at);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(passed.length).toBeGreaterThanOrEqual(8);
  // The clock was read a little before each hit was counted.
  for (let index = 4; index < passed.length; index += 1) {
    expect((passed[index] ?? 0) - (passed[index - 4] ?? 0)).toBeGreaterThanOrEqual(990);
  }
});

test('the wait that a refusal names is enough', async () => {
  const [limiter] = twoLimiters({ points: 3, duration: 1 });
  const subject = newId('key');
  expect(await hammer([limiter], subject, 3)).toBe(3);
  const refusal = await limiter.consume(subject).catch((error: RateLimiterRes) => error);
  expect(refusal.remainingPoints).toBe(0);
  expect(refusal.msBeforeNext).toBeGreaterThan(500);
  await new Promise((resolve) => setTimeout(resolve, refusal.msBeforeNext + 5));
  expect(await passes(limiter.consume(subject))).toBe(true);
});

test('refused attempts do not prolong the wait', async () => {
  const [limiter] = twoLimiters({ points: 2, duration: 1 });
  const subject = newId('key');
  await hammer([limiter], subject, 2);
  const end = Date.now() + 900;
  while (Date.now() < end) {
    await passes(limiter.consume(subject));
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await passes(limiter.consume(subject))).toBe(true);
});

test('what was counted while the clock ran ahead is gone a window after it was set back', async () => {
  const [limiter] = twoLimiters({ points: 2, duration: 1 });
  const subject = newId('key');
  await hammer([limiter], subject, 2);
  await pool.query(
    'UPDATE rate_limit_window SET slots = ARRAY(SELECT slot + 3600000 FROM unnest(slots) slot) WHERE subject = $1',
    [`test:${subject}`],
  );
  const refusal = await limiter.consume(subject).catch((error: RateLimiterRes) => error);
  expect(refusal.msBeforeNext).toBeGreaterThan(900);
  expect(refusal.msBeforeNext).toBeLessThanOrEqual(1000);
  await expect.poll(() => passes(limiter.consume(subject)), { timeout: 3_000 }).toBe(true);
});

test('it counts while Redis cannot be reached', async () => {
  const window = { keyPrefix: 'test', points: 2, duration: 60 };
  const limiter = new RateLimiterRedis({
    ...window,
    storeClient: new Redis({ lazyConnect: true, enableOfflineQueue: false }),
    rejectIfRedisNotReady: true,
    insuranceLimiter: new SlidingWindowPostgres(pool, window),
  });
  const subject = newId('key');
  expect(await limiter.consume(subject)).toMatchObject({ remainingPoints: 1, consumedPoints: 1 });
  expect(await limiter.consume(subject)).toMatchObject({ remainingPoints: 0, consumedPoints: 2 });
  expect(await passes(limiter.consume(subject))).toBe(false);
  expect(await limiter.reward(subject, 1)).toMatchObject({ remainingPoints: 1, consumedPoints: 1 });
  expect(await passes(limiter.consume(subject))).toBe(true);
});

/** A Redis that accepts connections, but hangs as soon as it is asked to count, or sends a byte of its answer now and then. */
async function startHangingRedis({ drips = false } = {}) {
  const sockets = new Set<Socket>();
  let asked = 0;
  const drip = (socket: Socket) => {
    socket.write('$1000000\r\n');
    const timer = setInterval(() => socket.write('x'), 100);
    socket.on('close', () => clearInterval(timer));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let isHanging = false;
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      for (const command of bytes.toString().split(/^(?=\*\d)/m)) {
        if (/evalsha/i.test(command)) {
          asked += 1;
          isHanging = true;
          if (drips) drip(socket);
        }
        if (isHanging) return;
        socket.write(/\binfo\b/i.test(command) ? '$9\r\nloading:0\r\n' : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    open: () => sockets.size,
    stop,
  };
}

test.each([
  ['hangs', false],
  ['sends its answers byte by byte', true],
])('it counts while Redis %s', async (_what, drips) => {
  const hanging = await startHangingRedis({ drips });
  vi.resetModules();
  vi.stubEnv('REDIS_URL', hanging.url);
  const fresh = await import('@/server/limits/rate-limit');
  const limit = { points: 3, seconds: 900 };
  try {
    await vi.waitUntil(() => {
      fresh.consumeAttempts('test', newId('usr'), limit).catch(() => undefined);
      return hanging.asked() > 0;
    });
    const subject = newId('usr');
    for (let count = 0; count < 3; count += 1) await fresh.consumeAttempts('test', subject, limit);
    await expect(fresh.consumeAttempts('test', subject, limit)).rejects.toMatchObject({ reason: 'TOO_MANY_ATTEMPTS' });
  } finally {
    vi.unstubAllEnvs();
    fresh.closeLimits();
    hanging.stop();
  }
});

test('a process that has closed its limits has no connection to Redis, and ends', async () => {
  const hanging = await startHangingRedis();
  vi.resetModules();
  vi.stubEnv('REDIS_URL', hanging.url);
  const fresh = await import('@/server/limits/rate-limit');
  try {
    await fresh.consumeAttempts('test', newId('usr'), { points: 3, seconds: 900 });
    await vi.waitUntil(() => hanging.open() === 1);
    fresh.closeLimits();
    await vi.waitUntil(() => hanging.open() === 0);
  } finally {
    vi.unstubAllEnvs();
    hanging.stop();
  }
});

test('attempts are refused with the wait, apart by name and subject, and can be forgiven', async () => {
  const limit = { points: 3, seconds: 900 };
  const subject = 'someone@players.test';
  for (let count = 0; count < 3; count += 1) await consumeAttempts('test-a', subject, limit);
  await expect(consumeAttempts('test-a', subject, limit)).rejects.toMatchObject({ reason: 'TOO_MANY_ATTEMPTS' });
  const refusal = await consumeAttempts('test-a', subject, limit).catch((error: { retryAfter: number }) => error);
  expect(refusal?.retryAfter).toBeGreaterThan(890);
  await consumeAttempts('test-a', 'another@players.test', limit);
  await consumeAttempts('test-b', subject, limit);
  await forgiveAttempts('test-a', subject, 1);
  await consumeAttempts('test-a', subject, limit);
  const stored = await pool.query(`SELECT 1 FROM rate_limit_window WHERE subject LIKE '%players.test%'`);
  expect(stored.rowCount).toBe(0);
});

test('a subject is remembered from the last time, and written down again only after a tenth of that', async () => {
  const seconds = 1_000;
  const read = async () => {
    const { rows } = await pool.query<{ left: number; version: string }>(`
      SELECT round(extract(epoch FROM "expiresAt" - now()))::int AS left, xmin::text AS version
      FROM rate_limit_window WHERE subject LIKE 'remembered:test:%'`);
    return rows[0];
  };
  const pass = (by: number) =>
    pool.query(
      `UPDATE rate_limit_window SET "expiresAt" = "expiresAt" - $1 * interval '1 s' WHERE subject LIKE 'remembered:test:%'`,
      [by],
    );
  await remember('test', 'somebody', seconds);
  expect(await isRemembered('test', 'somebody')).toBe(true);
  expect(await isRemembered('test', 'somebody else')).toBe(false);
  await pass(50);
  const before = await read();
  await remember('test', 'somebody', seconds);
  expect(await read()).toEqual(before);
  await pass(850);
  expect((await read())?.left).toBeLessThanOrEqual(100);
  await remember('test', 'somebody', seconds);
  expect((await read())?.left).toBeGreaterThan(990);
  await pass(1_001);
  expect(await isRemembered('test', 'somebody')).toBe(false);
  await remember('test', 'somebody', seconds);
  expect(await isRemembered('test', 'somebody')).toBe(true);
});
