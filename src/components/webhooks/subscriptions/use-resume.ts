'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Resumes a subscription, shows a toast, and refreshes everything about webhooks. */
export function useResume() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.webhooks.subscriptions.resume.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastSuccess('Webhook resumed', 'Held deliveries are being sent.');
        return queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
  );
}
