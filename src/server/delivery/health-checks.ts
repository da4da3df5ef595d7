import { pool } from '@/server/db';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { type RequestResult, sendRequest } from '@/server/delivery/outbound/post';
import { userAgent } from '@/server/delivery/request/request';

/** Checks that run side by side; time limit of one; no new ones start after the budget. */
const batchSize = 20;
const maxTimeoutMs = 10_000;
const budgetMs = 40_000;

/** Status codes that a check expects where the subscription names none. */
const defaultStatusCodes = [200, 204];

/** A check that this process makes now. */
type DueCheck = { subscriptionId: string; url: string; timeoutMs: number; expected: number[] };

// Claiming a check marks it as made, so that no other process makes it and a crash costs one interval.
const CLAIM = `
  UPDATE webhook_subscription s SET "healthCheckedAt" = now()
  WHERE s.id IN (
    SELECT id FROM webhook_subscription
    WHERE "healthCheck" IS NOT NULL AND status <> 'disabled' AND "healthCheck" -> 'enabled' = 'true'
      AND ("healthCheckedAt" IS NULL OR "healthCheckedAt" + make_interval(secs => ("healthCheck" ->> 'intervalSeconds')::int - 1) <= now())
    ORDER BY "healthCheckedAt" NULLS FIRST LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING s.id AS "subscriptionId", coalesce(s."healthCheck" ->> 'url', s.url) AS url, s."timeoutMs",
    ARRAY(SELECT jsonb_array_elements_text(s."healthCheck" -> 'expectedStatusCodes')::int) AS expected`;

const SAVE = `
  UPDATE webhook_subscription SET "healthStatus" = $2, "healthDetail" = $3, "healthCheckedAt" = now()
  WHERE id = $1 AND "healthCheck" IS NOT NULL`;

/** Whether a complete response had an expected status, with one sentence about it. */
export function evaluateHealth(
  result: Pick<RequestResult, 'status' | 'errorMessage' | 'durationMs'> & { errorClass: string | null },
  expected: readonly number[],
): { status: 'healthy' | 'unhealthy'; detail: string } {
  const { status, errorClass, errorMessage, durationMs } = result;
  const codes = expected.length > 0 ? expected : defaultStatusCodes;
  const complete = status !== null && (errorClass === null || errorClass.startsWith('http_'));
  if (!complete) return { status: 'unhealthy', detail: errorMessage ?? 'No response.' };
  if (codes.includes(status)) return { status: 'healthy', detail: `Responded with ${status} in ${durationMs} ms.` };
  return { status: 'unhealthy', detail: `Responded with ${status}; expected ${codes.join(', ')}.` };
}

async function check({ subscriptionId, url, timeoutMs, expected }: DueCheck): Promise<void> {
  const result = await sendRequest(webhookAgent(), {
    url,
    method: 'GET',
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
    body: null,
    timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
  });
  const { status, detail } = evaluateHealth(result, expected);
  await pool.query(SAVE, [subscriptionId, status, detail]);
}

/**
 * Makes the health checks that are due, in batches, the longest overdue first. What the budget leaves undone waits for the
 * next minute.
 * @returns how many were made
 */
export async function runHealthChecks(): Promise<number> {
  const until = performance.now() + budgetMs;
  let made = 0;
  while (performance.now() < until) {
    const due = (await pool.query<DueCheck>(CLAIM, [batchSize])).rows;
    await Promise.all(due.map(check));
    made += due.length;
    if (due.length < batchSize) break;
  }
  return made;
}
