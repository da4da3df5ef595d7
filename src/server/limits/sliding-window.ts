import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

type Taken = { granted: number; used_before: number; free_in_ms: string };
type Outcome = { consumed: number; msBeforeNext: number };
type Waiting = { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };
type Queue = { waiting: Waiting[]; running: boolean };

/** Entries that a window is kept in at the most; a window of few points keeps each hit by the millisecond. */
const slotsPerWindow = 120;

/**
 * Counts in PostgreSQL over a sliding window, exactly over any number of processes: no window of `duration` seconds
 * ever holds more than `points`. Requests of one subject that arrive together are counted by one statement. The library's
 * own PostgreSQL limiter counts fixed windows, which let twice the limit pass around their borders.
 */
export class SlidingWindowPostgres extends RateLimiterPostgres {
  private readonly queues = new Map<string, Queue>();
  private readonly slotMs: number;

  constructor(
    private readonly pool: pg.Pool,
    options: { keyPrefix: string; points: number; duration: number; inMemoryBlockOnConsumed?: number },
  ) {
    super({ ...options, storeClient: pool, storeType: 'pool', tableCreated: true, clearExpiredByTimeout: false });
    this.slotMs = options.points <= slotsPerWindow ? 1 : Math.ceil((options.duration * 1000) / slotsPerWindow);
  }

  /** Called by the library: takes points, or gives back when they are negative. */
  async _upsert(subject: string, points: number): Promise<Outcome> {
    if (points < 0) return this.giveBack(subject, -points);
    if (points !== 1) throw new Error('One point at a time');
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
          caller.resolve({ consumed: index < granted ? used_before + index + 1 : this.points + 1, msBeforeNext });
        });
      } catch (error) {
        for (const caller of batch) caller.reject(error);
      }
    }
    queue.running = false;
    this.queues.delete(subject);
  }

  private async take(subject: string, wanted: number): Promise<Taken> {
    const { rows } = await this.pool.query<Taken>({
      name: 'rate_limit_take',
      text: 'SELECT granted, used_before, free_in_ms FROM rate_limit_take($1, $2, $3, $4, $5)',
      values: [subject, wanted, this.points, this.duration * 1000, this.slotMs],
    });
    const [taken] = rows;
    if (!taken) throw new Error('rate_limit_take returned nothing');
    return taken;
  }

  private async giveBack(subject: string, points: number): Promise<Outcome> {
    const { rows } = await this.pool.query<{ used: number }>({
      name: 'rate_limit_return',
      text: 'SELECT rate_limit_return($1, $2) AS used',
      values: [subject, points],
    });
    return { consumed: rows[0]?.used ?? 0, msBeforeNext: 0 };
  }

  /** Called by the library. */
  async _get(subject: string): Promise<Outcome | null> {
    const { rows } = await this.pool.query<Taken>(
      'SELECT granted, used_before, free_in_ms FROM rate_limit_take($1, 0, $2, $3, $4)',
      [subject, this.points, this.duration * 1000, this.slotMs],
    );
    const [row] = rows;
    return row ? { consumed: row.used_before, msBeforeNext: Number(row.free_in_ms) } : null;
  }

  /** Called by the library. */
  async _delete(subject: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('DELETE FROM rate_limit_window WHERE subject = $1', [subject]);
    return (rowCount ?? 0) > 0;
  }

  /** Called by the library. */
  _getRateLimiterRes(_subject: string, changed: number, { consumed, msBeforeNext }: Outcome): RateLimiterRes {
    return new RateLimiterRes(Math.max(this.points - consumed, 0), msBeforeNext, consumed, consumed === changed);
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
