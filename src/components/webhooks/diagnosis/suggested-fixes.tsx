'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Play, RotateCcw, Search, Zap } from 'lucide-react';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import type { SuggestedFix } from '@/components/webhooks/diagnosis/diagnosis';
import { useResume } from '@/components/webhooks/subscriptions/use-resume';
import type { Subscription } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';

/** What one can do about a receiver's problem, the first thing first. */
export function SuggestedFixes({
  subscription,
  remedies,
  base,
  onReplay,
}: {
  subscription: Pick<Subscription, 'id' | 'lastAttempt'>;
  remedies: SuggestedFix[];
  base: string;
  /** Opens the dialog that sends missed events again; it outlives the problem. */
  onReplay: () => void;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { id, lastAttempt } = subscription;
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
  const resume = useResume();
  const reset = useMutation(
    trpc.webhooks.subscriptions.resetBreaker.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastSuccess('The breaker is closed', 'What was held is being sent now.');
        return refresh();
      },
    }),
  );
  return (
    <div className="flex flex-wrap gap-2">
      {remedies.map((remedy, index) => {
        const variant = index === 0 ? 'primary' : 'secondary';
        if (remedy === 'resume') {
          return (
            <Button
              key={remedy}
              variant={variant}
              icon={<Play aria-hidden />}
              loading={resume.isPending}
              onClick={() => resume.mutate({ id })}
            >
              Resume
            </Button>
          );
        }
        if (remedy === 'reset') {
          return (
            <Button
              key={remedy}
              variant={variant}
              icon={<Zap aria-hidden />}
              loading={reset.isPending}
              onClick={() => reset.mutate({ id })}
            >
              Reset and send now
            </Button>
          );
        }
        if (remedy === 'inspect') {
          return lastAttempt ? (
            <ButtonLink
              key={remedy}
              variant={variant}
              icon={<Search aria-hidden />}
              href={`${base}/${id}/${lastAttempt.deliveryId}`}
            >
              See the last attempt
            </ButtonLink>
          ) : null;
        }
        return (
          <Button key={remedy} variant={variant} icon={<RotateCcw aria-hidden />} onClick={onReplay}>
            Send missed events again
          </Button>
        );
      })}
    </div>
  );
}
