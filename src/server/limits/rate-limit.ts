import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { type RateLimiterLike, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { blockOf } from '@/domain/network/address-ranges';
import { plans } from '@/domain/projects/plans';
import { env } from '@/env';
import type { ResolvedKey } from '@/server/auth/api-keys';
import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { isNews } from '@/server/limits/news';
import { type SlidingWindow, SlidingWindowPostgres, slidingWindowLua } from '@/server/limits/sliding-window';
import { logger } from '@/server/logger';
import { countRateLimited } from '@/server/metrics';

export type RateLimitVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds when the oldest counted request leaves the sliding minute. */
  resetAt: number;
  /** Seconds to wait; only when refused. */
  retryAfter?: number;
};

const limiters = new Map<string, RateLimiterLike>();
let redis: Redis | undefined;

/** A Redis that leaves a command without an answer for so long is taken for gone. */
const redisPatienceMs = 1_000;

function connectRedis(url: string): Redis {
  // Nothing waits for a connection to return: until then limits count in PostgreSQL.
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: redisPatienceMs,
    commandTimeout: redisPatienceMs,
    connectTimeout: redisPatienceMs,
  });
  client.on('error', (error) => logger.warn({ err: error }, 'Redis cannot be reached; limits count in PostgreSQL'));
  return client;
}

/** Ends the connection to Redis, which would keep a process that is done from ending. */
export function closeLimits(): void {
  redis?.disconnect();
}

function makeLimiter(window: SlidingWindow): RateLimiterLike {
  const postgres = new SlidingWindowPostgres(pool, window);
  if (!env.REDIS_URL) return postgres;
  redis ??= connectRedis(env.REDIS_URL);
  return new RateLimiterRedis({
    ...window,
    storeClient: redis,
    customIncrTtlLuaScript: slidingWindowLua,
    rejectIfRedisNotReady: true,
    insuranceLimiter: postgres,
  });
}

function limiterFor(window: SlidingWindow): RateLimiterLike {
  const name = `${window.keyPrefix} ${window.points} ${window.duration}`;
  let limiter = limiters.get(name);
  if (!limiter) {
    limiter = makeLimiter(window);
    limiters.set(name, limiter);
  }
  return limiter;
}

function noteRefusal({ keyPrefix }: SlidingWindow, subject: string): void {
  countRateLimited(keyPrefix);
  if (isNews(`${keyPrefix} ${subject}`)) logger.warn({ limit: keyPrefix, subject }, 'a rate limit refuses requests');
}

/** Takes one point; what the library throws for a refusal is an answer here. */
async function take(window: SlidingWindow, subject: string): Promise<{ allowed: boolean; state: RateLimiterRes }> {
  const since = performance.now();
  try {
    return { allowed: true, state: await limiterFor(window).consume(subject) };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    noteRefusal(window, subject);
    return { allowed: false, state: refusal };
  } finally {
    // One that sends a byte now and then is not gone, and everybody would wait for it each time.
    if (redis?.status === 'ready' && performance.now() - since >= redisPatienceMs) redis.disconnect(true);
  }
}

/** Until when the windows of keys are full, by key and limit: till then this process refuses by itself. */
const fullUntil = new Map<string, number>();

function rememberFull(name: string, ms: number): void {
  if (fullUntil.has(name)) return;
  fullUntil.set(name, Date.now() + ms);
  setTimeout(() => fullUntil.delete(name), ms).unref();
}

