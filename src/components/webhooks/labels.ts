import type { Settings } from '@/components/webhooks/form/values';
import type { AuthMode } from '@/domain/webhooks/settings';

export const authModeLabels: Record<AuthMode, string> = {
  hmac_signature: 'Signature (HMAC)',
  bearer_token: 'Bearer token',
  basic_auth: 'Username and password',
  custom_header: 'Custom header',
  none: 'No authentication',
};

/** The name of each setting outside the form, such as in the audit log. */
export const settingLabels: Record<keyof Settings, string> = {
  url: 'URL',
  description: 'Description',
  events: 'Event types',
  signPayload: 'Signature',
  timeoutMs: 'Time limit',
  maxRetries: 'Retries',
  retryBaseDelayMs: 'First delay',
  retryBackoffMultiplier: 'Delay multiplier',
  enableCircuitBreaker: 'Circuit breaker',
  circuitBreakerThreshold: 'Circuit breaker threshold',
  circuitBreakerTimeoutMs: 'Circuit breaker timeout',
  rateLimitConfig: 'Rate limits',
  ipWhitelist: 'IP allowlist',
  filters: 'Filters',
  healthCheck: 'Health check',
};
