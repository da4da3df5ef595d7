'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Play, RotateCcw, Search, Zap } from 'lucide-react';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import type { SuggestedFix } from '@/components/webhooks/diagnosis/diagnosis';
import { useResume } from '@/components/webhooks/subscriptions/use-resume';
import type { Subscription } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';

/** Buttons that help with a webhook's problem, the most useful first. */
export function SuggestedFixes({
  subscription,
  fixes,
  base,
  onReplay,
}: {
  subscription: Pick<Subscription, 'id' | 'lastAttempt'>;
  fixes: SuggestedFix[];
  base: string;
  /** Opens the dialog that resends failed events. The page owns it, because the problem may be gone before it closes. */
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
        toastSuccess('Circuit breaker reset', 'Held deliveries are being sent.');
        return refresh();
      },
    }),
  );
  return (
    <div className="flex flex-wrap gap-2">
      {fixes.map((fix, index) => {
        const variant = index === 0 ? 'primary' : 'secondary';
        if (fix === 'resume') {
          return (
            <Button
              key={fix}
              variant={variant}
              icon={<Play aria-hidden />}
              loading={resume.isPending}
              onClick={() => resume.mutate({ id })}
            >
              Resume
            </Button>
          );
        }
        if (fix === 'reset_breaker') {
          return (
            <Button
              key={fix}
              variant={variant}
              icon={<Zap aria-hidden />}
              loading={reset.isPending}
              onClick={() => reset.mutate({ id })}
            >
              Reset and send now
            </Button>
          );
        }
        if (fix === 'inspect') {
          return lastAttempt ? (
            <ButtonLink
              key={fix}
              variant={variant}
              icon={<Search aria-hidden />}
              href={`${base}/${id}/${lastAttempt.deliveryId}`}
            >
              View last attempt
            </ButtonLink>
          ) : null;
        }
        return (
          <Button key={fix} variant={variant} icon={<RotateCcw aria-hidden />} onClick={onReplay}>
            Resend failed events
          </Button>
        );
      })}
    </div>
  );
}
