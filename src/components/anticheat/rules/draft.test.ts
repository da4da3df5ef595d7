import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesOf, drafted, isValid, noDraft, type Rule, textProblem, triedRules, withChange } from './draft';

const snaps = { name: 'snaps', meaning: '', unit: 'snaps', value: 4, standard: 4, min: 2, max: 50 };
const degrees = { name: 'degrees', meaning: '', unit: 'degrees', value: 25, standard: 25, min: 5, max: 180 };
const rule: Rule = {
  ...{ ruleId: 'cs2.aim_snap', name: 'Inhuman aim snaps', description: '', severity: 'high' },
  ...{ replays: true, enabled: true, thresholds: [snaps, degrees] },
};
const other: Rule = { ...rule, ruleId: 'cs2.blocked_process', thresholds: [] };
const rules = [rule, other];

test('a draft is what differs from what is saved', () => {
  expect(changesOf(rules, noDraft)).toEqual([]);
  const typed = withChange(noDraft, rule.ruleId, { name: 'snaps', text: '6' });
  expect(drafted(rule, typed)).toEqual({ enabled: true, thresholds: { snaps: '6', degrees: '25' } });
  expect(changesOf(rules, typed)).toEqual([
    { ruleId: rule.ruleId, enabled: true, thresholds: { snaps: 6, degrees: 25 } },
  ]);
  const off = withChange(typed, other.ruleId, { enabled: false });
  expect(changesOf(rules, off).map(({ ruleId, enabled }) => [ruleId, enabled])).toEqual([
    [rule.ruleId, true],
    [other.ruleId, false],
  ]);
  expect(changesOf(rules, withChange(typed, rule.ruleId, { name: 'snaps', text: '4.0' }))).toEqual([]);
});

test('what somebody else saved meanwhile shows, except where the draft says otherwise', () => {
  const typed = withChange(noDraft, rule.ruleId, { name: 'snaps', text: '6' });
  const theirs = { ...rule, thresholds: [snaps, { ...degrees, value: 30 }] };
  expect(changesOf([theirs], typed)).toEqual([
    { ruleId: rule.ruleId, enabled: true, thresholds: { snaps: 6, degrees: 30 } },
  ]);
});

test('only numbers of the range can be saved', () => {
  for (const text of ['', ' ', 'six', '1', '50.1', '-4', 'Infinity']) {
    expect(textProblem(snaps, text)).toBe('Use a number from 2 to 50 snaps.');
    expect(isValid(rules, withChange(noDraft, rule.ruleId, { name: 'snaps', text }))).toBe(false);
  }
  fc.assert(
    fc.property(fc.double({ min: 2, max: 50, noNaN: true }), (value) => textProblem(snaps, String(value)) === null),
  );
});

test('a replay without changes tries the rules as they are', () => {
  expect(triedRules(rules, noDraft)).toEqual([
    { ruleId: rule.ruleId, enabled: true, thresholds: { snaps: 4, degrees: 25 } },
  ]);
});
