import { z } from 'zod';
import { pageInput, pageOf } from '@/server/paging';
import {
  count,
  deliveryId,
  deliveryStatuses,
  eventId,
  id,
  moment,
  ordered,
  orderedMessage,
  outcome,
  subscriptionId,
  time,
  typeName,
} from '@/server/routers/webhooks/schema';

const attempt = outcome.extend({
  id: z.string().meta({ example: 'wha_01k9xb3f1x5k2n4p6q7r8s9t0v' }),
  number: count.meta({ description: 'From 1.' }),
  trigger: z.enum(['first', 'retry', 'replay', 'probe']),
  outcome: z.enum(['running', 'succeeded', 'failed', 'unknown']),
  startedAt: time,
  durationMs: count.nullable(),
  errorMessage: z.string().nullable(),
  nextAttemptAt: time.nullable().meta({ description: 'When the next attempt was due.' }),
});

export const delivery = outcome.extend({
  id: deliveryId,
  subscriptionId,
  eventId,
  eventType: typeName,
  status: z.enum(deliveryStatuses),
  heldReason: z.enum(['paused', 'disabled', 'breaker']).nullable(),
  isTest: z.boolean(),
  attemptCount: count,
  durationMs: count.nullable().meta({ description: 'Of the newest attempt, as are the response status and error.' }),
  nextAttemptAt: time.nullable(),
  expiresAt: time.meta({ description: 'No attempt starts after this.' }),
  completedAt: time.nullable(),
  replayCount: count,
  replayedAt: time.nullable(),
  createdAt: time,
  attempts: z.array(attempt),
});
const errorClass = z
  .string()
  .max(60)
  .optional()
  .meta({ description: 'Deliveries with an attempt that ended with this error.', example: 'http_5xx' });
export const listDeliveriesInput = pageInput
  .extend({
    status: z.enum(deliveryStatuses).optional(),
    type: z.string().max(100).optional().meta({ description: 'An event type.', example: 'tournament.published' }),
    errorClass,
    from: moment.optional().meta({ description: 'Made at this time or later.' }),
    to: moment.optional().meta({ description: 'Made before this time.' }),
  })
  .refine(ordered, orderedMessage);
export const deliveryPage = pageOf(delivery);

/** Milliseconds of an attempt's parts; null for a part that was not necessary, as with a reused connection. */
export const attemptTimings = z
  .record(z.string(), z.number().nullable())
  .nullable()
  .meta({ description: '`dnsMs, connectMs, tlsMs, firstByteMs, totalMs`; null for a part that was not necessary.' });

export const deliveryInput = z.object({ deliveryId: id.meta({ example: 'whd_01k9xb2d9v3h0k2m4n5p6q7r8s' }) });
export const deliveryDetail = delivery.extend({
  attempts: z.array(
    attempt.extend({
      requestHeaders: z.record(z.string(), z.unknown()).meta({ description: 'As sent; credentials are masked.' }),
      requestBody: z.string(),
      responseHeaders: z.record(z.string(), z.unknown()).nullable(),
      responseBody: z.string().nullable(),
      responseTruncated: z.boolean(),
      peerAddress: z.string().nullable(),
      timings: attemptTimings,
    }),
  ),
});

export const deliverySummary = z.object({
  id: deliveryId,
  status: z.enum(deliveryStatuses),
  replayCount: count,
  attemptCount: count,
});

export const replayableStatuses = ['failed', 'expired', 'delivered', 'held'] as const;

/** Which deliveries to send again; failed and expired ones unless a status is given. */
const replayFields = {
  status: z.enum(replayableStatuses).optional().meta({ description: 'Defaults to failed and expired ones.' }),
  type: z.string().max(100).optional().meta({ description: 'An event type.' }),
  errorClass,
  from: moment.optional().meta({ description: 'Deliveries made at this time or later.' }),
  to: moment.optional().meta({ description: 'Deliveries made before this time.' }),
};
export const replayPreviewInput = z.object(replayFields).refine(ordered, orderedMessage);
export const replayEstimate = z.object({ total: count.meta({ description: 'Deliveries that would be sent again.' }) });
export const replayManyInput = z
  .object({
    ...replayFields,
    deliveryIds: z.array(id).min(1).max(500).optional().meta({ description: 'Only these, at most 500.' }),
  })
  .refine(ordered, orderedMessage);
export const replay = z.object({
  id: z.string().meta({ example: 'whr_01k9xc3e0w4j1m3n5p6q7r8s9t' }),
  subscriptionId,
  filter: z.record(z.string(), z.unknown()),
  total: count,
  done: count,
  createdAt: time,
  finishedAt: time.nullable(),
});
export const replayInput = z.object({ replayId: id.meta({ example: 'whr_01k9xc3e0w4j1m3n5p6q7r8s9t' }) });
export const replayPage = pageOf(replay);
export const listReplaysInput = pageInput;
export const retriedFailed = z.object({ requeued: count });
