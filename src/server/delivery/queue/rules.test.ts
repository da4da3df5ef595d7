import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowance,
  bucketsAt,
  isMisplaced,
  nextLookInMs,
  nextMove,
  type QueueView,
  type RateBucket,
  type RateCaps,
  roomUnderBreaker,
} from '@/server/delivery/queue/rules';

const windowMs = { burst: 1_000, perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 };
const start = Date.parse('2026-11-21T12:00:00.000Z');

/** A sender that takes all it may whenever it looks. @returns the moments of its attempts */
function greedySender(caps: RateCaps, pauses: readonly number[]): number[] {
  const buckets = new Map<string, RateBucket>();
  const sent: number[] = [];
  let now = start;
  for (const pause of pauses) {
    now += pause;
    const { free, inMs } = allowance(caps, [...buckets.values()], now);
    if (free === 0) {
      now += inMs;
      continue;
    }
    const taken = Math.min(free, 200);
    for (const { spanMs, startsAt, forgetBefore } of bucketsAt(caps, now)) {
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

describe('rate caps', () => {
  const caps = fc.record(
    {
      burst: fc.integer({ min: 1, max: 30 }),
      perMinute: fc.integer({ min: 1, max: 120 }),
      perHour: fc.integer({ min: 1, max: 500 }),
      perDay: fc.integer({ min: 1, max: 900 }),
    },
    { requiredKeys: [] },
  );
  const pauses = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 150 });

  it('hold in every window of their length, wherever it begins', () => {
    fc.assert(
      fc.property(caps, pauses, (limits, gaps) => {
        const sent = greedySender(limits, gaps);
        for (const [name, cap] of Object.entries(limits)) {
          expect(mostInAWindow(sent, windowMs[name as keyof typeof windowMs])).toBeLessThanOrEqual(cap);
        }
      }),
    );
  });

  it('let more through at the moment that they name, and not before', () => {
    fc.assert(
      fc.property(caps, pauses, (limits, gaps) => {
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

  it('do not exist where none is set', () => {
    expect(allowance({}, [], start)).toEqual({ free: Number.POSITIVE_INFINITY, inMs: 0 });
    expect(bucketsAt({}, start)).toEqual([]);
  });
});

describe('a queue', () => {
  const flowing: QueueView = {
    heldBy: null,
    probeInMs: null,
    holdInMs: null,
    capInMs: 0,
    pendingInMs: -5,
    held: false,
    unclaimed: true,
  };
  const broken: QueueView = {
    ...flowing,
    heldBy: 'breaker',
    probeInMs: -1,
    pendingInMs: null,
    held: true,
    unclaimed: false,
  };
  const cases: [string, Partial<QueueView>, 'send' | 'probe' | 'rest', number | null][] = [
    ['sends what is due', flowing, 'send', 0],
    ['waits for what is not due', { ...flowing, pendingInMs: 700 }, 'rest', 700],
    ['rests when nothing is pending', { ...flowing, pendingInMs: null }, 'rest', null],
    ['waits for the end of a Retry-After', { ...flowing, holdInMs: 900 }, 'rest', 900],
    ['sends after the end of a Retry-After', { ...flowing, holdInMs: -900 }, 'send', 0],
    ['waits for its caps', { ...flowing, capInMs: 250 }, 'rest', 250],
    ['rests while paused', { ...flowing, heldBy: 'paused' }, 'rest', null],
    ['rests while disabled', { ...flowing, heldBy: 'disabled', held: true }, 'rest', null],
    ['probes when the breaker has been open long enough', broken, 'probe', 0],
    ['waits until a breaker may be probed', { ...broken, probeInMs: 5_000 }, 'rest', 5_000],
    ['does not probe during a Retry-After', { ...broken, holdInMs: 8_000 }, 'rest', 8_000],
    ['does not probe over its caps', { ...broken, capInMs: 50 }, 'rest', 50],
    ['has nothing to probe with', { ...broken, held: false }, 'rest', null],
  ];
  it.each(cases)('%s', (_name, view, move, inMs) => {
    const whole = { ...flowing, ...view };
    expect(nextMove(whole)).toBe(move);
    expect(nextLookInMs(whole)).toBe(inMs);
  });

  it('knows what stands in the wrong place', () => {
    expect(isMisplaced(flowing)).toBe(false);
    expect(isMisplaced({ ...flowing, held: true })).toBe(true);
    expect(isMisplaced({ ...flowing, heldBy: 'paused' })).toBe(true);
    expect(isMisplaced({ ...flowing, heldBy: 'paused', unclaimed: false })).toBe(false);
    expect(isMisplaced(broken)).toBe(false);
  });
});

describe('room under a breaker', () => {
  it('never lets more fail in a row than open it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.nat(80),
        fc.integer({ min: 1, max: 10 }),
        (threshold, streak, parallel) => {
          const room = roomUnderBreaker(parallel, threshold, streak);
          expect(room).toBeLessThanOrEqual(parallel);
          expect(room).toBeGreaterThanOrEqual(0);
          expect(streak + room).toBeLessThanOrEqual(Math.max(threshold, streak));
        },
      ),
    );
    expect(roomUnderBreaker(10, null, 500)).toBe(10);
    expect(roomUnderBreaker(10, 1, 0)).toBe(1);
    expect(roomUnderBreaker(10, 10, 0)).toBe(10);
  });
});
