import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEventPattern, patternsFor, retryAfterMs, retryDelayMs } from '@/server/delivery/rules';
import { eventTypes } from '@/server/events/catalog/catalog';

describe('patterns', () => {
  it('are types, groups and everything', () => {
    for (const text of ['*', 'tournament.*', 'circuit.*', 'circuit.season.started'])
      expect(isEventPattern(text)).toBe(true);
    for (const text of [
      '',
      '**',
      'tournament',
      'tournament.',
      'circuit.season.*',
      'match.nothing',
      '*.created',
      'toString',
    ]) {
      expect(isEventPattern(text)).toBe(false);
    }
  });

  it('of a type are ones that a subscription may list', () => {
    for (const type of eventTypes) expect(patternsFor(type).every(isEventPattern)).toBe(true);
  });
});

const policies = fc.record({
  maxRetries: fc.integer({ min: 0, max: 10 }),
  retryBaseDelayMs: fc.integer({ min: 1000, max: 60_000 }),
  retryBackoffMultiplier: fc.double({ min: 1, max: 10, noNaN: true }),
});

describe('retryDelayMs', () => {
  it('stays within a tenth of the configured delay, and ends after maxRetries', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (policy, n, random) => {
          const delay = retryDelayMs(policy, n, 0, random);
          if (n > policy.maxRetries) return delay === null;
          const plain = Math.min(policy.retryBaseDelayMs * policy.retryBackoffMultiplier ** (n - 1), 172_800_000);
          return delay !== null && delay >= Math.floor(plain * 0.9) && delay <= Math.ceil(plain * 1.1);
        },
      ),
    );
  });

  it('is lengthened by Retry-After, never shortened', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 86_400_000 }), (policy, asked) => {
        if (policy.maxRetries === 0) return retryDelayMs(policy, 1, asked) === null;
        const delay = retryDelayMs(policy, 1, asked) ?? 0;
        return delay >= asked && delay >= Math.floor(policy.retryBaseDelayMs * 0.9);
      }),
    );
  });
});

describe('retryAfterMs', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['-5', 0],
    ['soon', 0],
    [undefined, 0],
  ])('reads %s', (header, wanted) => {
    expect(retryAfterMs(header, now)).toBe(wanted);
  });
});
