'use client';

import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useViewerZone } from '@/components/ui/text/date-time';
import { ChartFigure, LegendItem } from '@/components/webhooks/charts/figure';
import { bucketWords, type Range, tickWords } from '@/components/webhooks/charts/range';
import { formatDuration } from '@/components/webhooks/format';

/** One step of time: how many requests went well or not, and how long answers took. */
export type TimelinePoint = {
  at: string;
  succeeded: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

const axis = { tick: { fill: 'var(--muted)', fontSize: 11 }, tickLine: false, axisLine: false } as const;
const grid = { stroke: 'var(--line)', vertical: false } as const;
const margin = { top: 8, right: 24, bottom: 0, left: 0 };

type Tip = { active?: boolean; label?: unknown; payload?: readonly { payload?: unknown }[] };

/** What stands under the pointer, or under the arrow keys. */
function PointTip({ tip, zone, lines }: { tip: Tip; zone: string; lines: (point: TimelinePoint) => string[] }) {
  const point = tip.payload?.[0]?.payload as TimelinePoint | undefined;
  if (!tip.active || !point) return null;
  return (
    <div className="rounded border bg-raised px-3 py-2 text-xs text-ink shadow">
      <p className="text-muted">{bucketWords(point.at, zone)}</p>
      {lines(point).map((line) => (
        <p key={line} className="numerals mt-0.5 font-medium">
          {line}
        </p>
      ))}
    </div>
  );
}

/** Requests over time: taken and failed, one above the other. */
export function RequestsChart({ points, range }: { points: TimelinePoint[]; range: Range }) {
  const zone = useViewerZone();
  const total = points.reduce((sum, point) => sum + point.succeeded + point.failed, 0);
  return (
    <ChartFigure
      title="Requests"
      legend={
        <>
          <LegendItem className="text-accent" shape="M0 5H16">
            taken
          </LegendItem>
          <LegendItem className="text-danger" shape="M0 2H16M0 8H16">
            failed
          </LegendItem>
        </>
      }
      rows={points.filter((point) => point.succeeded + point.failed > 0)}
      rowKey={(point) => point.at}
      columns={[
        { header: 'From', cell: (point) => bucketWords(point.at, zone) },
        { header: 'Taken', cell: (point) => point.succeeded },
        { header: 'Failed', cell: (point) => point.failed },
      ]}
      empty={total === 0 ? 'No request was made in this time.' : undefined}
    >
      <ResponsiveContainer width="100%" height={192}>
        <BarChart data={points} margin={margin} barCategoryGap={1} accessibilityLayer>
          <CartesianGrid {...grid} />
          <XAxis
            dataKey="at"
            {...axis}
            padding={{ left: 8, right: 8 }}
            minTickGap={40}
            tickFormatter={(at: string) => tickWords(at, range, zone)}
          />
          <YAxis {...axis} width={40} allowDecimals={false} />
          <Tooltip
            cursor={{ fill: 'var(--hover)' }}
            isAnimationActive={false}
            content={(tip) => (
              <PointTip
                tip={tip}
                zone={zone}
                lines={(point) => [`${point.succeeded} taken`, `${point.failed} failed`]}
              />
            )}
          />
          <Bar dataKey="succeeded" stackId="requests" fill="var(--accent)" isAnimationActive={false} />
          <Bar dataKey="failed" stackId="requests" fill="var(--danger)" isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </ChartFigure>
  );
}

/** How long answers took over time: the middle one, and the one that 95 of 100 stay below. */
export function ResponseChart({ points, range }: { points: TimelinePoint[]; range: Range }) {
  const zone = useViewerZone();
  const known = points.some((point) => point.p95Ms !== null);
  return (
    <ChartFigure
      title="Response time"
      legend={
        <>
          <LegendItem className="text-accent" shape="M0 5H16">
            p50
          </LegendItem>
          <LegendItem className="text-live" shape="M0 5H4M7 5H11M14 5H16">
            p95
          </LegendItem>
        </>
      }
      rows={points.filter((point) => point.p95Ms !== null)}
      rowKey={(point) => point.at}
      columns={[
        { header: 'From', cell: (point) => bucketWords(point.at, zone) },
        { header: 'p50', cell: (point) => formatDuration(point.p50Ms) },
        { header: 'p95', cell: (point) => formatDuration(point.p95Ms) },
      ]}
      empty={known ? undefined : 'No answer came in this time.'}
    >
      <ResponsiveContainer width="100%" height={192}>
        <LineChart data={points} margin={margin} accessibilityLayer>
          <CartesianGrid {...grid} />
          <XAxis
            dataKey="at"
            {...axis}
            padding={{ left: 8, right: 8 }}
            minTickGap={40}
            tickFormatter={(at: string) => tickWords(at, range, zone)}
          />
          <YAxis {...axis} width={56} tickFormatter={(value: number) => formatDuration(value)} />
          <Tooltip
            cursor={{ stroke: 'var(--line-strong)' }}
            isAnimationActive={false}
            content={(tip) => (
              <PointTip
                tip={tip}
                zone={zone}
                lines={(point) => [`p50 ${formatDuration(point.p50Ms)}`, `p95 ${formatDuration(point.p95Ms)}`]}
              />
            )}
          />
          <Line
            dataKey="p50Ms"
            stroke="var(--accent)"
            strokeWidth={2}
            dot={{ r: 2, fill: 'var(--accent)' }}
            connectNulls
            isAnimationActive={false}
          />
          <Line
            dataKey="p95Ms"
            stroke="var(--live)"
            strokeWidth={2}
            strokeDasharray="5 3"
            dot={{ r: 2, fill: 'var(--live)' }}
            connectNulls
            isAnimationActive={false}
          />
        </LineChart>
      </ResponsiveContainer>
    </ChartFigure>
  );
}
