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

const longestMs = 31 * 86_400_000;
const bucketsAtMost = 750;

/** About sixty buckets: enough for a curve, few enough to read as a table. */
function fittingBucket(spanMs: number): Bucket {
  const names = Object.keys(buckets) as Bucket[];
  return names.find((name) => spanMs / (buckets[name] * 1000) <= 60) ?? '1d';
}

function spanOf(input: { range: keyof typeof ranges; from?: string; to?: string }, now: Date) {
  const to = input.to ? new Date(input.to) : now;
  const from = input.from ? new Date(input.from) : new Date(to.getTime() - ranges[input.range] * 1000);
  const span = to.getTime() - from.getTime();
  const say = (path: string, message: string) => refuse('VALIDATION_FAILED', { issues: [{ path, message }] });
  if (span <= 0) throw say('to', 'must be after `from`');
  if (span > longestMs) throw say('from', 'A range is at most 31 days.');
  return { from, to, span };
}

export const analytics = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions/{id}/analytics',
      tags: ['Webhooks'],
      summary: 'Analyse a subscription',
      description:
        'Success rate, response times over time, and failures by error type. Deliveries count where they were made, attempts where they started; attempts of test sends are left out.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(analyticsInput)
  .output(analyticsOutput)
  .query(async ({ input }) => {
    const { from, to, span } = spanOf(input, new Date());
    const bucket = input.bucket ?? fittingBucket(span);
    if (span / (buckets[bucket] * 1000) > bucketsAtMost) {
      const message = `That are more than ${bucketsAtMost} buckets. Take larger ones, or a shorter range.`;
      throw refuse('VALIDATION_FAILED', { issues: [{ path: 'bucket', message }] });
    }
    const [statistics, counts] = await Promise.all([
      attemptStatistics(input.id, from, to, buckets[bucket]),
      countDeliveries([input.id], from, to),
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
