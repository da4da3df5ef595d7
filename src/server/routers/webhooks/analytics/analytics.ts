import { readerOf } from '@/server/context';
import { refuse } from '@/server/errors';
import { attemptStatistics, countDeliveries, successRate } from '@/server/routers/webhooks/analytics/data';
import {
  analyticsInput,
  analyticsOutput,
  type Bucket,
  buckets,
  ranges,
} from '@/server/routers/webhooks/analytics/schema';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';

const maxSpanMs = 31 * 86_400_000;
const maxBuckets = 750;

/** The smallest bucket that makes at most sixty of them: enough for a curve, few enough for a table. */
function defaultBucket(spanMs: number): Bucket {
  const names = Object.keys(buckets) as Bucket[];
  return names.find((name) => spanMs / (buckets[name] * 1000) <= 60) ?? '1d';
}

function spanOf(input: { range: keyof typeof ranges; from?: string; to?: string }, now: Date) {
  const to = input.to ? new Date(input.to) : now;
  const from = input.from ? new Date(input.from) : new Date(to.getTime() - ranges[input.range] * 1000);
  const span = to.getTime() - from.getTime();
  const invalid = (path: string, message: string) => refuse('VALIDATION_FAILED', { issues: [{ path, message }] });
  if (span <= 0) throw invalid('to', 'must be after `from`');
  if (span > maxSpanMs) throw invalid('from', 'A range is at most 31 days.');
  return { from, to, span };
}

export const analytics = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions/{id}/analytics',
      tags: ['Webhooks'],
      summary: 'Analyze a subscription',
      description:
        'Success rate, response times over time, and failures by error type. Deliveries count by when they were made, attempts by when they started. Attempts of tests are excluded.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(analyticsInput)
  .output(analyticsOutput)
  .query(async ({ ctx, input }) => {
    const asker = await readerOf(ctx);
    const { from, to, span } = spanOf(input, new Date());
    const bucket = input.bucket ?? defaultBucket(span);
    if (span / (buckets[bucket] * 1000) > maxBuckets) {
      const message = `This makes more than ${maxBuckets} buckets. Use larger ones or a shorter range.`;
      throw refuse('VALIDATION_FAILED', { issues: [{ path: 'bucket', message }] });
    }
    const [statistics, counts] = await Promise.all([
      attemptStatistics(asker, input.id, from, to, buckets[bucket]),
      countDeliveries(asker, [input.id], from, to),
    ]);
    const { attempts: total, succeeded, failed, unknown, p50Ms, p95Ms, p99Ms } = statistics.overall;
    const deliveries = counts.get(input.id);
    if (!deliveries) throw refuse('INTERNAL');
    return {
      subscriptionId: input.id,
      from: from.toISOString(),
      to: to.toISOString(),
      bucket,
      deliveries,
      attempts: {
        total,
        succeeded,
        failed,
        unknown,
        successRate: successRate({ good: succeeded, bad: failed + unknown }),
      },
      responseTime: { p50Ms, p95Ms, p99Ms },
      timeline: statistics.timeline,
      failures: statistics.failures,
    };
  });
