/** A subscription's queue as the database sees it. Times are milliseconds from now; past ones are negative. */
export type QueueState = {
  /** Why nothing is sent; null: it is. */
  holdReason: 'paused' | 'disabled' | 'breaker' | null;
  /** Until a probe may be sent; null while the breaker is closed. */
  probeInMs: number | null;
  /** Until the end of a Retry-After; null without one. */
  holdInMs: number | null;
  /** Until the rate limits allow another attempt. */
  rateLimitInMs: number;
  /** Until the first pending delivery is due; null when none is pending. */
  pendingInMs: number | null;
  /** Until the first held delivery that has not expired is due; null when none is held. */
  heldInMs: number | null;
  /** Whether a delivery is pending that no process has a request under way for. */
  hasUnclaimed: boolean;
};

/**
 * Milliseconds until the queue must be run again; null: not before a new delivery arrives or its owner acts. A paused or
 * disabled subscription waits for its owner, an open breaker for its probe.
 */
export function msUntilNextRun(queue: QueueState): number | null {
  const blockedMs = Math.max(queue.holdInMs ?? 0, queue.rateLimitInMs);
  const [firstInMs] = [queue.pendingInMs, queue.heldInMs].filter((inMs) => inMs !== null).sort((a, b) => a - b);
  if (firstInMs === undefined) return null;
  if (queue.holdReason === null) return Math.max(firstInMs, blockedMs);
  if (queue.holdReason !== 'breaker') return null;
  return Math.max(queue.probeInMs ?? 0, blockedMs);
}

/** What to do with a queue now: send what is due, send one probe, or wait. */
export function nextAction(queue: QueueState): 'send' | 'probe' | 'wait' {
  const inMs = msUntilNextRun(queue);
  if (inMs === null || inMs > 0) return 'wait';
  return queue.holdReason === null ? 'send' : 'probe';
}

/**
 * What an open breaker keeps pending no longer than this keeps its status: one that opens and closes all the time would have
 * a long queue written each time.
 */
const briefMs = 2_000;

/**
 * Whether deliveries are to get another status before the next run: they are pending though something holds them, or held
 * though nothing does. What can be sent now is claimed as it is.
 */
export function needsReconciling(queue: QueueState): boolean {
  const isBrief = queue.holdReason === 'breaker' && (msUntilNextRun(queue) ?? 0) <= briefMs;
  if (queue.holdReason !== null) return queue.hasUnclaimed && !isBrief;
  return queue.heldInMs !== null && nextAction(queue) === 'wait';
}

/** Failures in a row from which a subscription's requests use the slots of slow receivers, so that they delay no others. */
export const failingFrom = 3;
