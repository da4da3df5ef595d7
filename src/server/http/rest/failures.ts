import { describeError, reasons } from '@/server/errors';
import type { HttpResponse } from '@/server/http/exchange';
import { logger } from '@/server/logger';

const bearerReasons = new Set<string>(['UNAUTHENTICATED', 'INVALID_ACCESS_TOKEN']);

/** The one error body of the REST interface. What is not meant for the caller goes to the log only. */
export function failureResponse(error: unknown, requestId: string): HttpResponse {
  const { reason, status, message, issues, retryAfter, rate } = describeError(error);
  if (status === reasons.NOT_READY.status) logger.warn({ err: error, requestId }, 'a part cannot be reached');
  else if (status >= 500) logger.error({ err: error, requestId }, 'request failed');
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (rate) {
    headers['X-RateLimit-Limit'] = String(rate.limit);
    headers['X-RateLimit-Remaining'] = String(rate.remaining);
    headers['X-RateLimit-Reset'] = String(rate.resetAt);
  }
  if (bearerReasons.has(reason)) headers['WWW-Authenticate'] = 'Bearer realm="Laurel"';
  return {
    status,
    headers,
    body: JSON.stringify({
      success: false,
      data: null,
      message,
      error: { code: reason, message, ...(issues ? { issues } : {}), requestId },
    }),
  };
}
