import { describeOutcome, explainFailure } from '@/components/webhooks/failures';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

/** What waits for a receiver, and what it never got. */
export type Backlog = {
  pending: number;
  held: number;
  /** Failed or expired in the time that is looked at. */
  undelivered: number;
  /** When the oldest that waits was made. */
  oldestAt: string | null;
};

/** What one can do about a problem. */
export type SuggestedFix = 'resume' | 'reset' | 'replay' | 'inspect';

/** How a receiver fares: the worst that is true of it. `until` counts down to what happens next. */
export type Diagnosis = {
  kind: 'disabled' | 'breaker' | 'held' | 'failing' | 'paused' | 'missed' | 'late' | 'unhealthy' | 'fine' | 'new';
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
  'breaker',
  'failing',
  'held',
  'missed',
  'late',
  'paused',
  'unhealthy',
  'new',
  'fine',
];

/** Waiting longer than this is worth a word. */
const delayedAfterMs = 300_000;

const disabledReasons: Record<string, string> = {
  gone_410: 'The receiver answered 410: it says that it is gone for good.',
  only_failures: 'It took nothing for five days, so sending to it was given up.',
  manual: 'It was switched off by hand.',
};

function describeBacklog({ pending, held }: Backlog): string {
  const count = pending + held;
  return count === 0 ? 'Nothing waits for it.' : `${counted(count, 'delivery waits', 'deliveries wait')} for it.`;
}

const noOutcome = { responseStatus: null, errorClass: null };

/** The last failure in words, as the reason of everything that follows from failures. */
function describeLastFailure({ lastAttempt }: DiagnosedSubscription): string | null {
  if (!lastAttempt?.errorClass) return null;
  const explanation = explainFailure(lastAttempt);
  return `Last answer: ${describeOutcome(lastAttempt)}. ${explanation?.cause ?? ''}`.trim();
}

function isFailing(subscription: DiagnosedSubscription): boolean {
  const { lastAttempt, failingSince } = subscription;
  return failingSince !== null || lastAttempt?.outcome === 'failed';
}

/** Judges a subscription. @param now in milliseconds, by the server's clock */
export function diagnose(subscription: DiagnosedSubscription, backlog: Backlog, now: number): Diagnosis {
  const { status, breaker, holdUntil, health } = subscription;
  const replay: SuggestedFix[] = backlog.undelivered > 0 ? ['replay'] : [];
  const inspect: SuggestedFix[] = subscription.lastAttempt ? ['inspect'] : [];
  const plain = { countdown: null, suggestedFixes: [] as SuggestedFix[] };

  if (status === 'disabled') {
    const why = disabledReasons[subscription.disabledReason ?? ''] ?? 'Sending to it was given up.';
    const title = 'Disabled: it gets nothing';
    return {
      kind: 'disabled',
      title,
      explanation: `${why} ${describeBacklog(backlog)}`,
      countdown: null,
      suggestedFixes: ['resume', ...inspect],
    };
  }
  if (status === 'paused') {
    const why = `It was paused by hand. ${describeBacklog(backlog)}`;
    return { ...plain, kind: 'paused', title: 'Paused: events are kept', explanation: why, suggestedFixes: ['resume'] };
  }
  if (breaker.state !== 'closed') {
    const reason = describeLastFailure(subscription) ?? `${breaker.consecutiveFailures} requests in a row failed.`;
    // A receiver that asked to wait is not probed before that is over.
    const probeAt = [breaker.retryAt, holdUntil]
      .filter((at) => at !== null)
      .sort()
      .at(-1);
    const until = probeAt && breaker.state === 'open' ? { at: probeAt, label: 'Probe in' } : null;
    const title =
      breaker.state === 'open'
        ? `Breaker open after ${counted(breaker.consecutiveFailures, 'failure')} in a row`
        : 'Breaker half open: a probe is on its way';
    return {
      kind: 'breaker',
      title,
      explanation: `${reason} ${describeBacklog(backlog)}`,
      countdown: until,
      suggestedFixes: ['reset', ...inspect, ...replay],
    };
  }
  if (holdUntil && Date.parse(holdUntil) > now) {
    const why = `${describeOutcome(subscription.lastAttempt ?? noOutcome) || 'It answered'} with Retry-After. ${describeBacklog(backlog)}`;
    const until = { at: holdUntil, label: 'Sent again in' };
    return {
      kind: 'held',
      title: 'The receiver asked to wait',
      explanation: why,
      countdown: until,
      suggestedFixes: ['reset', ...inspect],
    };
  }
  if (isFailing(subscription)) {
    const why = describeLastFailure(subscription) ?? 'The last delivery failed.';
    const title = 'It does not take its events';
    return {
      ...plain,
      kind: 'failing',
      title,
      explanation: `${why} ${describeBacklog(backlog)}`,
      suggestedFixes: [...inspect, ...replay],
    };
  }
  if (backlog.undelivered > 0) {
    const title = `${counted(backlog.undelivered, 'event')} never arrived`;
    const why = 'It takes events now, but these had used up their retries. Send them again.';
    return { ...plain, kind: 'missed', title, explanation: why, suggestedFixes: ['replay'] };
  }
  if (backlog.oldestAt && now - Date.parse(backlog.oldestAt) > delayedAfterMs) {
    const why = `${describeBacklog(backlog)} Rate caps, or a slow receiver, let them through one after the other.`;
    return { ...plain, kind: 'late', title: 'Events arrive late', explanation: why };
  }
  if (subscription.healthCheck?.enabled && health.status === 'unhealthy') {
    const why = health.detail ?? 'Its health check failed.';
    return { ...plain, kind: 'unhealthy', title: 'Its health check fails', explanation: why };
  }
  if (subscription.lastDelivery === null) {
    return { ...plain, kind: 'new', title: 'Nothing sent yet', explanation: 'Send a test to see that it arrives.' };
  }
  return { ...plain, kind: 'fine', title: 'It gets its events', explanation: 'Every event that was due has arrived.' };
}

/** Whether someone should act. */
export function needsAttention(kind: Diagnosis['kind']): boolean {
  return kind !== 'fine' && kind !== 'new' && kind !== 'paused';
}

/** Order of a list: what needs someone first. */
export function compareByUrgency(a: Diagnosis, b: Diagnosis): number {
  return urgencyOrder.indexOf(a.kind) - urgencyOrder.indexOf(b.kind);
}

type PendingDeliveries = { pending: number; held: number; nextAttemptAt: string | null };

/** When something is sent next, and what it waits for; `at` is null where nothing is. */
export function findNextAttempt(
  { status, breaker, holdUntil }: Pick<DiagnosedSubscription, 'status' | 'breaker' | 'holdUntil'>,
  { pending, held, nextAttemptAt }: PendingDeliveries,
): { at: string | null; hint: string } {
  if (pending + held === 0) return { at: null, hint: 'Nothing is to be sent' };
  if (status !== 'active') return { at: null, hint: 'Nothing goes out until it is resumed' };
  const probing = breaker.state !== 'closed';
  const due = probing ? breaker.retryAt : nextAttemptAt;
  if (due === null) return { at: null, hint: 'It is about to be set' };
  if (holdUntil !== null && Date.parse(holdUntil) > Date.parse(due)) {
    return { at: holdUntil, hint: 'The receiver asked to wait' };
  }
  return {
    at: due,
    hint: probing ? 'The probe; the rest follows if it is taken' : 'Of the delivery that is due first',
  };
}
