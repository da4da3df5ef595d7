import { explain, outcomeWords } from '@/components/webhooks/failures';
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
export type Remedy = 'resume' | 'reset' | 'replay' | 'inspect';

/** How a receiver fares: the worst that is true of it. `until` counts down to what happens next. */
export type Verdict = {
  kind: 'disabled' | 'breaker' | 'held' | 'failing' | 'paused' | 'missed' | 'late' | 'unhealthy' | 'fine' | 'new';
  title: string;
  why: string;
  until: { at: string; label: string } | null;
  remedies: Remedy[];
};

type Judged = Pick<
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

const ranks: Verdict['kind'][] = [
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
const lateMs = 300_000;

const disabledWhy: Record<string, string> = {
  gone_410: 'The receiver answered 410: it says that it is gone for good.',
  only_failures: 'It took nothing for five days, so sending to it was given up.',
  manual: 'It was switched off by hand.',
};

function waiting({ pending, held }: Backlog): string {
  const count = pending + held;
  return count === 0 ? 'Nothing waits for it.' : `${counted(count, 'delivery waits', 'deliveries wait')} for it.`;
}

const none = { responseStatus: null, errorClass: null };

/** The last failure in words, as the reason of everything that follows from failures. */
function lastFailure({ lastAttempt }: Judged): string | null {
  if (!lastAttempt?.errorClass) return null;
  const explanation = explain(lastAttempt);
  return `Last answer: ${outcomeWords(lastAttempt)}. ${explanation?.why ?? ''}`.trim();
}

function failing(subscription: Judged): boolean {
  const { lastAttempt, failingSince } = subscription;
  return failingSince !== null || lastAttempt?.outcome === 'failed';
}

/** Judges a subscription. @param now in milliseconds, by the server's clock */
export function judge(subscription: Judged, backlog: Backlog, now: number): Verdict {
  const { status, breaker, holdUntil, health } = subscription;
  const replay: Remedy[] = backlog.undelivered > 0 ? ['replay'] : [];
  const inspect: Remedy[] = subscription.lastAttempt ? ['inspect'] : [];
  const plain = { until: null, remedies: [] as Remedy[] };

  if (status === 'disabled') {
    const why = disabledWhy[subscription.disabledReason ?? ''] ?? 'Sending to it was given up.';
    const title = 'Disabled: it gets nothing';
    return {
      kind: 'disabled',
      title,
      why: `${why} ${waiting(backlog)}`,
      until: null,
      remedies: ['resume', ...inspect],
    };
  }
  if (status === 'paused') {
    const why = `It was paused by hand. ${waiting(backlog)}`;
    return { ...plain, kind: 'paused', title: 'Paused: events are kept', why, remedies: ['resume'] };
  }
  if (breaker.state !== 'closed') {
    const reason = lastFailure(subscription) ?? `${breaker.consecutiveFailures} requests in a row failed.`;
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
      why: `${reason} ${waiting(backlog)}`,
      until,
      remedies: ['reset', ...inspect, ...replay],
    };
  }
  if (holdUntil && Date.parse(holdUntil) > now) {
    const why = `${outcomeWords(subscription.lastAttempt ?? none) || 'It answered'} with Retry-After. ${waiting(backlog)}`;
    const until = { at: holdUntil, label: 'Sent again in' };
    return { kind: 'held', title: 'The receiver asked to wait', why, until, remedies: ['reset', ...inspect] };
  }
  if (failing(subscription)) {
    const why = lastFailure(subscription) ?? 'The last delivery failed.';
    const title = 'It does not take its events';
    return { ...plain, kind: 'failing', title, why: `${why} ${waiting(backlog)}`, remedies: [...inspect, ...replay] };
  }
  if (backlog.undelivered > 0) {
    const title = `${counted(backlog.undelivered, 'event')} never arrived`;
    const why = 'It takes events now, but these had used up their retries. Send them again.';
    return { ...plain, kind: 'missed', title, why, remedies: ['replay'] };
  }
  if (backlog.oldestAt && now - Date.parse(backlog.oldestAt) > lateMs) {
    const why = `${waiting(backlog)} Rate caps, or a slow receiver, let them through one after the other.`;
    return { ...plain, kind: 'late', title: 'Events arrive late', why };
  }
  if (subscription.healthCheck?.enabled && health.status === 'unhealthy') {
    const why = health.detail ?? 'Its health check failed.';
    return { ...plain, kind: 'unhealthy', title: 'Its health check fails', why };
  }
  if (subscription.lastDelivery === null) {
    return { ...plain, kind: 'new', title: 'Nothing sent yet', why: 'Send a test to see that it arrives.' };
  }
  return { ...plain, kind: 'fine', title: 'It gets its events', why: 'Every event that was due has arrived.' };
}

/** Whether someone should act. */
export function isTroubled(kind: Verdict['kind']): boolean {
  return kind !== 'fine' && kind !== 'new' && kind !== 'paused';
}

/** Order of a list: what needs someone first. */
export function byUrgency(a: Verdict, b: Verdict): number {
  return ranks.indexOf(a.kind) - ranks.indexOf(b.kind);
}

type Waiting = { pending: number; held: number; nextAttemptAt: string | null };

/** When something is sent next, and what it waits for; `at` is null where nothing is. */
export function nextSend(
  { status, breaker, holdUntil }: Pick<Judged, 'status' | 'breaker' | 'holdUntil'>,
  { pending, held, nextAttemptAt }: Waiting,
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
