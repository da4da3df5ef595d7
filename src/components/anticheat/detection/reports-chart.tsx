'use client';

import { useQuery } from '@tanstack/react-query';
import { TimeChart } from '@/components/ui/chart/time-chart';
import { QueryError } from '@/components/ui/page/query-error';
import { useViewerZone } from '@/components/ui/text/date-time';
import { reportLifetime } from '@/domain/anticheat/lifetimes';
import { counted } from '@/domain/text/counted';
import { durationInWords } from '@/domain/time/durations';
import { shownZone } from '@/domain/time/zones';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Chart = NonNullable<Outputs['antiCheat']['review']['reports']>;

const classes = ['text-accent', 'text-muted'];
/** Where a count of what is flagged comes first, it has the color of danger. */
const countClasses = ['text-danger', 'text-muted'];

const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

function formatOf(unit: Chart['unit']) {
  return (value: number | null) => {
    if (value === null) return '–';
    return unit === 'reports' ? String(value) : `${decimals.format(value)} ${unit}`;
  };
}

/** The reports of a detection's minute with the thresholds of its rule. */
export function ReportsChart({ projectId, detectionId }: { projectId: string; detectionId: string }) {
  const trpc = useTRPC();
  const zone = useViewerZone();
  const query = useQuery(trpc.antiCheat.review.reports.queryOptions({ projectId, detectionId }));
  if (query.isError) return <QueryError title="The reports could not be loaded" query={query} />;
  if (query.isPending)
    return <div role="status" aria-label="Loading the reports" className="h-64 rounded border bg-surface" />;
  if (!query.data) {
    return (
      <p className="rounded border bg-surface p-5 text-muted">
        No reports of this minute are left. Reports are deleted after {durationInWords(reportLifetime)}.
      </p>
    );
  }
  const { title, kind, unit, series, thresholds, points, omitted } = query.data;
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: shownZone(zone), timeStyle: 'medium' });
  const formatTime = (at: string) => time.format(new Date(at));
  const colors = kind === 'bars' ? countClasses : classes;
  return (
    <div className="grid grid-cols-1 gap-2">
      <TimeChart
        title={title}
        kind={kind}
        points={points}
        series={series.map((label, index) => ({
          label,
          className: colors[index] ?? 'text-muted',
          marked: index > 0,
          value: (point: Chart['points'][number]) => point.values[index] ?? null,
        }))}
        thresholds={thresholds}
        formatValue={formatOf(unit)}
        formatTick={formatTime}
        formatTime={formatTime}
        empty="The client reported nothing that this rule reads."
      />
      {omitted > 0 ? (
        <p className="text-xs text-muted">{counted(omitted, 'more point is', 'more points are')} not drawn.</p>
      ) : null}
    </div>
  );
}
