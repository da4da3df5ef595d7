'use client';

import { type Series, TimeChart } from '@/components/ui/chart/time-chart';
import { useViewerZone } from '@/components/ui/text/date-time';
import { formatDuration } from '@/components/webhooks/format';
import { formatBucket, formatTick, type TimeRange } from '@/components/webhooks/time-range';

/** One bucket of the timeline: how many requests succeeded and failed, and how long the responses took. */
export type TimelinePoint = {
  at: string;
  succeeded: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

const requests: Series<TimelinePoint>[] = [
  { label: 'Succeeded', className: 'text-accent', value: (point) => point.succeeded },
  { label: 'Failed', className: 'text-danger', marked: true, value: (point) => point.failed },
];

const responseTimes: Series<TimelinePoint>[] = [
  { label: 'p50', className: 'text-accent', value: (point) => point.p50Ms },
  { label: 'p95', className: 'text-live', marked: true, value: (point) => point.p95Ms },
];

type ChartProps = { points: TimelinePoint[]; range: TimeRange };

/** Requests over time, failed ones stacked on those that succeeded. */
export function RequestsChart({ points, range }: ChartProps) {
  const zone = useViewerZone();
  return (
    <TimeChart
      title="Requests"
      kind="bars"
      points={points}
      series={requests}
      formatValue={(value) => (value ?? 0).toLocaleString('en')}
      formatTick={(at) => formatTick(at, range, zone)}
      formatTime={(at) => formatBucket(at, zone)}
      empty="No requests in this period."
    />
  );
}

/** Response times over time: the median and the 95th percentile. */
export function ResponseChart({ points, range }: ChartProps) {
  const zone = useViewerZone();
  return (
    <TimeChart
      title="Response time"
      kind="lines"
      points={points}
      series={responseTimes}
      formatValue={formatDuration}
      formatTick={(at) => formatTick(at, range, zone)}
      formatTime={(at) => formatBucket(at, zone)}
      empty="No responses in this period."
    />
  );
}
