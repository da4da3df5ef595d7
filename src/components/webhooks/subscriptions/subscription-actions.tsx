'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CirclePause, PencilLine, Play } from 'lucide-react';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { DeleteSubscription } from '@/components/webhooks/subscriptions/delete-subscription';
import { TestDelivery } from '@/components/webhooks/subscriptions/test-send';
import { useResume } from '@/components/webhooks/subscriptions/use-resume';
import type { Subscription } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';

/** The actions of a subscription's page. */
export function SubscriptionActions({ subscription, base }: { subscription: Subscription; base: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { id, url, status } = subscription;
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
  const resume = useResume();
  const pause = useMutation(
    trpc.webhooks.subscriptions.pause.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastUndo('Paused. Events are kept for 24 hours and sent when you resume.', () => resume.mutate({ id }));
        return refresh();
      },
    }),
  );
  return (
    <>
      <TestDelivery id={id} base={base} disabled={status !== 'active'} />
      {status === 'active' ? (
        <Button icon={<CirclePause aria-hidden />} loading={pause.isPending} onClick={() => pause.mutate({ id })}>
          Pause
        </Button>
      ) : (
        <Button icon={<Play aria-hidden />} loading={resume.isPending} onClick={() => resume.mutate({ id })}>
          Resume
        </Button>
      )}
      <ButtonLink href={`${base}/${id}/edit`} icon={<PencilLine aria-hidden />}>
        Edit
      </ButtonLink>
      <DeleteSubscription id={id} url={url} base={base} />
    </>
  );
}
