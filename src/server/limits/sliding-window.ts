import type pg from 'pg';
import { RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible';

type Taken = { granted: number; used_before: number; free_in_ms: string };
type Outcome = { consumed: number; msBeforeNext: number };
type Waiting = { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };
type Queue = { waiting: Waiting[]; running: boolean };

export type SlidingWindow = {
  keyPrefix: string;
  /** Hits that a window holds at most. */
  points: number;
  /** Seconds. */
  duration: number;
  /** Counting waits for the disk. Otherwise a crash of the database forgets less than a second of it. */
  isDurable?: boolean;
};

/** Entries that a window is kept in at the most; a window of few points keeps each hit by the millisecond. */
const slotsPerWindow = 120;

/** How long a slot of a window is: hits leave it together, never early. */
export function slotMsOf(points: number, windowMs: number): number {
  return points <= slotsPerWindow ? 1 : Math.ceil(windowMs / slotsPerWindow);
}

/**
 * Counts in PostgreSQL over a sliding window, exactly over any number of processes: no window of `duration` seconds
 * ever holds more than `points`. Requests of one subject that arrive together are counted by one statement. The library's
 * own PostgreSQL limiter counts fixed windows, which let twice the limit pass around their borders; this one extends the
 * class that the library offers for limiters of one's own, and has the two operations that we use.
 */
export class SlidingWindowPostgres extends RateLimiterCompatibleAbstract {
  override readonly keyPrefix: string;
  // The library hands its own settings to the limiter that stands in for Redis; neither applies to a sliding window.
  override blockDuration = 0;
  override execEvenly = false;
  private readonly queues = new Map<string, Queue>();
  private readonly slotMs: number;

  constructor(
    private readonly pool: pg.Pool,
    private readonly window: SlidingWindow,
  ) {
    super();
    this.keyPrefix = window.keyPrefix;
    this.slotMs = slotMsOf(window.points, window.duration * 1000);
  }

  /** Takes one point; rejects with what it would resolve with when there is none. */
  override async consume(key: string): Promise<RateLimiterRes> {
    const subject = this.subjectOf(key);
    const { consumed, msBeforeNext } = await this.enqueue(subject);
    const { points } = this.window;
    const result = new RateLimiterRes(Math.max(points - consumed, 0), msBeforeNext, consumed, consumed === 1);
    if (consumed > points) throw result;
    return result;
  }

  /** Gives points back. */
  override async reward(key: string, points: number): Promise<RateLimiterRes> {
    const { rows } = await this.pool.query<{ used: number }>({
      name: 'rate_limit_return',
      text: 'SELECT rate_limit_return($1, $2) AS used',
      values: [this.subjectOf(key), points],
    });
    const used = rows[0]?.used ?? 0;
    return new RateLimiterRes(this.window.points - used, 0, used);
  }

  private subjectOf(key: string): string {
    return `${this.keyPrefix}:${key}`;
  }

  private enqueue(subject: string): Promise<Outcome> {
    const queue = this.queues.get(subject) ?? { waiting: [], running: false };
    this.queues.set(subject, queue);
    return new Promise<Outcome>((resolve, reject) => {
      queue.waiting.push({ resolve, reject });
      if (queue.running) return;
      queue.running = true;
      // Whatever else arrives in this turn of the event loop goes along.
      setImmediate(() => void this.drain(subject, queue));
    });
  }

  private async drain(subject: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0);
      try {
        const { granted, used_before, free_in_ms } = await this.take(subject, batch.length);
        const msBeforeNext = Number(free_in_ms);
        batch.forEach((caller, index) => {
          caller.resolve({
            consumed: index < granted ? used_before + index + 1 : this.window.points + 1,
            msBeforeNext,
          });
        });
      } catch (error) {
        for (const caller of batch) caller.reject(error);
      }
    }
    queue.running = false;
    this.queues.delete(subject);
  }

  private async take(subject: string, wanted: number): Promise<Taken> {
    const { points, duration, isDurable } = this.window;
    const { rows } = await this.pool.query<Taken>({
      name: 'rate_limit_take',
      text: `SELECT granted, used_before, free_in_ms, set_config('synchronous_commit', $6, true)
        FROM rate_limit_take($1, $2, $3, $4, $5)`,
      values: [subject, wanted, points, duration * 1000, this.slotMs, isDurable ? 'on' : 'off'],
    });
    const [taken] = rows;
    if (!taken) throw new Error('rate_limit_take returned nothing');
    return taken;
  }
}

/**
 * The same window for Redis, as the script that the library's Redis limiter runs. KEYS: subject. ARGV: points
 * (negative gives back), seconds, limit. Returns what is used after it, above the limit when refused, and the
 * milliseconds until the oldest hit leaves.
 */
export const slidingWindowLua = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wanted, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if wanted < 0 then redis.call('ZPOPMAX', KEYS[1], -wanted) end
local used = redis.call('ZCARD', KEYS[1])
local consumed = used
if wanted > 0 then
  if used + wanted > limit then
    consumed = limit + 1
  else
    for i = 1, wanted do
      redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. used + i)
    end
    redis.call('PEXPIRE', KEYS[1], window)
    consumed = used + wanted
  end
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local free = 0
if oldest[2] then free = oldest[2] + window - now end
return {consumed, free}
`;
