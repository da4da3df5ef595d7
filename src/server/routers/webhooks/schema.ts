import { z } from 'zod';
import { authModes, deliveryBounds, deliveryFields, descriptionField, urlField } from '@/lib/webhook-forms';
import { pageInput, pageInputOf, pageOf } from '@/server/envelope';
import { isEventPattern } from '@/server/routers/webhooks/rules';

const id = z.string().max(100);
const modes = authModes.map((mode) => `\`${mode}\``).join(' and ');

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'expired'] as const;

const eventPattern = z
  .string()
  .max(100)
  .refine(isEventPattern, {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not an event type. Use a type of GET /webhooks/event-types, a group such as \`tournament.*\`, or \`*\`.`,
  });

export const createSubscriptionInput = z.object({
  url: urlField.meta({
    description: 'Public https address that receives the events.',
    example: 'https://example.com/hook',
  }),
  description: descriptionField.default(''),
  events: z
    .array(eventPattern)
    .min(1, 'Name at least one event type.')
    .max(100)
    .transform((list) => [...new Set(list)])
    .meta({ description: 'Event types, `group.*` or `*`.', example: ['tournament.*', 'participant.registered'] }),
  authentication: z
    .object({ mode: z.enum(authModes, { error: `The available modes are ${modes}.` }) })
    .default({ mode: 'hmac_signature' }),
  signPayload: z
    .boolean()
    .default(false)
    .meta({ description: 'Sign beside the mode `none`; `hmac_signature` always signs.' }),
  timeoutMs: deliveryFields.timeoutMs
    .default(deliveryBounds.timeoutMs.usual)
    .meta({ description: 'Time for one attempt, from name resolution to the last byte.' }),
  maxRetries: deliveryFields.maxRetries
    .default(deliveryBounds.maxRetries.usual)
    .meta({ description: 'Retries after the first attempt.' }),
  retryBaseDelayMs: deliveryFields.retryBaseDelayMs
    .default(deliveryBounds.retryBaseDelayMs.usual)
    .meta({ description: 'Delay before the first retry.' }),
  retryBackoffMultiplier: deliveryFields.retryBackoffMultiplier
    .default(deliveryBounds.retryBackoffMultiplier.usual)
    .meta({ description: 'Each later delay is this many times the one before.' }),
});

const outcome = z.object({
  responseStatus: z.number().int().nullable(),
  errorClass: z.string().nullable(),
});

export const subscription = z.object({
  id: z.string(),
  projectId: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  authentication: z.object({ mode: z.enum(['none', 'hmac_signature', 'bearer_token', 'basic_auth', 'custom_header']) }),
  signPayload: z.boolean(),
  status: z.enum(['active', 'paused', 'disabled']),
  timeoutMs: z.number().int(),
  maxRetries: z.number().int(),
  retryBaseDelayMs: z.number().int(),
  retryBackoffMultiplier: z.number(),
  lastDelivery: outcome
    .extend({ id: z.string(), eventType: z.string(), status: z.enum(deliveryStatuses), createdAt: z.string() })
    .nullable(),
  version: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export const newSubscription = subscription.extend({
  signingSecret: z.string().nullable().meta({ description: 'Only in this answer; null when nothing is signed.' }),
});
export const subscriptionPage = pageOf(subscription);
export const listOfProjectInput = pageInput;
export const listSubscriptionsInput = pageInput.extend({ projectId: id.optional() });
export const removedSubscription = z.object({ id: z.string(), removed: z.literal(true) });
export const signingSecret = z.object({ signingSecret: z.string() });

export const checkUrlInput = z.object({ url: urlField });
export const urlVerdict = z.object({ problem: z.string().nullable() });

export const eventTypesInput = pageInputOf(100, 100).extend({ group: z.string().max(40).optional() });
export const eventType = z.object({
  type: z.string(),
  group: z.string(),
  description: z.string(),
  version: z.number().int(),
  aggregateType: z.string(),
  filters: z.array(z.string()).meta({ description: 'Filters of a subscription that can tell such events apart.' }),
  payloadSchema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `data.payload`.' }),
  example: z.record(z.string(), z.unknown()).meta({ description: 'A whole delivery as it arrives.' }),
});
export const eventTypePage = pageOf(eventType);

const attempt = outcome.extend({
  id: z.string(),
  number: z.number().int().meta({ description: 'From 1.' }),
  outcome: z.enum(['running', 'succeeded', 'failed', 'unknown']),
  startedAt: z.string(),
  durationMs: z.number().int().nullable(),
  errorMessage: z.string().nullable(),
});

export const delivery = outcome.extend({
  id: z.string(),
  subscriptionId: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  status: z.enum(deliveryStatuses),
  attemptCount: z.number().int(),
  durationMs: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Of the newest attempt, as are the response status and error.' }),
  nextAttemptAt: z.string().nullable(),
  expiresAt: z.string().meta({ description: 'No attempt starts after this.' }),
  completedAt: z.string().nullable(),
  createdAt: z.string(),
  attempts: z.array(attempt),
});
export const listDeliveriesInput = pageInput.extend({ status: z.enum(deliveryStatuses).optional() });
export const deliveryPage = pageOf(delivery);

export const deliveryInput = z.object({ deliveryId: id });
export const deliveryDetail = delivery.extend({
  attempts: z.array(
    attempt.extend({
      requestHeaders: z.record(z.string(), z.unknown()),
      requestBody: z.string(),
      responseHeaders: z.record(z.string(), z.unknown()).nullable(),
      responseBody: z.string().nullable(),
      responseTruncated: z.boolean(),
      peerAddress: z.string().nullable(),
    }),
  ),
});
