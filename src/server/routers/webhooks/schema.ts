import { z } from 'zod';
import { hasPlainYear } from '@/domain/time/time';
import {
  authenticationSchema,
  authModes,
  deliveryBounds,
  headerNameField,
  headerValueField,
  passwordField,
  settingFields,
  tokenField,
  usernameField,
} from '@/domain/webhooks/settings';
import { isEventPattern } from '@/server/delivery/rules';
import { pageInput, pageInputOf, pageOf } from '@/server/paging';

const id = z.string().max(100);
const count = z.number().int();
const time = z.string().meta({ example: '2026-11-21T18:00:00.000Z' });
const subscriptionId = z.string().meta({ example: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6' });
const projectId = z.string().meta({ example: 'prj_01k9x1j2a6p3r5s7t8v9w0x1y2' });
const deliveryId = z.string().meta({ example: 'whd_01k9xb2d9v3h0k2m4n5p6q7r8s' });
const eventId = z.string().meta({ example: 'evt_01k9xb1c8t2g9j1k3m4n5p6q7r' });
const typeName = z.string().meta({ example: 'tournament.published' });
const secretText = z.string().meta({ example: 'whsec_hGk1Q0m3c8WQyM2fQv7zT5s0bX9nR4uJ6eLwPaYd2oE=' });
const moment = z.iso
  .datetime({ offset: true })
  .refine(hasPlainYear, 'Use a year from 1 to 9999.')
  .meta({ example: '2026-11-21T18:00:00.000Z' });
const ordered = ({ from, to }: { from?: string; to?: string }) => !from || !to || Date.parse(from) < Date.parse(to);
const orderedMessage = { path: ['to'], error: 'must be after `from`' };

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'expired'] as const;

const eventPattern = z
  .string()
  .max(100)
  .refine(isEventPattern, {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not an event type. Use a type of GET /webhooks/event-types, a group such as \`tournament.*\`, or \`*\`.`,
  });

const events = z
  .array(eventPattern)
  .min(1, 'Name at least one event type.')
  .max(100)
  .transform((list) => [...new Set(list)])
  .meta({ description: 'Event types, `group.*` or `*`.', example: ['tournament.*', 'participant.registered'] });

const allowLockout = z
  .boolean()
  .optional()
  .meta({ description: '`false`: refuse an `ipWhitelist` that does not hold your own address, 400.' });

const described = {
  url: settingFields.url.meta({
    description: 'Public https address that receives the events.',
    example: 'https://example.com/hook',
  }),
  signPayload: settingFields.signPayload.meta({
    description: 'Sign beside any other mode; `hmac_signature` always signs.',
  }),
  timeoutMs: settingFields.timeoutMs.meta({
    description: 'Time for one attempt, from name resolution to the last byte.',
  }),
  maxRetries: settingFields.maxRetries.meta({ description: 'Retries after the first attempt.' }),
  retryBaseDelayMs: settingFields.retryBaseDelayMs.meta({ description: 'Delay before the first retry.' }),
  retryBackoffMultiplier: settingFields.retryBackoffMultiplier.meta({
    description: 'Each later delay is this many times the one before.',
  }),
  enableCircuitBreaker: settingFields.enableCircuitBreaker.meta({
    description: 'Hold deliveries back while the receiver keeps failing.',
  }),
  circuitBreakerThreshold: settingFields.circuitBreakerThreshold.meta({
    description: 'Failed attempts in a row that open the breaker.',
  }),
  circuitBreakerTimeoutMs: settingFields.circuitBreakerTimeoutMs.meta({
    description: 'Time after which an open breaker lets one attempt through.',
  }),
  rateLimitConfig: settingFields.rateLimitConfig.nullable().meta({
    description: 'Caps that defer deliveries; `burst` is the most in one second. `null`: none.',
    example: { perMinute: 600, burst: 20 },
  }),
  ipWhitelist: settingFields.ipWhitelist.meta({
    description: 'Addresses or CIDR ranges that requests naming this subscription must come from. Empty: any.',
    example: ['203.0.113.0/24'],
  }),
  filters: settingFields.filters.nullable().meta({
    description: 'What an event must be about, beyond its type. `null`: no filter.',
    example: { conditions: [{ field: 'payload.status', operator: 'eq', value: 'PUBLISHED' }] },
  }),
  healthCheck: settingFields.healthCheck.nullable().meta({
    description: 'A plain GET from time to time. `null`: none.',
    example: { enabled: true, intervalSeconds: 300, expectedStatusCodes: [200, 204] },
  }),
};

export const createSubscriptionInput = z.object({
  url: described.url,
  description: settingFields.description.default(''),
  events,
  authentication: authenticationSchema
    .default({ mode: 'hmac_signature' })
    .meta({ description: 'How your receiver recognises the sender. Credentials are not shown again.' }),
  signPayload: described.signPayload.default(false),
  timeoutMs: described.timeoutMs.default(deliveryBounds.timeoutMs.usual),
  maxRetries: described.maxRetries.default(deliveryBounds.maxRetries.usual),
  retryBaseDelayMs: described.retryBaseDelayMs.default(deliveryBounds.retryBaseDelayMs.usual),
  retryBackoffMultiplier: described.retryBackoffMultiplier.default(deliveryBounds.retryBackoffMultiplier.usual),
  enableCircuitBreaker: described.enableCircuitBreaker.default(true),
  circuitBreakerThreshold: described.circuitBreakerThreshold.default(deliveryBounds.circuitBreakerThreshold.usual),
  circuitBreakerTimeoutMs: described.circuitBreakerTimeoutMs.default(deliveryBounds.circuitBreakerTimeoutMs.usual),
  rateLimitConfig: described.rateLimitConfig.default(null),
  ipWhitelist: described.ipWhitelist.default([]),
  filters: described.filters.default(null),
  healthCheck: described.healthCheck.default(null),
  allowLockout,
});

/** As at creation, but what is left out of the credential stays as it is. */
const authenticationChange = z.discriminatedUnion(
  'mode',
  [
    z.object({ mode: z.literal('hmac_signature') }),
    z.object({ mode: z.literal('bearer_token'), token: tokenField.optional() }),
    z.object({
      mode: z.literal('basic_auth'),
      username: usernameField.optional(),
      password: passwordField.optional(),
    }),
    z.object({
      mode: z.literal('custom_header'),
      headerName: headerNameField.optional(),
      headerValue: headerValueField.optional(),
    }),
    z.object({ mode: z.literal('none') }),
  ],
  { error: `The modes are ${authModes.join(', ')}.` },
);
export type AuthenticationChange = z.infer<typeof authenticationChange>;

export const updateSubscriptionInput = z.object({
  url: described.url.optional(),
  description: settingFields.description.optional(),
  events: events.optional(),
  authentication: authenticationChange
    .optional()
    .meta({ description: 'A credential that is left out stays as it is while the mode stays.' }),
  signPayload: described.signPayload.optional(),
  timeoutMs: described.timeoutMs.optional(),
  maxRetries: described.maxRetries.optional(),
  retryBaseDelayMs: described.retryBaseDelayMs.optional(),
  retryBackoffMultiplier: described.retryBackoffMultiplier.optional(),
  enableCircuitBreaker: described.enableCircuitBreaker.optional(),
  circuitBreakerThreshold: described.circuitBreakerThreshold.optional(),
  circuitBreakerTimeoutMs: described.circuitBreakerTimeoutMs.optional(),
  rateLimitConfig: described.rateLimitConfig.optional(),
  ipWhitelist: described.ipWhitelist.optional(),
  filters: described.filters.optional(),
  healthCheck: described.healthCheck.optional(),
  version: count.optional().meta({ description: 'The `version` you read, where `If-Match` is not sent.' }),
  allowLockout,
});

const outcome = z.object({
  responseStatus: count.nullable().meta({ example: 503 }),
  errorClass: z.string().nullable().meta({ example: 'http_5xx' }),
});

export const subscription = z.object({
  id: subscriptionId,
  projectId,
  url: z.string().meta({ example: 'https://example.com/hook' }),
  description: z.string().meta({ example: 'Scores for the overlay' }),
  events: z.array(z.string()).meta({ example: ['tournament.*', 'participant.registered'] }),
  authentication: z.object({
    mode: z.enum(authModes),
    label: z.string().nullable().meta({ description: "The header's or the user's name; never the credential." }),
  }),
  signPayload: z.boolean(),
  previousSecretUntil: time
    .nullable()
    .meta({ description: 'Requests carry a second signature, by the secret before the last rotation, until then.' }),
  status: z.enum(['active', 'paused', 'disabled']),
  pausedAt: time.nullable(),
  disabledAt: time.nullable(),
  disabledReason: z.string().nullable().meta({ description: '`gone_410`, `only_failures` or `manual`.' }),
  timeoutMs: count,
  maxRetries: count,
  retryBaseDelayMs: count,
  retryBackoffMultiplier: z.number(),
  enableCircuitBreaker: z.boolean(),
  circuitBreakerThreshold: count,
  circuitBreakerTimeoutMs: count,
  breaker: z.object({
    state: z.enum(['closed', 'open', 'half_open']),
    consecutiveFailures: count,
    openedAt: time.nullable(),
    retryAt: time.nullable().meta({ description: 'When one attempt is let through.' }),
  }),
  rateLimitConfig: settingFields.rateLimitConfig.nullable(),
  ipWhitelist: z.array(z.string()),
  filters: settingFields.filters.nullable(),
  healthCheck: settingFields.healthCheck.nullable(),
  health: z.object({
    status: z.enum(['healthy', 'unhealthy']).nullable(),
    checkedAt: time.nullable(),
    detail: z.string().nullable(),
  }),
  holdUntil: time.nullable().meta({ description: 'The receiver asked by `Retry-After` for nothing before this.' }),
  failingSince: time.nullable().meta({ description: 'Nothing but failures since then.' }),
  lastAttemptAt: time.nullable(),
  lastDeliveredAt: time.nullable(),
  lastDelivery: outcome
    .extend({ id: deliveryId, eventType: typeName, status: z.enum(deliveryStatuses), createdAt: time })
    .nullable(),
  lastAttempt: outcome
    .extend({
      deliveryId,
      outcome: z.enum(['succeeded', 'failed', 'unknown']),
      errorMessage: z.string().nullable(),
      startedAt: time,
    })
    .nullable()
    .meta({ description: 'The newest request that is over: why a receiver gets nothing, where it does not.' }),
  version: count,
  createdAt: time,
  updatedAt: time,
});
export const newSubscription = subscription.extend({
  signingSecret: secretText.nullable().meta({ description: 'Only in this answer; null when nothing is signed.' }),
});
export const changedSubscription = subscription.extend({
  signingSecret: secretText.nullable().meta({ description: 'Only where this change made the first one.' }),
});
export const subscriptionPage = pageOf(subscription);
export const listOfProjectInput = pageInput;
export const listSubscriptionsInput = pageInput.extend({
  projectId: id.optional().meta({ description: 'Only this project.' }),
});
export const removedSubscription = z.object({ id: subscriptionId, removed: z.literal(true) });
export const signingSecret = z.object({ signingSecret: secretText });

export const rotateSecretInput = z.object({
  overlapHours: z.number().min(0).max(168).default(24).meta({
    description: 'Hours for which requests carry the signature of the old secret as well; at most seven days.',
  }),
});
export const rotatedSecret = z.object({ signingSecret: secretText, previousSecretUntil: time.nullable() });
export const testSent = z.object({
  deliveryId: deliveryId.meta({ description: 'Read it to see how the test went.' }),
  eventId,
});

export const checkUrlInput = z.object({ url: settingFields.url });
export const urlVerdict = z.object({ problem: z.string().nullable() });

export const eventTypesInput = pageInputOf(100, 100).extend({
  group: z.string().max(40).optional().meta({ description: 'Only this one.', example: 'tournament' }),
});
export const eventType = z.object({
  type: typeName,
  title: z.string().meta({ example: 'Tournament published' }),
  group: z.string().meta({ example: 'tournament' }),
  groupTitle: z.string().meta({ example: 'Tournaments' }),
  description: z.string(),
  planned: z.boolean().meta({ description: 'Not sent yet: the operation behind it does not exist.' }),
  version: count,
  aggregateType: z.string(),
  audience: z.enum(['project', 'user', 'subscription']).meta({
    description:
      'Which subscriptions it goes to: those of its project; for users also those of projects they belong to or registered in; or one alone, whatever it subscribes to.',
  }),
  filters: z.array(z.string()).meta({ description: 'Filters of a subscription that can tell such events apart.' }),
  payloadSchema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `data.payload`.' }),
  example: z.record(z.string(), z.unknown()).meta({ description: 'A whole delivery as it arrives.' }),
});
export const eventTypePage = pageOf(eventType);

const attempt = outcome.extend({
  id: z.string().meta({ example: 'wha_01k9xb3f1x5k2n4p6q7r8s9t0v' }),
  number: count.meta({ description: 'From 1.' }),
  trigger: z.enum(['first', 'retry', 'replay', 'probe']),
  outcome: z.enum(['running', 'succeeded', 'failed', 'unknown']),
  startedAt: time,
  durationMs: count.nullable(),
  errorMessage: z.string().nullable(),
  nextAttemptAt: time.nullable().meta({ description: 'When the attempt after this one was due.' }),
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
  .meta({ description: 'Deliveries of which an attempt ended so.', example: 'http_5xx' });
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

/** Milliseconds of an attempt's parts; null where a part did not take place, as on a connection that was kept. */
export const attemptTimings = z
  .record(z.string(), z.number().nullable())
  .nullable()
  .meta({ description: '`dnsMs, connectMs, tlsMs, firstByteMs, totalMs`; null where that did not take place.' });

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

/** Which deliveries to send again. Without a status: what failed and what expired. */
const replayFields = {
  status: z.enum(replayableStatuses).optional().meta({ description: 'Left out: failed and expired ones.' }),
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
