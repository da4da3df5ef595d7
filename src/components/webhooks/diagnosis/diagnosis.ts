import { describeOutcome, explainFailure } from '@/components/webhooks/failures';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

/** Deliveries of a subscription that are waiting or were not delivered. */
export type Backlog = {
  pending: number;
  held: number;
  /** Failed or expired in the last 24 hours. */
  undelivered: number;
  /** When the oldest waiting delivery was created. */
  oldestAt: string | null;
};

/** What someone can do about a problem. */
export type SuggestedFix = 'resume' | 'reset_breaker' | 'replay' | 'inspect';

/** The most urgent thing that is true of a webhook. `countdown` runs to what happens next. */
export type Diagnosis = {
  kind:
    | 'disabled'
    | 'breaker_open'
    | 'failing'
    | 'retry_after'
    | 'undelivered'
    | 'delayed'
    | 'paused'
    | 'health_check_failing'
    | 'new'
    | 'healthy';
  title: string;
  explanation: string;
  countdown: { at: string; label: string } | null;
  suggestedFixes: SuggestedFix[];
};

type DiagnosedSubscription = Pick<
  Subscription,
  | 'status'
  | 'disabledReason'
  | 'breaker'
  | 'holdUntil'
  | 'health'
  | 'failingSince'
  | 'lastDelivery'
  | 'lastAttempt'
  | 'lastDeliveredAt'
  | 'healthCheck'
>;

const urgencyOrder: Diagnosis['kind'][] = [
  'disabled',
  'breaker_open',
  'failing',
  'retry_after',
  'undelivered',
  'delayed',
  'paused',
  'health_check_failing',
  'new',
  'healthy',
];

/** A delivery that waits longer than this is reported as delayed. */
const delayedAfterMs = 300_000;

const disabledReasons: Record<string, string> = {
  gone_410: 'Your server responded with 410, which means that the endpoint is gone for good.',
  only_failures: 'Every attempt failed for five days, so Laurel stopped sending.',
  manual: 'Someone disabled this webhook.',
};

function describeBacklog({ pending, held }: Backlog): string | null {
  const count = pending + held;
  return count === 0 ? null : `${counted(count, 'delivery is', 'deliveries are')} waiting.`;
}

const joinSentences = (...sentences: (string | null)[]) => sentences.filter(Boolean).join(' ');

const noOutcome = { responseStatus: null, errorClass: null };

function describeLastFailure({ lastAttempt }: DiagnosedSubscription): string | null {
  if (!lastAttempt?.errorClass) return null;
  const explanation = explainFailure(lastAttempt);
  return joinSentences(`Last attempt: ${describeOutcome(lastAttempt)}.`, explanation?.cause ?? null);
}

function isFailing({ lastAttempt, failingSince }: DiagnosedSubscription): boolean {
  return failingSince !== null || lastAttempt?.outcome === 'failed';
}

