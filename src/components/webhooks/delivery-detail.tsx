'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Copy } from '@/components/ui/copy';
import { Countdown } from '@/components/ui/countdown';
import { DateTime } from '@/components/ui/date-time';
import { ErrorNote } from '@/components/ui/error-state';
import { PageHeader } from '@/components/ui/page-header';
import { SkeletonText } from '@/components/ui/skeleton';
import { StatusBadge } from '@/components/ui/status-badge';
import { Tabs } from '@/components/ui/tabs';
import { AttemptView } from '@/components/webhooks/attempt-view';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 2_000;

/** One delivery with all its attempts; follows along until it is settled. */
export function DeliveryDetail({ id, deliveryId, back }: { id: string; deliveryId: string; back: string }) {
  const trpc = useTRPC();
  const [chosen, setChosen] = useState<string | null>(null);
  const delivery = useQuery(
    trpc.webhooks.deliveries.read.queryOptions(
      { id, deliveryId },
      { refetchInterval: (query) => (query.state.data?.status === 'pending' ? refreshMs : false) },
    ),
  );
  const error = delivery.error ? readError(delivery.error) : null;
  const { data } = delivery;
  if (!data) {
    return (
      <>
        <PageHeader back={{ href: back, label: 'Deliveries' }} title="Delivery" />
        {error ? (
          <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </>
    );
  }
  const newest = data.attempts.at(-1)?.id;
  return (
    <>
      <PageHeader
        back={{ href: back, label: 'Deliveries' }}
        title={<span className="font-mono text-xl font-medium sm:text-2xl">{data.eventType}</span>}
        badges={<StatusBadge kind="delivery" status={data.status} />}
        meta={
          <>
            <span>
              Event <Copy value={data.eventId} label="Copy the event's id" />
            </span>
            {data.status === 'pending' && data.nextAttemptAt ? (
              <span>
                Next attempt in <Countdown to={data.nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} />
              </span>
            ) : null}
            {data.completedAt ? (
              <span>
                Settled <DateTime value={data.completedAt} />
              </span>
            ) : (
              <span>
                Expires <DateTime value={data.expiresAt} />
              </span>
            )}
          </>
        }
      />
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {data.attempts.length === 0 ? <p className="text-muted">It waits for its first attempt.</p> : null}
      {data.attempts.length === 1 && data.attempts[0] ? <AttemptView attempt={data.attempts[0]} /> : null}
      {data.attempts.length > 1 ? (
        <Tabs
          label="Attempts"
          value={chosen ?? newest}
          onValueChange={(value) => setChosen(value === newest ? null : value)}
          items={data.attempts.map((attempt) => ({
            value: attempt.id,
            label: `Attempt ${attempt.number}`,
            content: <AttemptView attempt={attempt} />,
          }))}
        />
      ) : null}
    </>
  );
}
