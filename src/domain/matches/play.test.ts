import { expect, test } from 'vitest';
import { isBeingPlayed, isOnlyReported, isReportRemovable } from './play';

const startedAt = '2026-12-05T18:00:00.000Z';
const report = { by: 'p1' };

test.each([
  ['ready', null, null, false],
  ['scheduled', null, null, false],
  ['in_progress', null, startedAt, true],
  ['in_progress', report, startedAt, true],
  ['in_progress', report, null, false],
  // An imported match may run without a known start.
  ['in_progress', null, null, true],
  ['disputed', report, null, true],
  ['disputed', report, startedAt, true],
  ['completed', null, startedAt, false],
  ['forfeited', null, null, false],
] as const)('%s with report %j, started at %s: being played is %s', (status, given, started, expected) => {
  const match = { status, report: given, startedAt: started };
  expect(isBeingPlayed(match)).toBe(expected);
  expect(isOnlyReported(match)).toBe(status === 'in_progress' && !expected);
  expect(isReportRemovable(match)).toBe(isOnlyReported(match) || status === 'disputed');
});
