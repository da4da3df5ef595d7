'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, Hourglass, LoaderCircle, Send } from 'lucide-react';
import Link from 'next/link';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { describeOutcome, explainFailure, formatDuration } from '@/components/webhooks/failures';
import type { DeliveryDetails } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** What is known of a test so far. */
function Result({ delivery }: { delivery: DeliveryDetails | undefined }) {
  const attempt = delivery?.attempts.at(-1);
  if (!attempt || attempt.outcome === 'running') {
    return (
      <p className="flex items-center gap-2 text-base">
        <LoaderCircle aria-hidden className="size-5 animate-turn text-muted" /> Waiting for the answer
      </p>
    );
  }
  if (attempt.outcome === 'succeeded') {
    return (
      <p className="flex items-center gap-2 text-base font-medium text-accent">
        <CircleCheck aria-hidden className="size-5" /> It arrived: {attempt.responseStatus} in{' '}
        {formatDuration(attempt.durationMs)}
      </p>
    );
  }
  const explanation = explainFailure(attempt);
  return (
    <div className="grid gap-2">
      <p className="flex items-center gap-2 text-base font-medium text-danger">
        <CircleX aria-hidden className="size-5 shrink-0" /> It did not arrive: {describeOutcome(attempt)}
      </p>
      {attempt.errorMessage ? <p className="wrap-anywhere">{attempt.errorMessage}</p> : null}
      {explanation ? (
        <p className="text-muted">
          {explanation.cause} {explanation.fix}
        </p>
      ) : null}
      {delivery?.status === 'pending' ? (
        <p className="flex items-center gap-2 text-muted">
          <Hourglass aria-hidden className="size-4" /> It is tried again like any event.
        </p>
      ) : null}
    </div>
  );
}

/** Sends a `webhook.test` event and follows it until the answer is there. */
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
        Send a test
      </Button>
      <Dialog
        open={send.isSuccess || send.isError}
        onOpenChange={(open) => !open && send.reset()}
        title="Test"
        description="A webhook.test event, sent ahead of everything that waits."
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
              Look at the request and the answer
            </Link>
          ) : null}
        </div>
      </Dialog>
    </>
  );
}
