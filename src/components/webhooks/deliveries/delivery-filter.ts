import { type Range, ranges, rangeWords } from '@/components/webhooks/charts/range';
import { describeErrorClass, errorClasses } from '@/components/webhooks/failures';

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'expired'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What a delivery list shows, as the address names it. */
export type DeliveryFilter = {
  status: DeliveryStatus | null;
  type: string | null;
  errorClass: string | null;
  since: Range | null;
};

/** The filter that an address asks for; what it does not know counts as not asked. */
export function parseDeliveryFilter(params: URLSearchParams): DeliveryFilter {
  return {
    status: deliveryStatuses.find((status) => status === params.get('status')) ?? null,
    type: params.get('type') || null,
    errorClass: errorClasses.find((errorClass) => errorClass === params.get('error')) ?? null,
    since: ranges.find((range) => range === params.get('since')) ?? null,
  };
}

export function isFiltered(filter: DeliveryFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}

const rangeMs: Record<Range, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 };

/** The filter as the API takes it; its start falls on a whole minute, so that it stays the same for a while. */
export function toListInput({ status, type, errorClass, since }: DeliveryFilter, now: number) {
  const from = since ? new Date(Math.floor((now - rangeMs[since]) / 60_000) * 60_000).toISOString() : undefined;
  return {
    ...(status ? { status } : {}),
    ...(type ? { type } : {}),
    ...(errorClass ? { errorClass } : {}),
    ...(from ? { from } : {}),
  };
}

/** What can be sent again of a filter's deliveries; null when they are on their way anyway. */
export function toReplayFilter(filter: DeliveryFilter, now: number) {
  const { status, ...rest } = toListInput(filter, now);
  if (status === 'pending' || status === 'held') return null;
  return { ...rest, ...(status ? { status } : {}) };
}

/** The filter in words, as in "failed deliveries of match.completed in the last 24 hours". */
export function describeDeliveryFilter(filter: DeliveryFilter): string {
  return [
    filter.status ? `${filter.status} deliveries` : 'failed and expired deliveries',
    filter.type ? `of ${filter.type}` : null,
    filter.errorClass ? `of which an attempt ended with “${describeErrorClass(filter.errorClass)}”` : null,
    filter.since ? `of the ${rangeWords[filter.since].toLowerCase()}` : null,
  ]
    .filter(Boolean)
    .join(' ');
}
