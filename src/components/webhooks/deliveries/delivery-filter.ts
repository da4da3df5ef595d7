import { describeErrorClass, errorClasses } from '@/components/webhooks/failures';
import { type TimeRange, timeRangeLabels, timeRanges } from '@/components/webhooks/time-range';

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'expired'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The filter of the delivery list, stored in the query parameters. */
export type DeliveryFilter = {
  status: DeliveryStatus | null;
  type: string | null;
  errorClass: string | null;
  since: TimeRange | null;
};

/** Reads the filter from query parameters. Unknown values are ignored. */
export function parseDeliveryFilter(params: URLSearchParams): DeliveryFilter {
  return {
    status: deliveryStatuses.find((status) => status === params.get('status')) ?? null,
    type: params.get('type') || null,
    errorClass: errorClasses.find((errorClass) => errorClass === params.get('error')) ?? null,
    since: timeRanges.find((range) => range === params.get('since')) ?? null,
  };
}

export function isFiltered(filter: DeliveryFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}

const rangeMs: Record<TimeRange, number> = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
};

/** The filter as API input. `from` is rounded down to a minute, so that the query key changes rarely. */
export function toListInput({ status, type, errorClass, since }: DeliveryFilter, now: number) {
  const from = since ? new Date(Math.floor((now - rangeMs[since]) / 60_000) * 60_000).toISOString() : undefined;
  return {
    ...(status ? { status } : {}),
    ...(type ? { type } : {}),
    ...(errorClass ? { errorClass } : {}),
    ...(from ? { from } : {}),
  };
}

/** The replay filter for the same deliveries; null when they are still waiting and so cannot be resent. */
export function toReplayFilter(filter: DeliveryFilter, now: number) {
  const { status, ...rest } = toListInput(filter, now);
  if (status === 'pending' || status === 'held') return null;
  return { ...rest, ...(status ? { status } : {}) };
}

/** The filter in words: "failed match.completed deliveries with “Response timed out” from the last 24 hours". */
export function describeDeliveryFilter(filter: DeliveryFilter): string {
  return [
    filter.status ?? 'failed and expired',
    filter.type,
    'deliveries',
    filter.errorClass ? `with “${describeErrorClass(filter.errorClass)}”` : null,
    filter.since ? `from the ${timeRangeLabels[filter.since].toLowerCase()}` : null,
  ]
    .filter(Boolean)
    .join(' ');
}
