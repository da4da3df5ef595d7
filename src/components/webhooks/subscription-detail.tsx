'use client';

import { useQuery } from '@tanstack/react-query';
import { Card, Facts } from '@/components/ui/card';
import { Copy } from '@/components/ui/copy';
import { DateTime } from '@/components/ui/date-time';
import { ErrorNote } from '@/components/ui/error-state';
import { PageHeader } from '@/components/ui/page-header';
import { SkeletonText } from '@/components/ui/skeleton';
import { StatusBadge } from '@/components/ui/status-badge';
import { Tabs } from '@/components/ui/tabs';
import { DeleteSubscription } from '@/components/webhooks/delete-subscription';
import { DeliveryList } from '@/components/webhooks/delivery-list';
import { durationWords, LastDelivery, type Subscription } from '@/components/webhooks/outcome';
import { RevealSecret } from '@/components/webhooks/reveal-secret';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 2_000;

function Settings({ subscription }: { subscription: Subscription }) {
  const { events, maxRetries, retryBaseDelayMs, retryBackoffMultiplier } = subscription;
  return (
    <Card className="max-w-2xl">
      <Facts
        items={[
          {
            label: 'Events',
            value: (
              <span className="font-mono text-xs font-normal wrap-anywhere">
                {events.includes('*') ? 'everything' : events.join(', ')}
              </span>
            ),
          },
          { label: 'Requests are', value: subscription.signPayload ? 'signed' : 'not signed' },
          { label: 'Time limit', value: durationWords(subscription.timeoutMs) },
          {
            label: 'Retries',
            value:
              maxRetries === 0
                ? 'none'
                : `${maxRetries}, first after ${durationWords(retryBaseDelayMs)}, then × ${retryBackoffMultiplier}`,
          },
          { label: 'Made', value: <DateTime value={subscription.createdAt} style="date" /> },
          { label: 'Id', value: <Copy value={subscription.id} label="Copy the webhook's id" /> },
        ]}
      />
    </Card>
  );
}

/** One receiver: whether it gets its events, and all that was sent to it. */
export function SubscriptionDetail({ id, base }: { id: string; base: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.webhooks.subscriptions.read.queryOptions({ id }, { refetchInterval: refreshMs }));
  const error = query.error ? readError(query.error) : null;
  const { data } = query;
  if (!data) {
    return (
      <>
        <PageHeader back={{ href: base, label: 'Webhooks' }} title="Webhook" />
        {error ? (
          <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        back={{ href: base, label: 'Webhooks' }}
        title={data.description || <span className="text-xl sm:text-2xl">{data.url}</span>}
        badges={<StatusBadge kind="subscription" status={data.status} />}
        description={data.description ? <Copy value={data.url} label="Copy the URL" /> : null}
        meta={<LastDelivery last={data.lastDelivery} />}
        actions={
          <>
            {data.signPayload ? <RevealSecret id={id} /> : null}
            <DeleteSubscription id={id} url={data.url} base={base} />
          </>
        }
      />
      <Tabs
        label="Parts of the webhook"
        items={[
          { value: 'deliveries', label: 'Deliveries', content: <DeliveryList id={id} base={`${base}/${id}`} /> },
          { value: 'settings', label: 'Settings', content: <Settings subscription={data} /> },
        ]}
      />
    </>
  );
}
