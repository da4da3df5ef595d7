import { second } from '@/domain/time/durations';
import { dataOf, isChangedFile, type Report } from './reports';
import type { RuleKey } from './rules';

/** The reports behind a detection as a chart, with the thresholds that they crossed. */
export type ReportChart = {
  title: string;
  kind: 'dots' | 'bars' | 'lines';
  unit: 'ms' | 's' | 'reports';
  series: string[];
  thresholds: { label: string; value: number }[];
  /** In order; one value for each series, null where there is none. `at` is ISO 8601, by our clock. */
  points: { id: string; at: string; values: (number | null)[] }[];
  /** Points that are left out because there are too many. */
  omitted: number;
};

export type ChartSource = {
  start: number;
  end: number;
  /** Those received from `start` on, in the order of their sequence; for a silence also those from before it. */
  reports: readonly Report[];
  thresholds: Record<string, number>;
  figures: Record<string, unknown>;
};

type Point = ReportChart['points'][number];

const maxPoints = 600;
const bucketMs = 5 * second;

const iso = (at: number) => new Date(at).toISOString();
const pointOf = ({ sequence, receivedAt }: Report, values: (number | null)[], part = 0): Point => {
  return { id: `${sequence}.${part}`, at: iso(receivedAt), values };
};

function chart(about: Omit<ReportChart, 'points' | 'omitted'>, points: Point[]): ReportChart {
  return { ...about, points: points.slice(0, maxPoints), omitted: Math.max(0, points.length - maxPoints) };
}

/** Counts reports that are and are not as a rule says, in steps of five seconds. */
function countChart(
  title: string,
  series: [flagged: string, others: string],
  { start, end, reports }: ChartSource,
  isFlagged: (report: Report) => boolean | null,
): ReportChart {
  const points = Array.from({ length: Math.ceil((end - start) / bucketMs) }, (_, index): Point => {
    const from = start + index * bucketMs;
    const inside = reports
      .filter(({ receivedAt }) => receivedAt >= from && receivedAt < from + bucketMs)
      .map(isFlagged);
    const count = (flagged: boolean) => inside.filter((each) => each === flagged).length;
    return { id: String(index), at: iso(from), values: [count(true), count(false)] };
  });
  return chart({ title, kind: 'bars', unit: 'reports', series, thresholds: [] }, points);
}

const namesIn = (figures: Record<string, unknown>, name: string): string[] => {
  const value = figures[name];
  return Array.isArray(value) ? value.map(String) : [];
};

/** How a rule's reports are drawn. */
const charts: Record<RuleKey, (source: ChartSource) => ReportChart> = {
  reaction_floor({ reports, thresholds: { floorMs = 0 } }) {
    const points = reports.flatMap((report) => (report.kind === 'reaction' ? [pointOf(report, [report.data.ms])] : []));
    const thresholds = [{ label: 'Human floor', value: floorMs }];
    return chart({ title: 'Reaction times', kind: 'dots', unit: 'ms', series: ['Reaction'], thresholds }, points);
  },
  aim_snap({ reports, thresholds: { degrees = 0, durationMs = 0 } }) {
    const points = reports.flatMap((report) => {
      if (report.kind !== 'aim') return [];
      const { data } = report;
      const isWide = data.hit && data.degrees >= degrees;
      return [pointOf(report, isWide ? [data.durationMs, null] : [null, data.durationMs])];
    });
    return chart(
      {
        title: 'Duration of turns',
        kind: 'dots',
        unit: 'ms',
        series: [`Hit, at least ${degrees}°`, 'Other turns'],
        thresholds: [{ label: 'Fastest by hand', value: durationMs }],
      },
      points,
    );
  },
  input_cadence({ reports, figures, thresholds: { perSecond = 1, variation = 0 } }) {
    const control = String(figures.control);
    const inputs = reports.filter((report) => report.kind === 'input' && report.data.control === control);
    const points = inputs.flatMap((report) =>
      dataOf([report], 'input').flatMap(({ intervalsMs }) =>
        intervalsMs.map((interval, part) => pointOf(report, [interval], part)),
      ),
    );
    const fastest = 1000 / perSecond;
    const usual = 1000 / Number(figures.perSecond);
    const isTooEven = Number(figures.variation) < variation && Number.isFinite(usual);
    const thresholds = isTooEven
      ? [
          { label: 'Too even: above', value: usual * (1 - variation) },
          { label: 'and below', value: usual * (1 + variation) },
        ]
      : [{ label: 'Fastest by hand', value: fastest }];
    const title = `Time between presses of ${control}`;
    return chart({ title, kind: 'dots', unit: 'ms', series: ['Interval'], thresholds }, points);
  },
  blocked_process(source) {
    const names = namesIn(source.figures, 'programs');
    return countChart('Programs reported', ['Blocked', 'Others'], source, (report) => {
      if (report.kind !== 'process') return null;
      return names.includes(report.data.name.toLowerCase().replace(/^.*[\\/]/, ''));
    });
  },
  module_integrity(source) {
    return countChart('Files reported', ['Changed', 'Others'], source, (report) =>
      report.kind === 'module' ? isChangedFile(report.data) : null,
    );
  },
  client_silence({ start, end, reports, thresholds: { silenceMs = 0 } }) {
    const from = start - silenceMs;
    const points = Array.from({ length: Math.floor((end - from) / bucketMs) + 1 }, (_, index): Point => {
      const at = from + index * bucketMs;
      const last = Math.max(...reports.flatMap(({ receivedAt }) => (receivedAt <= at ? [receivedAt] : [])));
      const values = [Number.isFinite(last) ? Math.round((at - last) / second) : null];
      return { id: String(index), at: iso(at), values };
    });
    const thresholds = [{ label: 'Reported from', value: silenceMs / second }];
    const title = 'Time since the last report';
    return chart({ title, kind: 'lines', unit: 's', series: ['Silence'], thresholds }, points);
  },
  clock_manipulation({ reports, figures, thresholds: { jumpMs = 0 } }) {
    const jumped = reports.find(({ sequence }) => sequence === figures.sequence);
    // How far ahead the clock had been, as the rule knew it: only the size of the jump is in the figures.
    const before = jumped ? jumped.at - jumped.receivedAt - Number(figures.jumpMs) : 0;
    const isBack = figures.direction === 'back';
    const points = reports.map((report, index) => {
      const back = (reports[index - 1]?.at ?? report.at) - report.at;
      const jump = isBack ? back : report.at - report.receivedAt - before;
      return pointOf(report, [Math.max(0, Math.round(jump / 100) / 10)]);
    });
    const thresholds = [{ label: 'Jump', value: jumpMs / second }];
    const title = isBack ? 'How far the clock went back' : 'How far the clock jumped ahead';
    return chart({ title, kind: 'dots', unit: 's', series: ['Jump'], thresholds }, points);
  },
};

/** Draws what a rule saw. Reports that it does not read are left out. */
export function chartOf(key: RuleKey, source: ChartSource): ReportChart {
  return charts[key](source);
}
