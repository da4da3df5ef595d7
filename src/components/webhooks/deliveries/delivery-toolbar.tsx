'use client';

import { useQuery } from '@tanstack/react-query';
import { statusLabel } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';
import { toParam, unfiltered } from '@/components/ui/navigation/unfiltered';
import { type DeliveryFilter, deliveryStatuses, isFiltered } from '@/components/webhooks/deliveries/delivery-filter';
import { describeErrorClass, errorClasses } from '@/components/webhooks/failures';
import { timeRangeLabels, timeRanges } from '@/components/webhooks/time-range';
import { useTRPC } from '@/trpc/client';

/** The filters of the delivery list. Every choice goes into the query parameters. */
export function DeliveryToolbar({
  filter,
  onChange,
}: {
  filter: DeliveryFilter;
  /** Called with the query parameters that change; null removes one. */
  onChange: (changes: Record<string, string | null>) => void;
}) {
  const trpc = useTRPC();
  const types = useQuery(
    trpc.webhooks.eventTypes.queryOptions({ limit: 100 }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  return (
    <search className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Select
        aria-label="Status"
        className="sm:w-40"
        value={filter.status ?? unfiltered}
        onValueChange={(value) => onChange({ status: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any status' },
          ...deliveryStatuses.map((value) => ({ value, label: statusLabel('delivery', value) })),
        ]}
      />
      <Select
        aria-label="Event type"
        className="sm:w-56"
        value={filter.type ?? unfiltered}
        onValueChange={(value) => onChange({ type: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any event' },
          ...(types.data?.items ?? []).map(({ type }) => ({ value: type, label: type })),
        ]}
      />
      <Select
        aria-label="Error"
        className="sm:w-48"
        value={filter.errorClass ?? unfiltered}
        onValueChange={(value) => onChange({ error: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any result' },
          ...errorClasses.map((value) => ({ value, label: describeErrorClass(value) })),
        ]}
      />
      <Select
        aria-label="Time"
        className="sm:w-40"
        value={filter.since ?? unfiltered}
        onValueChange={(value) => onChange({ since: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any time' },
          ...timeRanges.map((value) => ({ value, label: timeRangeLabels[value] })),
        ]}
      />
      {isFiltered(filter) ? (
        <Button variant="ghost" onClick={() => onChange({ status: null, type: null, error: null, since: null })}>
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}
