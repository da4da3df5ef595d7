import { describeError, reasons } from '@/server/errors';
import type { HttpAnswer } from '@/server/http/exchange';
import type { Logger } from '@/server/logger';

const bearerReasons = new Set(['UNAUTHENTICATED', 'INVALID_ACCESS_TOKEN']);

/** The one error body of the REST interface. What was not meant for the caller is logged and not told. */
export function failureAnswer(error: unknown, requestId: string, log: Logger): HttpAnswer {
  const { reason, status, message, issues, retryAfter } = describeError(error);
  if (status === reasons.NOT_READY.status) log.warn({ err: error, requestId }, 'a part cannot be reached');
  else if (status >= 500) log.error({ err: error, requestId }, 'request failed');
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
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