/** Finds the most urgent problem of a subscription. @param now in milliseconds, by the server's clock */
export function diagnose(subscription: DiagnosedSubscription, backlog: Backlog, now: number): Diagnosis {
  const { status, breaker, holdUntil, health } = subscription;
  const waiting = describeBacklog(backlog);
  const replay: SuggestedFix[] = backlog.undelivered > 0 ? ['replay'] : [];
  const inspect: SuggestedFix[] = subscription.lastAttempt ? ['inspect'] : [];
  const base = { countdown: null, suggestedFixes: [] as SuggestedFix[] };

  if (status === 'disabled') {
    const reason = disabledReasons[subscription.disabledReason ?? ''] ?? 'Laurel stopped sending to this endpoint.';
    return {
      ...base,
      kind: 'disabled',
      title: 'Disabled',
      explanation: joinSentences(reason, waiting),
      suggestedFixes: ['resume', ...inspect],
    };
  }
  if (status === 'paused') {
    const explanation = joinSentences(
      'Someone paused this webhook. Events are kept for 24 hours and sent when you resume.',
      waiting,
    );
    return { ...base, kind: 'paused', title: 'Paused', explanation, suggestedFixes: ['resume'] };
  }
  if (breaker.state !== 'closed') {
    const { consecutiveFailures } = breaker;
    const opened = `Opened after ${counted(consecutiveFailures, 'failure')}${consecutiveFailures > 1 ? ' in a row' : ''}.`;
    // No probe is sent before the time that the server asked for with Retry-After.
    const probeAt = [breaker.retryAt, holdUntil]
      .filter((at) => at !== null)
      .sort()
      .at(-1);
    return {
      kind: 'breaker_open',
      title: breaker.state === 'open' ? 'Circuit breaker open' : 'Circuit breaker half-open: sending a probe',
      explanation: joinSentences(opened, describeLastFailure(subscription), waiting),
      countdown: probeAt && breaker.state === 'open' ? { at: probeAt, label: 'Next probe in' } : null,
      suggestedFixes: ['reset_breaker', ...inspect, ...replay],
    };
  }
  if (holdUntil && Date.parse(holdUntil) > now) {
    const outcome = describeOutcome(subscription.lastAttempt ?? noOutcome);
    return {
      kind: 'retry_after',
      title: 'Your server asked to wait',
      explanation: joinSentences(
        `It responded with ${outcome ? `${outcome} and a` : 'a'} Retry-After header.`,
        waiting,
      ),
      countdown: { at: holdUntil, label: 'Resumes in' },
      suggestedFixes: ['reset_breaker', ...inspect],
    };
  }
  if (isFailing(subscription)) {
    const reason = describeLastFailure(subscription) ?? 'The last delivery failed.';
    return {
      ...base,
      kind: 'failing',
      title: 'Failing',
      explanation: joinSentences(reason, waiting),
      suggestedFixes: [...inspect, ...replay],
    };
  }
  if (backlog.undelivered > 0) {
    const title = `${counted(backlog.undelivered, 'event was', 'events were')} not delivered`;
    const explanation = 'The webhook works again, but these events ran out of retries or time. Resend them.';
    return { ...base, kind: 'undelivered', title, explanation, suggestedFixes: ['replay'] };
  }
  if (backlog.oldestAt && now - Date.parse(backlog.oldestAt) > delayedAfterMs) {
    const explanation = joinSentences(waiting, 'Rate limits or slow responses hold them up.');
    return { ...base, kind: 'delayed', title: 'Delayed', explanation };
  }
  if (subscription.healthCheck?.enabled && health.status === 'unhealthy') {
    const explanation = health.detail ?? 'The last health check failed.';
    return { ...base, kind: 'health_check_failing', title: 'Health check failing', explanation };
  }
  if (subscription.lastDelivery === null) {
    return { ...base, kind: 'new', title: 'No deliveries yet', explanation: 'Send a test to see whether it arrives.' };
  }
  return { ...base, kind: 'healthy', title: 'Healthy', explanation: 'Every event has been delivered.' };
}

/** Whether someone should act. */
export function needsAttention(kind: Diagnosis['kind']): boolean {
  return kind !== 'healthy' && kind !== 'new' && kind !== 'paused';
}

/** Sorts the most urgent first. */
export function compareByUrgency(a: Diagnosis, b: Diagnosis): number {
  return urgencyOrder.indexOf(a.kind) - urgencyOrder.indexOf(b.kind);
}

type WaitingDeliveries = { pending: number; held: number; nextAttemptAt: string | null };

/** When the next request is sent, and a hint about it. `at` is null when none is scheduled. */
export function findNextAttempt(
  { status, breaker, holdUntil }: Pick<DiagnosedSubscription, 'status' | 'breaker' | 'holdUntil'>,
  { pending, held, nextAttemptAt }: WaitingDeliveries,
): { at: string | null; hint: string } {
  if (pending + held === 0) return { at: null, hint: 'Nothing to send' };
  if (status !== 'active') return { at: null, hint: 'Nothing is sent until you resume' };
  const probing = breaker.state !== 'closed';
  const due = probing ? breaker.retryAt : nextAttemptAt;
  if (due === null) return { at: null, hint: 'Being scheduled' };
  if (holdUntil !== null && Date.parse(holdUntil) > Date.parse(due)) {
    return { at: holdUntil, hint: 'Your server asked to wait' };
  }
  return { at: due, hint: probing ? 'A probe. If it succeeds, the rest follow.' : 'Of the delivery that is due first' };
}
