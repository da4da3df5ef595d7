import { z } from 'zod';
import { filtersSchema } from '@/domain/webhooks/filters';
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
import { isEventPattern } from '@/server/delivery/event-patterns';
import { pageInput, pageOf } from '@/server/paging';
import {
  count,
  deliveryId,
  deliveryStatuses,
  eventId,
  id,
  outcome,
  projectId,
  subscriptionId,
  time,
  typeName,
} from '@/server/routers/webhooks/schema';

const secretText = z.string().meta({ example: 'whsec_hGk1Q0m3c8WQyM2fQv7zT5s0bX9nR4uJ6eLwPaYd2oE=' });
const eventPattern = z
  .string()
  .max(100)
  .refine(isEventPattern, {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not an event type. Use a type from GET /webhooks/event-types, a group such as \`tournament.*\`, or \`*\`.`,
  });

const events = z
  .array(eventPattern)
  .min(1, 'Select at least one event type.')
  .max(100)
  .transform((list) => [...new Set(list)])
  .meta({ description: 'Event types, `group.*` or `*`.', example: ['tournament.*', 'participant.registered'] });

const allowLockout = z
  .boolean()
  .optional()
  .meta({ description: '`false` rejects an `ipWhitelist` without your own address with 400.' });

const described = {
  url: settingFields.url.meta({
    description: 'Public https address that receives the events.',
    example: 'https://example.com/hook',
  }),
  signPayload: settingFields.signPayload.meta({
    description: 'Sign requests in any other mode too; `hmac_signature` always signs.',
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
    description: 'Hold deliveries while the receiver keeps failing.',
  }),
  circuitBreakerThreshold: settingFields.circuitBreakerThreshold.meta({
    description: 'Failed attempts in a row that open the breaker.',
  }),
  circuitBreakerTimeoutMs: settingFields.circuitBreakerTimeoutMs.meta({
    description: 'Time until an open breaker lets one attempt through.',
  }),
  rateLimitConfig: settingFields.rateLimitConfig.nullable().meta({
    description: 'Limits that delay deliveries; `burst` is the most in one second. `null`: none.',
    example: { perMinute: 600, burst: 20 },
  }),
  ipWhitelist: settingFields.ipWhitelist.meta({
    description: 'Addresses or CIDR ranges from which this subscription may be managed. Empty: any.',
    example: ['203.0.113.0/24'],
  }),
  filters: settingFields.filters.nullable().meta({
    description: 'Filters in addition to the event types. `null`: none.',
    example: { conditions: [{ field: 'payload.status', operator: 'eq', value: 'PUBLISHED' }] },
  }),
  healthCheck: settingFields.healthCheck.nullable().meta({
    description: 'A plain GET at an interval. `null`: none.',
    example: { enabled: true, intervalSeconds: 300, expectedStatusCodes: [200, 204] },
  }),
};

export const createSubscriptionInput = z.object({
  url: described.url,
  description: settingFields.description.default(''),
  events,
  authentication: authenticationSchema
    .default({ mode: 'hmac_signature' })
    .meta({ description: 'How your receiver authenticates the sender. Credentials are not shown again.' }),
  signPayload: described.signPayload.default(false),
  timeoutMs: described.timeoutMs.default(deliveryBounds.timeoutMs.default),
  maxRetries: described.maxRetries.default(deliveryBounds.maxRetries.default),
  retryBaseDelayMs: described.retryBaseDelayMs.default(deliveryBounds.retryBaseDelayMs.default),
  retryBackoffMultiplier: described.retryBackoffMultiplier.default(deliveryBounds.retryBackoffMultiplier.default),
  enableCircuitBreaker: described.enableCircuitBreaker.default(true),
  circuitBreakerThreshold: described.circuitBreakerThreshold.default(deliveryBounds.circuitBreakerThreshold.default),
  circuitBreakerTimeoutMs: described.circuitBreakerTimeoutMs.default(deliveryBounds.circuitBreakerTimeoutMs.default),
  rateLimitConfig: described.rateLimitConfig.default(null),
  ipWhitelist: described.ipWhitelist.default([]),
  filters: described.filters.default(null),
  healthCheck: described.healthCheck.default(null),
  allowLockout,
});

/** As at creation, but fields of the credential that are left out keep their value. */
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
    .meta({ description: 'A credential that is left out keeps its value while the mode stays the same.' }),
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
  version: count.optional().meta({ description: 'The `version` that you read, if you do not send `If-Match`.' }),
  allowLockout,
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
    .meta({ description: 'Until then, requests carry a second signature by the previous secret.' }),
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
    retryAt: time.nullable().meta({ description: 'When one attempt will be let through.' }),
  }),
  rateLimitConfig: settingFields.rateLimitConfig.nullable(),
  ipWhitelist: z.array(z.string()),
  filters: filtersSchema.nullable(),
  healthCheck: settingFields.healthCheck.nullable(),
  health: z.object({
    status: z.enum(['healthy', 'unhealthy']).nullable(),
    checkedAt: time.nullable(),
    detail: z.string().nullable(),
  }),
  holdUntil: time
    .nullable()
    .meta({ description: 'Nothing is sent before this: the receiver asked for it by `Retry-After`.' }),
  failingSince: time.nullable().meta({ description: 'Every attempt since then has failed.' }),
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
    .meta({ description: 'The newest attempt that ended. It shows why deliveries fail.' }),
  version: count,
  createdAt: time,
  updatedAt: time,
});
export const newSubscription = subscription.extend({
  signingSecret: secretText.nullable().meta({ description: 'Only in this response; null when nothing is signed.' }),
});
export const changedSubscription = subscription.extend({
  signingSecret: secretText.nullable().meta({ description: 'Only where this change created the first one.' }),
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
    description: 'Hours during which requests also carry a signature by the old secret; at most seven days.',
  }),
});
export const rotatedSecret = z.object({ signingSecret: secretText, previousSecretUntil: time.nullable() });
export const testSent = z.object({
  deliveryId: deliveryId.meta({ description: 'Read it to see the result of the test.' }),
  eventId,
});

export const checkUrlInput = z.object({ url: settingFields.url });
export const urlVerdict = z.object({ problem: z.string().nullable() });
