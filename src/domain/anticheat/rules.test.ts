import fc from 'fast-check';
import { expect, test } from 'vitest';
import { antiCheatGames } from './games';
import type { Report } from './reports';
import { findCheating, type RuleKey, type RuleSetting, ruleKeys, rules, rulesOf, thresholdsOf } from './rules';
import { type Habits, traceOf } from './traces.fixture';

const none = new Map<string, RuleSetting>();
const raised = (window: ReturnType<typeof traceOf>, game: (typeof antiCheatGames)[number] = 'cs2') =>
  findCheating(game, window, none).map(({ ruleId }) => ruleId);

const honest: Record<string, Habits> = {
  usual: {},
  'a very fast player': { reactionMs: [155, 18], luckyShots: 0.15 },
  'a 240 Hz mouse with wide flicks': { turnSpeed: 1.6 },
  'an even hand': { presses: { meanMs: 95, spread: 0.08 } },
  'a fast hand': { presses: { meanMs: 62, spread: 0.15 } },
  'a lag spike of 15 s': { lagMs: 15_000 },
  'a lag spike of 35 s': { lagMs: 35_000 },
  'a laptop that slept for 20 s': { sleepMs: 20_000 },
  'a clock an hour off': { clockOffsetMs: -3_600_000 },
};

const cheating: Record<string, { habits: Habits; rule: RuleKey }> = {
  'a triggerbot': { habits: { reactionMs: [60, 20] }, rule: 'reaction_floor' },
  'a triggerbot with a delay': { habits: { reactionMs: [90, 25] }, rule: 'reaction_floor' },
  'an aimbot in every second shot': { habits: { snapShare: 0.5 }, rule: 'aim_snap' },
  'an aimbot in every fourth shot': { habits: { snapShare: 0.25 }, rule: 'aim_snap' },
  'a jump macro': { habits: { presses: { meanMs: 100, spread: 0.01 } }, rule: 'input_cadence' },
  'a turbo key': { habits: { presses: { meanMs: 33, spread: 0.02 } }, rule: 'input_cadence' },
  'an injector': { habits: { processes: ['chrome.exe', 'C:\\tools\\Xenos64.exe'] }, rule: 'blocked_process' },
  'a patched file': { habits: { changedModule: true }, rule: 'module_integrity' },
  'a clock set ahead': { habits: { clockJumpMs: 30_000 }, rule: 'clock_manipulation' },
  'a clock set back': { habits: { clockJumpMs: -30_000 }, rule: 'clock_manipulation' },
};

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

test.each(Object.entries(honest))('of 200 minutes of %s, none is flagged', (_name, habits) => {
  expect(seeds.flatMap((seed) => raised(traceOf(seed, habits)))).toEqual([]);
});

test.each(Object.entries(cheating))('%s is found, and nothing else is', (_name, { habits, rule }) => {
  const found = seeds.map((seed) => raised(traceOf(seed, habits)));
  const others = found.flat().filter((ruleId) => ruleId !== `cs2.${rule}`);
  expect(others).toEqual([]);
  const recall = found.filter((list) => list.length > 0).length / seeds.length;
  expect(recall).toBeGreaterThanOrEqual(rule === 'aim_snap' && habits.snapShare === 0.25 ? 0.9 : 0.99);
});

test.each([0, Number.MIN_VALUE])('presses %s ms apart are found without a figure that JSON has not', (apart) => {
  const window = traceOf(1, {});
  const intervalsMs = Array.from({ length: 40 }, () => apart);
  const report = {
    sequence: 1,
    at: window.start,
    receivedAt: window.start,
    kind: 'input',
    data: { control: 'mouse1', intervalsMs },
  };
  const [found] = findCheating('cs2', { ...window, reports: [report as Report] }, new Map());
  expect(found?.explanation).toContain('40 presses of mouse1, at the same instant, with a spread of 0%');
  expect(found?.figures).toEqual({ control: 'mouse1', presses: 40, variation: 0 });
});

test('silence is flagged only for a client that was heard', () => {
  const window = traceOf(1, { silentFrom: 0.2 });
  expect(raised({ ...window, end: window.start + 120_000 })).toEqual(['cs2.client_silence']);
  expect(raised({ ...window, end: window.start + 60_000 })).toEqual([]);
  expect(raised({ ...window, reports: [], lastHeardAt: null, end: window.start + 600_000 })).toEqual([]);
});

