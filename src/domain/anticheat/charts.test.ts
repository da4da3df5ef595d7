import { expect, test } from 'vitest';
import { chartOf, type ReportChart } from './charts';
import { findCheating, type RuleKey, ruleKeys, thresholdsOf, windowMs } from './rules';
import { type Habits, traceOf } from './traces.fixture';

const cheating: Record<RuleKey, Habits> = {
  reaction_floor: { reactionMs: [60, 20] },
  aim_snap: { snapShare: 0.5 },
  input_cadence: { presses: { meanMs: 100, spread: 0.01 } },
  blocked_process: { processes: ['chrome.exe', 'C:\\tools\\Xenos64.exe'] },
  module_integrity: { changedModule: true },
  client_silence: { silentFrom: 0.2 },
  clock_manipulation: { clockJumpMs: 30_000 },
};

/** What a rule raised about a trace, drawn. */
function draw(key: RuleKey, habits = cheating[key]): ReportChart {
  const trace = traceOf(7, habits);
  const end = key === 'client_silence' ? trace.start + 2 * windowMs : trace.end;
  const window = { ...trace, end };
  const found = findCheating('cs2', window, new Map()).find(({ ruleId }) => ruleId === `cs2.${key}`);
  if (!found) throw new Error(`${key} found nothing`);
  const { figures, thresholds } = found;
  const start = key === 'client_silence' ? end - windowMs : trace.start;
  return chartOf(key, { start, end, reports: trace.reports, thresholds, figures });
}

const valuesOf = ({ points }: ReportChart, series = 0) => points.flatMap(({ values }) => values[series] ?? []);

test('every rule draws what it found, each point with an id of its own', () => {
  for (const key of ruleKeys) {
    const chart = draw(key);
    expect(valuesOf(chart).length, key).toBeGreaterThan(0);
    expect(new Set(chart.points.map(({ id }) => id)).size, key).toBe(chart.points.length);
    for (const { values } of chart.points) expect(values, key).toHaveLength(chart.series.length);
    expect(chart.omitted).toBe(0);
  }
});

test('what was too fast lies below the threshold', () => {
  const reactions = draw('reaction_floor');
  expect(reactions.thresholds).toEqual([{ label: 'Human floor', value: thresholdsOf('reaction_floor').floorMs }]);
  const sorted = valuesOf(reactions).sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(reactions.thresholds[0]?.value ?? 0);
  const turns = draw('aim_snap');
  const snaps = valuesOf(turns).filter((duration) => duration <= (turns.thresholds[0]?.value ?? 0));
  expect(snaps.length).toBeGreaterThanOrEqual(thresholdsOf('aim_snap').snaps ?? 0);
});

test('presses that are too even lie around their mean, and presses that are too fast below the fastest', () => {
  const even = draw('input_cadence');
  const [above = 0, below = 0] = even.thresholds.map(({ value }) => value);
  const inside = valuesOf(even).filter((interval) => interval > above && interval < below);
  expect(inside.length / valuesOf(even).length).toBeGreaterThan(0.9);
  const fast = draw('input_cadence', { presses: { meanMs: 33, spread: 0.1 } });
  expect(fast.thresholds).toEqual([{ label: 'Fastest by hand', value: 40 }]);
});

test('programs and files are counted in steps of five seconds', () => {
  for (const key of ['blocked_process', 'module_integrity'] as const) {
    const chart = draw(key);
    expect(chart.points).toHaveLength(12);
    expect(chart.points.every(({ values }) => values.every((value) => value !== null))).toBe(true);
  }
});

test('a silence and a jump of the clock reach their thresholds', () => {
  for (const key of ['client_silence', 'clock_manipulation'] as const) {
    const chart = draw(key);
    expect(Math.max(...valuesOf(chart)), key).toBeGreaterThanOrEqual(chart.thresholds[0]?.value ?? Number.NaN);
  }
  const back = draw('clock_manipulation', { clockJumpMs: -30_000 });
  expect(valuesOf(back).filter((jump) => jump >= 10)).toHaveLength(1);
});

test('a flood is drawn up to a limit that the chart names', () => {
  const reports = Array.from({ length: 700 }, (_, sequence) => {
    return { sequence, at: sequence, receivedAt: sequence, kind: 'reaction' as const, data: { ms: 5 } };
  });
  const source = { start: 0, end: windowMs, reports, thresholds: thresholdsOf('reaction_floor'), figures: {} };
  expect(chartOf('reaction_floor', source)).toMatchObject({ omitted: 100 });
});
