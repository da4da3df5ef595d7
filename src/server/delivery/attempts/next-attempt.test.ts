import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttemptInMs, parseRetryAfter, retryInMs } from '@/server/delivery/attempts/next-attempt';

const policies = fc.record({
  maxRetries: fc.integer({ min: 0, max: 10 }),
  retryBaseDelayMs: fc.integer({ min: 1000, max: 60_000 }),
  retryBackoffMultiplier: fc.double({ min: 1, max: 10, noNaN: true }),
});

describe('retryInMs', () => {
  it('stays within a tenth of the configured delay, and ends after maxRetries', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (policy, n, random) => {
          const delay = retryInMs(policy, n, 0, random);
          if (n > policy.maxRetries) return delay === null;
          const plain = Math.min(policy.retryBaseDelayMs * policy.retryBackoffMultiplier ** (n - 1), 172_800_000);
          return delay !== null && delay >= Math.floor(plain * 0.9) && delay <= Math.ceil(plain * 1.1);
        },
      ),
    );
  });

  it('is extended by Retry-After, never shortened', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 86_400_000 }), (policy, asked) => {
        if (policy.maxRetries === 0) return retryInMs(policy, 1, asked) === null;
        const delay = retryInMs(policy, 1, asked) ?? 0;
        return delay >= asked && delay >= Math.floor(policy.retryBaseDelayMs * 0.9);
      }),
    );
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['-5', 0],
    ['soon', 0],
    [undefined, 0],
    ['Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
    ['Sat Nov 21 12:01:00 2026', 60_000],
  ])('reads %s', (header, wanted) => {
    expect(parseRetryAfter(header, now)).toBe(wanted);
  });

  it('waits whole seconds', () => {
    const soon = 'Sat, 21 Nov 2026 12:00:01 GMT';
    expect(parseRetryAfter(soon, new Date('2026-11-21T12:00:00.999Z'))).toBe(1_000);
    expect(parseRetryAfter(soon, new Date('2026-11-21T11:59:59.500Z'))).toBe(2_000);
  });

  it.each(['2026-11-21T12:00:00.005Z', 'Sat, 21 Nov 2026 12:00:00.005 GMT', '0.005', '5 s', 'Wait 2027'])(
    'takes %s for none',
    (header) => {
      expect(parseRetryAfter(header, now)).toBe(0);
    },
  );
});

describe('nextAttemptInMs', () => {
  const policy = { maxRetries: 2, retryBaseDelayMs: 1000, retryBackoffMultiplier: 3 };
  const failed = { succeeded: false, status: 500 };
  const cases: [
    string,
    { failures: number; probe: boolean },
    { succeeded: boolean; status: number | null },
    number | null,
  ][] = [
    ['none after a success', { failures: 0, probe: false }, { succeeded: true, status: 200 }, null],
    ['none after a 410', { failures: 0, probe: false }, { succeeded: false, status: 410 }, null],
    ['the first retry', { failures: 0, probe: false }, failed, 1000],
    ['the second retry', { failures: 1, probe: false }, failed, 3000],
    ['no third retry', { failures: 2, probe: false }, failed, null],
    ['a failed probe uses no retry', { failures: 2, probe: true }, failed, 1000],
    ['a failed connection', { failures: 0, probe: false }, { succeeded: false, status: null }, 1000],
  ];
  it.each(cases)('%s', (_name, attempt, result, ms) => {
    expect(nextAttemptInMs({ ...attempt, policy }, result, 0, 0.5)).toBe(ms);
  });

  it('spreads the retries of a thousand simultaneous failures', () => {
    const delays = Array.from(
      { length: 1000 },
      () => nextAttemptInMs({ failures: 1, probe: false, policy }, failed, 0) ?? 0,
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2700);
    expect(Math.max(...delays)).toBeLessThanOrEqual(3300);
    expect(new Set(delays).size).toBeGreaterThan(300);
  });
});
