'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Stat, StatRow } from '@/components/ui/data/stat';
import { useQueryParams } from '@/components/ui/navigation/use-query-params';
import { ErrorNote } from '@/components/ui/page/error-state';
import { Skeleton } from '@/components/ui/page/skeleton';
import { FailureList } from '@/components/webhooks/charts/failure-list';
import { RequestsChart, ResponseChart } from '@/components/webhooks/charts/performance-charts';
import { formatDuration, formatRate } from '@/components/webhooks/format';
import { parseTimeRange, timeRangeLabels, timeRanges } from '@/components/webhooks/time-range';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 10_000;

function RangePicker({ value, onChange }: { value: string; onChange: (range: string) => void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Time range</legend>
      {timeRanges.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === value}
          aria-label={timeRangeLabels[range]}
          onClick={() => onChange(range)}
          className="numerals h-8 rounded border border-line-strong px-3 text-sm text-muted hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent max-sm:h-11 max-sm:flex-1"
        >
          {range.replace('h', ' h').replace('d', ' d')}
        </button>
      ))}
    </fieldset>
  );
}

/** Success rates, response times and failures of a webhook over time. */
export function Performance({ id }: { id: string }) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const range = parseTimeRange(params.get('range'));
  const query = useQuery(
    trpc.webhooks.analytics.queryOptions(
      { id, range },
      { refetchInterval: refreshMs, placeholderData: keepPreviousData },
    ),
  );
  const error = query.error ? readError(query.error) : null;
  const { data } = query;
  return (
    <section aria-label="Performance" className="grid grid-cols-1 gap-4">
      <RangePicker value={range} onChange={(next) => setParams({ range: next === '24h' ? null : next })} />
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {data ? (
        <>
          <StatRow>
            <Stat
              label="Delivered"
              value={formatRate(data.deliveries.successRate)}
              hint={`${data.deliveries.delivered.toLocaleString('en')} of ${counted(data.deliveries.total, 'event')}`}
            />
            <Stat
              label="Successful attempts"
              value={formatRate(data.attempts.successRate)}
              hint={`${data.attempts.succeeded.toLocaleString('en')} of ${data.attempts.total.toLocaleString('en')}, including retries`}
            />
            <Stat label="Response time, p50" value={formatDuration(data.responseTime.p50Ms)} hint="Median" />
            <Stat
              label="Response time, p95"
              value={formatDuration(data.responseTime.p95Ms)}
              hint={`p99 ${formatDuration(data.responseTime.p99Ms)}`}
            />
          </StatRow>
          <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
            <RequestsChart points={data.timeline} range={range} />
            <ResponseChart points={data.timeline} range={range} />
          </div>
          <FailureList
            failures={data.failures}
            hrefOf={(errorType) => `?tab=deliveries&error=${errorType}&since=${range}`}
          />
        </>
      ) : (
        <Skeleton className="h-96" />
      )}
    </section>
  );
}
