import { minute } from '@/domain/time/durations';
import type { AiVerdictFailure } from '@/generated/prisma/enums';
import { parseRetryAfter } from '@/server/delivery/attempts/next-attempt';
import type { RequestResult } from '@/server/delivery/outbound/post';
import { type VerdictAnswer, verdictAnswer } from './schema';

/** What became of one request to the verdict provider. */
export type VerdictResult =
  | { state: 'answered'; answer: VerdictAnswer }
  /** Asking again does not help. */
  | { state: 'failed'; failure: AiVerdictFailure; reason: string }
  /** Asking again may help, after as many milliseconds as it wished; 0: it said nothing. */
  | { state: 'unreachable'; reason: string; retryAfterMs: number };

/** The longest pause before asking again that a response can ask for. */
export const maxPauseMs = 5 * minute;

/** Statuses below 500 that say "not now". */
const notNow = new Set([408, 425, 429]);

function parsed(body: string | null): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

/** Reads the result of a request. The reason is for the operator's log. */
export function readResult(result: RequestResult): VerdictResult {
  const { succeeded, status, errorClass, errorMessage } = result;
  const reason = errorMessage ?? 'unknown';
  if (succeeded) {
    const answer = verdictAnswer.safeParse(parsed(result.body));
    if (answer.success && !result.truncated) return { state: 'answered', answer: answer.data };
    return { state: 'failed', failure: 'invalid_answer', reason: 'The response is no verdict.' };
  }
  const isFinal = errorClass === 'http_3xx' || errorClass === 'http_4xx' || errorClass === 'blocked_address';
  if (isFinal && !notNow.has(status ?? 0)) return { state: 'failed', failure: 'rejected', reason };
  const wished = parseRetryAfter(result.headers?.['retry-after'], new Date());
  return { state: 'unreachable', reason, retryAfterMs: Math.min(wished, maxPauseMs) };
}
