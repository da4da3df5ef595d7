/** Limits on the attempts of one subscription; `burst` is the most in one second. */
export type RateLimits = { perMinute?: number; perHour?: number; perDay?: number; burst?: number };

/** Attempts started in the span of `spanMs` that begins at `startsAt` (milliseconds of Unix time). */
export type RateBucket = { spanMs: number; startsAt: number; started: number };

/** Each limit counts over a sliding window, in spans short enough that little of the limit is lost to their edges. */
const windows = {
  burst: { windowMs: 1_000, spanMs: 100 },
  perMinute: { windowMs: 60_000, spanMs: 1_000 },
  perHour: { windowMs: 3_600_000, spanMs: 60_000 },
  perDay: { windowMs: 86_400_000, spanMs: 900_000 },
} as const;

const limitedWindows = (limits: RateLimits) =>
  (Object.keys(windows) as (keyof typeof windows)[]).flatMap((name) => {
    const limit = limits[name];
    return typeof limit === 'number' ? [{ ...windows[name], limit }] : [];
  });

/**
 * Where attempts that start at `now` are counted, for each limit that is set. Buckets before `forgetBefore` count no
 * more.
 */
export function bucketsAt(
  limits: RateLimits,
  now: number,
): { spanMs: number; startsAt: number; forgetBefore: number }[] {
  return limitedWindows(limits).map(({ windowMs, spanMs }) => ({
    spanMs,
    startsAt: now - (((now % spanMs) + spanMs) % spanMs),
    forgetBefore: now - windowMs - spanMs,
  }));
}

/**
 * How many attempts may start at `now`, and if none, in how many milliseconds one may. A span counts as long as any
 * part of it is in the window: no window of that length contains more starts than the limit allows.
 */
export function allowance(
  limits: RateLimits,
  buckets: readonly RateBucket[],
  now: number,
): { free: number; inMs: number } {
  let free = Number.POSITIVE_INFINITY;
  let inMs = 0;
  for (const { windowMs, spanMs, limit } of limitedWindows(limits)) {
    const counted = buckets
      .filter((bucket) => bucket.spanMs === spanMs && bucket.startsAt + spanMs + windowMs > now)
      .sort((a, b) => a.startsAt - b.startsAt);
    let used = counted.reduce((sum, bucket) => sum + bucket.started, 0);
    free = Math.min(free, Math.max(limit - used, 0));
    for (const bucket of counted) {
      if (used < limit) break;
      used -= bucket.started;
      inMs = Math.max(inMs, bucket.startsAt + spanMs + windowMs - now);
    }
  }
  return { free, inMs };
}

/** Reads the counts of a subscription. */
export const RATE_BUCKETS = `
  SELECT "spanMs", (extract(epoch FROM "startsAt") * 1000)::float8 AS "startsAt", started FROM webhook_rate_bucket
  WHERE "subscriptionId" = $1`;

/** Counts $5 attempts in the buckets of spans $2 that start at $3, and deletes buckets that start before $4. */
export const COUNT_ATTEMPTS = `
  WITH old AS (
    DELETE FROM webhook_rate_bucket b USING unnest($2::int[], $4::float8[]) AS v (span, before)
    WHERE b."subscriptionId" = $1 AND b."spanMs" = v.span AND b."startsAt" < to_timestamp(v.before / 1000)
  )
  INSERT INTO webhook_rate_bucket ("subscriptionId", "spanMs", "startsAt", started)
  SELECT $1, v.span, to_timestamp(v.at / 1000), $5 FROM unnest($2::int[], $3::float8[]) AS v (span, at)
  ON CONFLICT ("subscriptionId", "spanMs", "startsAt") DO UPDATE SET started = webhook_rate_bucket.started + excluded.started`;