test('however many files were changed, a finding names a few and counts them all', () => {
  const name = fc.string({ minLength: 1, maxLength: 260 });
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 100 }), (names) => {
      const reports = names.map((name, sequence) => {
        const data = { name, sha256: 'b', expectedSha256: 'a' };
        return { kind: 'module' as const, data, sequence, at: 0, receivedAt: 0 };
      });
      const window = { start: 0, end: 60_000, reports, lastHeardAt: null, clockAhead: null };
      const [found] = findCheating('cs2', window, none);
      expect(found?.figures).toEqual({ files: names.slice(0, 10), count: names.length });
    }),
  );
});

test('a window in which all is late says nothing about the clock, and what was known before does', () => {
  const late = traceOf(3, { lagMs: 35_000 });
  const onlyLate = { ...late, reports: late.reports.filter(({ at }) => at >= late.start + 20_000) };
  expect(raised(onlyLate)).toEqual([]);
  const ahead = traceOf(3, { clockOffsetMs: 30_000 });
  expect(raised(ahead)).toEqual([]);
  expect(raised({ ...ahead, clockAhead: 0 })).toEqual(['cs2.clock_manipulation']);
});

test('an organizer can turn a rule off and move its thresholds', () => {
  const window = traceOf(5, { reactionMs: [130, 10] });
  expect(raised(window)).toEqual([]);
  const strict = new Map([['cs2.reaction_floor', { enabled: true, thresholds: { floorMs: 150 } }]]);
  expect(findCheating('cs2', window, strict)).toMatchObject([{ ruleId: 'cs2.reaction_floor', severity: 'high' }]);
  const off = new Map([['cs2.reaction_floor', { enabled: false, thresholds: { floorMs: 150 } }]]);
  expect(findCheating('cs2', window, off)).toEqual([]);
});

test('games have the rules that fit them', () => {
  expect(rulesOf('cs2')).toEqual(ruleKeys);
  expect(rulesOf('dota2')).toEqual(ruleKeys.filter((key) => key !== 'reaction_floor' && key !== 'aim_snap'));
  for (const game of antiCheatGames) {
    const bot = traceOf(1, { reactionMs: [60, 20] });
    expect(raised(bot, game)).toEqual(rulesOf(game).includes('reaction_floor') ? [`${game}.reaction_floor`] : []);
  }
});

test('standard thresholds lie within their limits', () => {
  for (const key of ruleKeys) {
    for (const [name, value] of Object.entries(thresholdsOf(key))) {
      const { min, max } = (rules[key].thresholds as Record<string, { min: number; max: number }>)[name] ?? {};
      expect(value, `${key}.${name}`).toBeGreaterThanOrEqual(min ?? Number.NaN);
      expect(value, `${key}.${name}`).toBeLessThanOrEqual(max ?? Number.NaN);
    }
  }
});

test('no reports of any kind break a rule', () => {
  const data = fc.oneof(
    fc.record({
      kind: fc.constant('reaction' as const),
      data: fc.record({ ms: fc.double({ min: 0, max: 6e4, noNaN: true }) }),
    }),
    fc.record({
      kind: fc.constant('input' as const),
      data: fc.record({
        control: fc.string(),
        intervalsMs: fc.array(fc.double({ min: 0, max: 6e4, noNaN: true }), { maxLength: 200 }),
      }),
    }),
    fc.record({ kind: fc.constant('process' as const), data: fc.record({ name: fc.string() }) }),
  );
  const timed = fc.tuple(data, fc.integer({ min: 0, max: 1e13 }), fc.integer({ min: 0, max: 1e13 }));
  fc.assert(
    fc.property(fc.array(timed, { maxLength: 60 }), (list) => {
      const reports = list.map(([report, at, receivedAt], sequence) => ({ ...report, sequence, at, receivedAt }));
      const found = findCheating('cs2', { start: 0, end: 60_000, reports, lastHeardAt: 0, clockAhead: null }, none);
      for (const { explanation } of found) expect(explanation).not.toMatch(/NaN|undefined/);
    }),
  );
});

test('what a rule finds early, later reports of the window never take back', () => {
  const early = ruleKeys.filter((key) => rules[key].early && rules[key].replays);
  expect(early).toEqual(['aim_snap', 'blocked_process', 'module_integrity']);
  const habits = fc.constantFrom(...Object.values(cheating).map((one) => one.habits), ...Object.values(honest));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      habits,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (seed, usual, share) => {
        const window = traceOf(seed, usual);
        const until = window.start + share * 60_000;
        const part = { ...window, end: until, reports: window.reports.filter(({ receivedAt }) => receivedAt < until) };
        const first = findCheating('cs2', { ...part, lastHeardAt: null }, none, { isOpen: true });
        expect(raised(window)).toEqual(expect.arrayContaining(first.map(({ ruleId }) => ruleId)));
      },
    ),
    { numRuns: 300 },
  );
});
