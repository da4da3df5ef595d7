import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { filtersSchema } from '@/domain/webhooks/filters';
import { retryBounds } from '@/domain/webhooks/retry';

/** Bounds and defaults of the delivery settings, for the form and for the API. */
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

export const urlField = z.string().trim().min(1, 'Enter a URL.').max(2_048, 'Use at most 2,048 characters.');

/**
 * Whether two addresses have the same scheme, host and port, so that a credential that was entered for one may be sent to
 * the other.
 */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => (URL.canParse(url) ? new URL(url).origin : null));
  return a !== null && a === b;
}

export const descriptionField = z.string().trim().max(500, 'Use at most 500 characters.');

/** What an HTTP header can transport unchanged. */
const visibleAscii = /^[\x20-\x7e]+$/;

export const tokenField = z
  .string()
  .trim()
  .min(1, 'Enter the token.')
  .max(4_096, 'Use at most 4,096 characters.')
  .regex(/^[\x21-\x7e]+$/, 'Use ASCII letters, digits and punctuation, without spaces.');
export const usernameField = z
  .string()
  .min(1, 'Enter the user name.')
  .max(255, 'Use at most 255 characters.')
  .regex(/^[^:\p{Cc}]+$/u, 'A user name cannot contain a colon.');
export const passwordField = z
  .string()
  .min(1, 'Enter the password.')
  .max(1_024, 'Use at most 1,024 characters.')
  .regex(/^\P{Cc}+$/u, 'A password cannot contain control characters.');

/** Headers that the sender sets itself, that change how a request is read, or that are unsafe as names in JavaScript. */
const reservedHeaders =
  /^(constructor|prototype|__proto__|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|user-agent|accept|accept-encoding|proxy-.*|webhook-.*|x-webhook-.*)$/i;

export const headerNameField = z
  .string()
  .trim()
  .min(1, 'Enter the name of the header.')
  .max(100, 'Use at most 100 characters.')
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'Use letters, digits and dashes, such as X-Api-Key.')
  .refine((name) => !reservedHeaders.test(name), 'This header is reserved. Choose another name.');
export const headerValueField = z
  .string()
  .trim()
  .min(1, 'Enter the value of the header.')
  .max(4_096, 'Use at most 4,096 characters.')
  .regex(visibleAscii, 'Use ASCII letters, digits and punctuation.');

/** How the receiver authenticates the sender, with what the mode requires. */
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

const limit = (max: number) => whole({ min: 1, max });

/** Limits on the attempts of one subscription; a limit that is not given does not apply. */
export const rateLimitSchema = z.object({
  perMinute: limit(rateBounds.perMinute).optional(),
  perHour: limit(rateBounds.perHour).optional(),
  perDay: limit(rateBounds.perDay).optional(),
  burst: limit(rateBounds.burst).optional(),
});

/** Whether this is an IP address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text) && !/^\d+$/.test(text);
}

export const addressRangeField = z
  .string()
  .trim()
  .max(64)
  .refine(isAddressRange, { error: ({ input }) => `${String(input)} is not an IP address or CIDR range.` });

/** Addresses from which the subscription may be managed; empty: any. */
export const ipWhitelistSchema = z.array(addressRangeField).max(100, 'Use at most 100 addresses.');

export const healthCheckSchema = z.object({
  enabled: z.boolean().default(false),
  url: urlField.optional().meta({ description: 'Checked instead of the URL that receives events.' }),
  intervalSeconds: whole(healthBounds).default(healthBounds.default),
  expectedStatusCodes: z
    .array(whole({ min: 100, max: 599 }))
    .min(1, 'Enter at least one status code.')
    .max(50)
    .default([200]),
});

/**
 * Filters as JSON have at most so many characters: 200 tournaments, 200 users and conditions fit. They are read with every
 * event of their project.
 */
export const maxFiltersLength = 16_384;

/** Every setting of a subscription except `events` and `authentication`, as the API accepts it. */
export const settingFields = {
  url: urlField,
  description: descriptionField,
  signPayload: z.boolean(),
  ...deliveryFields,
  ...breakerFields,
  rateLimitConfig: rateLimitSchema,
  ipWhitelist: ipWhitelistSchema,
  filters: filtersSchema.refine(
    (filters) => JSON.stringify(filters).length <= maxFiltersLength,
    `Filters have at most ${maxFiltersLength.toLocaleString('en')} characters as JSON.`,
  ),
  healthCheck: healthCheckSchema,
};
