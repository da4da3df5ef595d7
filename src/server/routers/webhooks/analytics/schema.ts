import { z } from 'zod';
import { pageInput, pageOf } from '@/server/paging';
import { replay } from '@/server/routers/webhooks/deliveries/schema';
import { count, moment, time } from '@/server/routers/webhooks/schema';

const rate = z.number().nullable().meta({ description: 'From 0 to 1; null when there was nothing to count.' });
const milliseconds = z.number().nullable();

/** Ranges by name, in seconds. */
export const ranges = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export type Range = keyof typeof ranges;
const rangeNames = Object.keys(ranges) as [Range, ...Range[]];

/** Buckets by name, in seconds. */
export const buckets = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '6h': 21_600, '1d': 86_400 } as const;
export type Bucket = keyof typeof buckets;
const bucketNames = Object.keys(buckets) as [Bucket, ...Bucket[]];

const range = z.enum(rangeNames).default('24h');

export const analyticsInput = z.object({
  range: range.meta({ description: 'The time before `to`, if `from` is not given.' }),
  from: moment.optional().meta({ description: 'At most 31 days before `to`.' }),
  to: moment.optional().meta({ description: 'Defaults to now.' }),
  bucket: z
    .enum(bucketNames)
    .optional()
    .meta({ description: 'Defaults to a size that fits the range; at most 750 buckets.' }),
});

/** Deliveries made in a span of time, by status. */
const deliveryCounts = z.object({
  total: count,
  delivered: count,
  failed: count,
  expired: count,
  pending: count,
  held: count,
  successRate: rate,
});

const attemptCounts = z.object({
  total: count,
  succeeded: count,
  failed: count,
  unknown: count,
  successRate: rate,
});

const responseTime = z
  .object({ p50Ms: milliseconds, p95Ms: milliseconds, p99Ms: milliseconds })
  .meta({ description: 'Of attempts that got a response, whatever its status.' });

export const analyticsOutput = z.object({
  subscriptionId: z.string(),
  from: time,
  to: time,
  bucket: z.enum(bucketNames),
  deliveries: deliveryCounts,
  attempts: attemptCounts,
  responseTime,
  timeline: z
    .array(
      z.object({
        at: time.meta({ description: 'Start of the bucket.' }),
        attempts: count,
        succeeded: count,
        failed: count,
        p50Ms: milliseconds,
        p95Ms: milliseconds,
      }),
    )
    .meta({ description: 'Every bucket of the range, empty ones included.' }),
  failures: z.array(z.object({ errorType: z.string(), count, lastAt: time })),
});

export const health = z.enum(['healthy', 'degraded', 'failing', 'paused', 'disabled', 'idle']).meta({
  description:
    '`failing`: the breaker is open or nothing is delivered; `degraded`: some attempts or the health check fail; `idle`: nothing was sent in the range.',
});
export type Health = z.infer<typeof health>;

export const dashboardInput = pageInput.extend({ projectId: z.string().max(100).optional(), range });

const backlog = { pending: count, held: count };

export const dashboardOutput = pageOf(
  z.object({
    id: z.string(),
    projectId: z.string(),
    url: z.string(),
    description: z.string(),
    status: z.enum(['active', 'paused', 'disabled']),
    breakerState: z.enum(['closed', 'open', 'half_open']),
    healthCheck: z.enum(['healthy', 'unhealthy']).nullable(),
    health,
    deliveries: deliveryCounts,
    ...backlog,
    lastDeliveredAt: time.nullable(),
    failingSince: time.nullable(),
    oldestAt: time.nullable().meta({ description: 'When the oldest waiting delivery was made.' }),
    timeline: z
      .array(z.object({ at: time, delivered: count, failed: count }))
      .meta({ description: 'The range in 24 steps: the deliveries made in each; expired ones count as failed.' }),
  }),
).extend({
  range: z.enum(rangeNames),
  totals: z.object({
    subscriptions: count,
    active: count,
    paused: count,
    disabled: count,
    breakersOpen: count,
    unhealthy: count,
    ...backlog,
    deliveries: deliveryCounts,
  }),
});

export const insightOutput = z.object({
  now: z.string().meta({ description: "The database's clock, for countdowns." }),
  health,
  backlog: z.object({
    ...backlog,
    oldestPendingAt: time.nullable(),
    oldestHeldAt: time.nullable(),
    oldestAgeSeconds: z.number().nullable(),
    nextAttemptAt: time.nullable(),
  }),
  last24h: deliveryCounts,
  failed: count.meta({ description: 'Deliveries that are `failed` now: those that retry-failed would send again.' }),
  replay: replay.nullable().meta({ description: 'The newest bulk replay.' }),
});

export const ownAddressOutput = z.object({ address: z.string() });
