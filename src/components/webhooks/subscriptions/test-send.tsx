'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, Hourglass, LoaderCircle, Send } from 'lucide-react';
import Link from 'next/link';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { describeOutcome, explainFailure } from '@/components/webhooks/failures';
import { formatDuration } from '@/components/webhooks/format';
import type { DeliveryDetails } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The result of a test delivery so far. */
function Result({ delivery }: { delivery: DeliveryDetails | undefined }) {
  const attempt = delivery?.attempts.at(-1);
  if (!attempt || attempt.outcome === 'running') {
    return (
      <p className="flex items-center gap-2 text-base">
        <LoaderCircle aria-hidden className="size-5 animate-turn text-muted" /> Waiting for the response
      </p>
    );
  }
  if (attempt.outcome === 'succeeded') {
    return (
      <p className="flex items-center gap-2 text-base font-medium text-accent">
        <CircleCheck aria-hidden className="size-5" /> Delivered: {attempt.responseStatus} in{' '}
        {formatDuration(attempt.durationMs)}
      </p>
    );
  }
  const explanation = explainFailure(attempt);
  return (
    <div className="grid gap-2">
      <p className="flex items-center gap-2 text-base font-medium text-danger">
        <CircleX aria-hidden className="size-5 shrink-0" /> Failed: {describeOutcome(attempt)}
      </p>
      {attempt.errorMessage ? <p className="wrap-anywhere">{attempt.errorMessage}</p> : null}
      {explanation ? (
        <p className="text-muted">
          {explanation.cause} {explanation.fix}
        </p>
      ) : null}
      {delivery?.status === 'pending' ? (
        <p className="flex items-center gap-2 text-muted">
          <Hourglass aria-hidden className="size-4" /> Laurel retries it like any other event.
        </p>
      ) : null}
    </div>
  );
}

/** Sends a `webhook.test` event and shows its result when the response is there. */
export function TestDelivery({ id, base, disabled }: { id: string; base: string; disabled: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const send = useMutation(
    trpc.webhooks.subscriptions.test.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() }),
    }),
  );
  const deliveryId = send.data?.deliveryId;
  const delivery = useQuery(
    trpc.webhooks.deliveries.read.queryOptions(
      { id, deliveryId: deliveryId ?? '' },
      {
        enabled: deliveryId !== undefined,
        refetchInterval: ({ state }) => {
          const attempt = state.data?.attempts.at(-1);
          return attempt && attempt.outcome !== 'running' ? false : 400;
        },
      },
    ),
  );
  const error = send.error ? readError(send.error) : null;
  return (
    <>
      <Button
        icon={<Send aria-hidden />}
        loading={send.isPending}
        disabled={disabled}
        onClick={() => send.mutate({ id })}
      >
        Send test
      </Button>
      <Dialog
        open={send.isSuccess || send.isError}
        onOpenChange={(open) => !open && send.reset()}
        title="Test delivery"
        description="A webhook.test event, sent ahead of waiting deliveries."
        footer={
          <>
            <Button onClick={() => send.reset()}>Close</Button>
            {error?.reason === 'INVALID_STATE' ? null : (
              <Button variant="primary" loading={send.isPending} onClick={() => send.mutate({ id })}>
                {error ? 'Try again' : 'Send another'}
              </Button>
            )}
          </>
        }
      >
        <div role="status" className="grid gap-3">
          {error ? (
            <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} />
          ) : (
            <Result delivery={delivery.data} />
          )}
          {deliveryId ? (
            <Link
              href={`${base}/${id}/${deliveryId}`}
              className="justify-self-start text-accent underline underline-offset-4"
            >
              View request and response
            </Link>
          ) : null}
        </div>
      </Dialog>
    </>
  );
}
