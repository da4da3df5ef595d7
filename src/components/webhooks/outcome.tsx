import { CircleDashed } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { RelativeTime } from '@/components/ui/date-time';
import { StatusBadge } from '@/components/ui/status-badge';
import type { Outputs } from '@/trpc/outputs';

export type Subscription = Outputs['webhooks']['subscriptions']['read'];
export type Delivery = Outputs['webhooks']['deliveries']['list']['items'][number];

const words: Record<string, string> = {
  dns_error: 'Name not found',
  connect_refused: 'Connection refused',
  connect_timeout: 'No connection in time',
  tls_error: 'TLS failed',
  reset: 'Connection broke',
  timeout: 'No answer in time',
  invalid_response: 'Not valid HTTP',
  blocked_address: 'Address not public',
  http_3xx: 'Redirected',
  http_4xx: 'Refused',
  http_5xx: 'Receiver failed',
};

/** What came back, in a few words: the status code, the kind of failure, or both. */
export function outcomeWords(outcome: { responseStatus: number | null; errorClass: string | null }): string {
  const failure = outcome.errorClass ? (words[outcome.errorClass] ?? outcome.errorClass) : null;
  return [outcome.responseStatus, failure].filter(Boolean).join(' · ');
}

/** Milliseconds as people read them. */
export function durationWords(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${Number((milliseconds / 1_000).toFixed(1))} s`;
}

/** Whether someone should look at a subscription's newest delivery. */
export function isTroubled(subscription: Subscription): boolean {
  const last = subscription.lastDelivery;
  return last !== null && (last.status === 'failed' || last.status === 'expired' || last.errorClass !== null);
}

/** How a subscription's newest delivery went, and when. */
export function LastDelivery({ last }: { last: Subscription['lastDelivery'] }) {
  if (!last) return <Badge icon={CircleDashed}>Nothing sent yet</Badge>;
  const said = outcomeWords(last);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 sm:flex-nowrap sm:whitespace-nowrap">
      <StatusBadge kind="delivery" status={last.status} />
      {said ? <span className={last.errorClass ? 'text-danger' : 'numerals text-muted'}>{said}</span> : null}
      <RelativeTime value={last.createdAt} className="text-muted" />
    </span>
  );
}