function verdictOf(limit: number, allowed: boolean, remaining: number, ms: number): RateLimitVerdict {
  const resetAt = Math.ceil((Date.now() + ms) / 1000);
  if (allowed) return { allowed, limit, remaining, resetAt };
  return { allowed, limit, remaining, resetAt, retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
}

/**
 * Counts one request of a key against its plan's sliding minute, over all processes. The verdict is there at once where this
 * process knows that the window is full.
 */
export function consumeKeyLimit(key: ResolvedKey): RateLimitVerdict | Promise<RateLimitVerdict> {
  const points = plans[key.plan].requestsPerMinute;
  const window = { keyPrefix: 'key', points, duration: 60 };
  const name = `${key.id} ${points}`;
  const fullFor = (fullUntil.get(name) ?? 0) - Date.now();
  if (fullFor > 0) {
    noteRefusal(window, key.id);
    return verdictOf(points, false, 0, fullFor);
  }
  return take(window, key.id).then(({ allowed, state: { remainingPoints, msBeforeNext } }) => {
    // A full window stays full until its oldest hit leaves.
    if (!allowed) rememberFull(name, msBeforeNext);
    return verdictOf(points, allowed, remainingPoints, msBeforeNext);
  });
}

const attemptWindows = new Map<string, SlidingWindow>();

/** Addresses and e-mails are not kept in the clear for counting. */
export function hashedSubject(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}

/** The block of an address, as it is stored with what comes from there. */
export const hashedBlock = (ip: string): string => hashedSubject(blockOf(ip));

/**
 * Counts an attempt of a subject (an address, an account) at something worth guarding.
 * @throws TOO_MANY_ATTEMPTS with the seconds to wait, when `points` were made within the last `seconds`
 */
export async function consumeAttempts(
  name: string,
  subject: string,
  limit: { points: number; seconds: number },
): Promise<void> {
  const window = { keyPrefix: `attempt:${name}`, points: limit.points, duration: limit.seconds, isDurable: true };
  attemptWindows.set(name, window);
  const { allowed, state } = await take(window, hashedSubject(subject));
  if (!allowed) throw refuse('TOO_MANY_ATTEMPTS', { retryAfter: Math.max(1, Math.ceil(state.msBeforeNext / 1000)) });
}

/**
 * Counts an attempt of an account. Whoever takes it over starts with none: those before it, and those still under way when
 * it happens, may be a stranger's.
 * @throws TOO_MANY_ATTEMPTS
 */
export function consumeAttemptsOf(
  { id, takenOverAt }: { id: string; takenOverAt: Date | null },
  name: string,
  limit: { points: number; seconds: number },
): Promise<void> {
  return consumeAttempts(name, takenOverAt ? `${id} ${takenOverAt.getTime()}` : id, limit);
}

const remembering = 'remembered';

/** A fact about a subject is kept as a window without hits, which is gone when it has passed. */
const memoryOf = (name: string, subject: string) => `${remembering}:${name}:${hashedSubject(subject)}`;

/** Remembers a subject for so many seconds from now. What is written costs one write in a tenth of that at most. */
export async function remember(name: string, subject: string, seconds: number): Promise<void> {
  await pool.query({
    name: 'remember',
    text: `
      INSERT INTO rate_limit_window AS w (subject, slots, hits, total, "expiresAt", "deletableAt")
      SELECT $1, '{}', '{}', 0, until, until FROM (SELECT now() + $2 * interval '1 s' AS until) t
      ON CONFLICT (subject) DO UPDATE SET "expiresAt" = excluded."expiresAt", "deletableAt" = excluded."deletableAt"
      WHERE w."expiresAt" < excluded."expiresAt" - $2 * interval '0.1 s'`,
    values: [memoryOf(name, subject), seconds],
  });
}

/** Whether a subject is remembered. */
export async function isRemembered(name: string, subject: string): Promise<boolean> {
  const { rows } = await pool.query({
    name: 'is_remembered',
    text: 'SELECT 1 FROM rate_limit_window WHERE subject = $1 AND "expiresAt" > now()',
    values: [memoryOf(name, subject)],
  });
  return rows.length > 0;
}

/** Takes back the newest `points` attempts that `consumeAttempts` counted in this process under the same name. */
export async function forgiveAttempts(name: string, subject: string, points: number): Promise<void> {
  const window = attemptWindows.get(name);
  if (window) await limiterFor(window).reward(hashedSubject(subject), points);
}
