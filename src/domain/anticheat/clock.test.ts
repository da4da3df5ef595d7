import fc from 'fast-check';
import { expect, test } from 'vitest';
import { knownAhead, learnClock, unknownClock } from './clock';
import { clockSettlesMs } from './rules';

const report = fc.record({ at: fc.integer({ min: 0, max: 1e9 }), receivedAt: fc.integer({ min: 0, max: 1e9 }) });

test('it is the most that a clock was ahead, known once reports have come in for a while', () => {
  const clock = learnClock(unknownClock, [
    { at: 900, receivedAt: 1_000 },
    { at: 1_950, receivedAt: 2_000 },
  ]);
  expect(clock).toEqual({ firstReportAt: 1_000, aheadMs: -50 });
  expect(knownAhead(clock, 1_000 + clockSettlesMs - 1)).toBeNull();
  expect(knownAhead(clock, 1_000 + clockSettlesMs)).toBe(-50);
  expect(learnClock(clock, [])).toEqual(clock);
  expect(knownAhead(unknownClock, 1e9)).toBeNull();
});

test('learning window by window is learning at once', () => {
  fc.assert(
    fc.property(fc.array(report), fc.array(report), (first, second) => {
      const [early, late] = [first, second.map((one) => ({ ...one, receivedAt: one.receivedAt + 1e9 }))];
      expect(learnClock(learnClock(unknownClock, early), late)).toEqual(learnClock(unknownClock, [...early, ...late]));
    }),
  );
});
