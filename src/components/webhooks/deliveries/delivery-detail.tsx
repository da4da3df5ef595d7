'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CirclePause, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { Copy } from '@/components/ui/text/copy';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { AttemptDetail } from '@/components/webhooks/deliveries/attempt-detail';
import { AttemptTimeline } from '@/components/webhooks/deliveries/attempt-timeline';
import type { DeliveryDetails } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const refreshMs = 2_000;

const heldReasons = {
  paused: 'The webhook is paused. Resume it to send this delivery.',
  disabled: 'The webhook is disabled. Resume it to send this delivery.',
  breaker:
    'The circuit breaker is open because too many requests failed. This delivery is sent when a probe succeeds or you reset the breaker.',
};

const finalStatuses = ['delivered', 'failed', 'expired'];

function Meta({ delivery }: { delivery: DeliveryDetails }) {
  const { status, nextAttemptAt, completedAt } = delivery;
  return (
    <>
      <span>
        Event <Copy value={delivery.eventId} label="Copy the event ID" />
      </span>
      <span>
        Delivery <Copy value={delivery.id} label="Copy the delivery ID" />
      </span>
      {status === 'pending' && nextAttemptAt ? (
        <span>
          Next attempt in{' '}
          <Countdown to={nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} ended="a moment" />
        </span>
      ) : null}
      {completedAt && finalStatuses.includes(status) ? (
        <span>
          Finished <DateTime value={completedAt} />
        </span>
      ) : (
        <span>
          Expires <DateTime value={delivery.expiresAt} />
        </span>
      )}
      {delivery.replayedAt ? (
        <span>
          Resent manually <DateTime value={delivery.replayedAt} />
        </span>
      ) : null}
    </>
  );
}

/** One delivery: its status, and every attempt in full. Updates live until it is final. */
export function DeliveryDetail({
  id,
  deliveryId,
  url,
  back,
}: {
  id: string;
  deliveryId: string;
  /** The subscription's current URL. */
  url: string;
  back: string;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const delivery = useQuery(
    trpc.webhooks.deliveries.read.queryOptions(
      { id, deliveryId },
      { refetchInterval: (query) => (finalStatuses.includes(query.state.data?.status ?? '') ? false : refreshMs) },
    ),
  );
  const replay = useMutation(
    trpc.webhooks.subscriptions.replay.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        setSelectedId(null);
        toastSuccess('Resending', 'The new attempt appears here.');
        return queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
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
  const attempt = data.attempts.find(({ id: attemptId }) => attemptId === selectedId) ?? data.attempts.at(-1);
  return (
    <>
      <PageHeader
        back={{ href: back, label: 'Deliveries' }}
        title={<span className="font-mono text-xl font-medium sm:text-2xl">{data.eventType}</span>}
        badges={
          <>
            <StatusBadge kind="delivery" status={data.status} />
            {data.isTest ? <Badge>Test</Badge> : null}
          </>
        }
        meta={<Meta delivery={data} />}
        actions={
          data.status === 'held' ? null : (
            <Button
              variant={data.status === 'delivered' ? 'secondary' : 'primary'}
              icon={<RotateCcw aria-hidden />}
              loading={replay.isPending}
              onClick={() => replay.mutate({ id, deliveryId })}
            >
              {data.status === 'pending' ? 'Send now' : 'Resend'}
            </Button>
          )
        }
      />
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {data.status === 'held' && data.heldReason ? (
        <div className="mb-6 flex flex-wrap items-center gap-3 rounded border p-4">
          <CirclePause aria-hidden className="size-5 shrink-0 text-muted" />
          <p className="min-w-0 flex-1 basis-64">{heldReasons[data.heldReason]}</p>
          <ButtonLink href={back}>Open the webhook</ButtonLink>
        </div>
      ) : null}
      {attempt ? (
        <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[17rem_minmax(0,1fr)]">
          <AttemptTimeline delivery={data} selectedId={attempt.id} onSelect={setSelectedId} />
          <AttemptDetail key={attempt.id} attempt={attempt} url={url} />
        </div>
      ) : (
        <p className="text-muted">
          {data.status === 'held' ? 'Nothing has been sent yet.' : 'Waiting for the first attempt.'}
        </p>
      )}
    </>
  );
}
