import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { filtersSchema } from '@/domain/webhooks/filters';
import { retryBounds } from '@/domain/webhooks/retry';

/** Bounds and defaults of the delivery settings, as the interface explains and the server enforces them. */
export const deliveryBounds = {
  timeoutMs: { min: 1_000, max: 120_000, default: 10_000 },
  ...retryBounds,
  circuitBreakerThreshold: { min: 1, max: 1_000, default: 10 },
  circuitBreakerTimeoutMs: { min: 100, max: 86_400_000, default: 60_000 },
} as const;

export const rateBounds = { perMinute: 60_000, perHour: 1_000_000, perDay: 10_000_000, burst: 1_000 } as const;

export const healthBounds = { min: 5, max: 86_400, default: 300 } as const;

export const authModes = ['hmac_signature', 'bearer_token', 'basic_auth', 'custom_header', 'none'] as const;
export type AuthMode = (typeof authModes)[number];

function whole({ min, max }: { min: number; max: number }) {
  const message = `Use a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`;
  return z.number(message).int(message).min(min, message).max(max, message);
}

function real({ min, max }: { min: number; max: number }) {
  const message = `Use a number from ${min} to ${max}.`;
  return z.number(message).min(min, message).max(max, message);
}

export const deliveryFields = {
  timeoutMs: whole(deliveryBounds.timeoutMs),
  maxRetries: whole(deliveryBounds.maxRetries),
  retryBaseDelayMs: whole(deliveryBounds.retryBaseDelayMs),
  retryBackoffMultiplier: real(deliveryBounds.retryBackoffMultiplier),
};

export const breakerFields = {
  enableCircuitBreaker: z.boolean(),
  circuitBreakerThreshold: whole(deliveryBounds.circuitBreakerThreshold),
  circuitBreakerTimeoutMs: whole(deliveryBounds.circuitBreakerTimeoutMs),
};

export const urlField = z
  .string()
  .trim()
  .min(1, 'Enter the URL of the receiver.')
  .max(2_048, 'Use at most 2,048 characters.');
export const descriptionField = z.string().trim().max(500, 'Use at most 500 characters.');

/** What an HTTP header may carry without being cut or refused on the way. */
const visible = /^[\x20-\x7e]+$/;

export const tokenField = z
  .string()
  .trim()
  .min(1, 'Enter the token.')
  .max(4_096, 'Use at most 4,096 characters.')
  .regex(/^[\x21-\x7e]+$/, 'Use letters, digits and signs of ASCII, without spaces.');
export const usernameField = z
  .string()
  .min(1, 'Enter the user name.')
  .max(255, 'Use at most 255 characters.')
  .regex(/^[^:\p{Cc}]+$/u, 'A user name holds no colon.');
export const passwordField = z
  .string()
  .min(1, 'Enter the password.')
  .max(1_024, 'Use at most 1,024 characters.')
  .regex(/^\P{Cc}+$/u, 'A password holds no control characters.');

/** Headers that the sender sets, that would change how the request is read, or that no page could be shown. */
const ownHeaders =
  /^(constructor|prototype|__proto__|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|user-agent|accept|accept-encoding|proxy-.*|webhook-.*|x-webhook-.*)$/i;

export const headerNameField = z
  .string()
  .trim()
  .min(1, 'Enter the name of the header.')
  .max(100, 'Use at most 100 characters.')
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'Use letters, digits and dashes, such as X-Api-Key.')
  .refine((name) => !ownHeaders.test(name), 'This header is set by the sender. Choose another name.');
export const headerValueField = z
  .string()
  .trim()
  .min(1, 'Enter the value of the header.')
  .max(4_096, 'Use at most 4,096 characters.')
  .regex(visible, 'Use letters, digits and signs of ASCII.');

/** How the receiver knows the sender; what a mode needs comes with it. */
export const authenticationSchema = z.discriminatedUnion(
  'mode',
  [
    z.object({ mode: z.literal('hmac_signature') }),
    z.object({ mode: z.literal('bearer_token'), token: tokenField }),
    z.object({ mode: z.literal('basic_auth'), username: usernameField, password: passwordField }),
    z.object({ mode: z.literal('custom_header'), headerName: headerNameField, headerValue: headerValueField }),
    z.object({ mode: z.literal('none') }),
  ],
  { error: `The modes are ${authModes.join(', ')}.` },
);
export type Authentication = z.infer<typeof authenticationSchema>;

const cap = (max: number) => whole({ min: 1, max });

/** Caps on what goes to one receiver; what is not given is not capped. */
export const rateLimitSchema = z.object({
  perMinute: cap(rateBounds.perMinute).optional(),
  perHour: cap(rateBounds.perHour).optional(),
  perDay: cap(rateBounds.perDay).optional(),
  burst: cap(rateBounds.burst).optional(),
});

/** Whether this is an IP address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text) && !/^\d+$/.test(text);
}

export const addressRangeField = z
  .string()
  .trim()
  .max(64)
  .refine(isAddressRange, { error: ({ input }) => `${String(input)} is no IP address or CIDR range.` });

/** Addresses that management requests naming the subscription must come from; empty: any. */
export const ipWhitelistSchema = z.array(addressRangeField).max(100, 'Use at most 100 addresses.');

export const healthCheckSchema = z.object({
  enabled: z.boolean().default(false),
  url: urlField.optional().meta({ description: 'Instead of the URL that receives events.' }),
  intervalSeconds: whole(healthBounds).default(healthBounds.default),
  expectedStatusCodes: z
    .array(whole({ min: 100, max: 599 }))
    .min(1, 'Name at least one status code.')
    .max(50)
    .default([200]),
});

/** Everything that an owner sets on a subscription, as the API takes it, less `events` and `authentication`. */
export const settingFields = {
  url: urlField,
  description: descriptionField,
  signPayload: z.boolean(),
  ...deliveryFields,
  ...breakerFields,
  rateLimitConfig: rateLimitSchema,
  ipWhitelist: ipWhitelistSchema,
  filters: filtersSchema,
  healthCheck: healthCheckSchema,
};
