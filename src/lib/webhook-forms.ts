import { z } from 'zod';

/** Bounds and defaults of the delivery settings, as the interface explains and the server enforces them. */
export const deliveryBounds = {
  timeoutMs: { min: 1_000, max: 120_000, usual: 10_000 },
  maxRetries: { min: 0, max: 10, usual: 6 },
  retryBaseDelayMs: { min: 1_000, max: 60_000, usual: 5_000 },
  retryBackoffMultiplier: { min: 1, max: 10, usual: 4 },
} as const;

/** Authentication modes that a subscription can have. */
export const authModes = ['none', 'hmac_signature'] as const;
export type AuthMode = (typeof authModes)[number];

function whole({ min, max }: { min: number; max: number }) {
  const message = `Use a whole number from ${min} to ${max}.`;
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

export const urlField = z
  .string()
  .trim()
  .min(1, 'Enter the URL of the receiver.')
  .max(2_048, 'Use at most 2,048 characters.');
export const descriptionField = z.string().trim().max(500, 'Use at most 500 characters.');

export const webhookForm = z.object({
  url: urlField,
  description: descriptionField,
  events: z.array(z.string()).min(1, 'Choose at least one event.'),
  mode: z.enum(authModes),
  ...deliveryFields,
});
export type WebhookForm = z.infer<typeof webhookForm>;

/** Seconds after the event at which each attempt is made when every one fails at once, without jitter; the 24-hour window cuts it. */
export function retrySchedule(policy: {
  maxRetries: number;
  retryBaseDelayMs: number;
  retryBackoffMultiplier: number;
}): number[] {
  const times = [0];
  let at = 0;
  for (let retry = 1; retry <= policy.maxRetries; retry += 1) {
    at += (policy.retryBaseDelayMs / 1000) * policy.retryBackoffMultiplier ** (retry - 1);
    if (at >= 86_400) break;
    times.push(Math.round(at));
  }
  return times;
}
