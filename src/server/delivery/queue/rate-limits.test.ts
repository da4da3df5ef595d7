import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowance, bucketsAt, type RateBucket, type RateLimits } from '@/server/delivery/queue/rate-limits';

const windowMs = { burst: 1_000, perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 };
const start = Date.parse('2026-11-21T12:00:00.000Z');

/** A sender that always sends as much as it may. @returns the times of its attempts */
function greedySender(limits: RateLimits, pauses: readonly number[]): number[] {
  const buckets = new Map<string, RateBucket>();
  const sent: number[] = [];
  let now = start;
  for (const pause of pauses) {
    now += pause;
    const { free, inMs } = allowance(limits, [...buckets.values()], now);
    if (free === 0) {
      now += inMs;
      continue;
    }
    const taken = Math.min(free, 200);
    for (const { spanMs, startsAt, forgetBefore } of bucketsAt(limits, now)) {
      for (const [key, bucket] of buckets) {
        if (bucket.spanMs === spanMs && bucket.startsAt < forgetBefore) buckets.delete(key);
      }
      const key = `${spanMs}:${startsAt}`;
      buckets.set(key, { spanMs, startsAt, started: (buckets.get(key)?.started ?? 0) + taken });
    }
    sent.push(...Array(taken).fill(now));
  }
  return sent;
}

function mostInAWindow(sent: readonly number[], length: number): number {
  let most = 0;
  let from = 0;
  for (let to = 0; to < sent.length; to += 1) {
    while ((sent[to] ?? 0) - (sent[from] ?? 0) >= length) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

describe('rate limits', () => {
  const rateLimits = fc.record(
    {
      burst: fc.integer({ min: 1, max: 30 }),
      perMinute: fc.integer({ min: 1, max: 120 }),
      perHour: fc.integer({ min: 1, max: 500 }),
      perDay: fc.integer({ min: 1, max: 900 }),
    },
    { requiredKeys: [] },
  );
  const pauses = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 150 });

  it('hold in every window of their length', () => {
    fc.assert(
      fc.property(rateLimits, pauses, (limits, gaps) => {
        const sent = greedySender(limits, gaps);
        for (const [name, cap] of Object.entries(limits)) {
          expect(mostInAWindow(sent, windowMs[name as keyof typeof windowMs])).toBeLessThanOrEqual(cap);
        }
      }),
    );
  });

  it('allow the next attempt at the time that they return, and not before', () => {
    fc.assert(
      fc.property(rateLimits, pauses, (limits, gaps) => {
        const buckets = gaps.flatMap((gap, index) =>
          bucketsAt(limits, start + gap).map(({ spanMs, startsAt }) => ({
            spanMs,
            startsAt,
            started: (index % 9) + 1,
          })),
        );
        const now = start + 90_000;
        const { free, inMs } = allowance(limits, buckets, now);
        expect(free > 0).toBe(inMs === 0);
        if (free > 0) return;
        expect(allowance(limits, buckets, now + inMs).free).toBeGreaterThan(0);
        expect(allowance(limits, buckets, now + inMs - 1).free).toBe(0);
      }),
    );
  });

  it('allow everything when none is set', () => {
    expect(allowance({}, [], start)).toEqual({ free: Number.POSITIVE_INFINITY, inMs: 0 });
    expect(bucketsAt({}, start)).toEqual([]);
  });
});
