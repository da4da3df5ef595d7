'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Resumes a subscription, says so, and has the pages read again what it changed. */
export function useResume() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.webhooks.subscriptions.resume.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => {
        toastSuccess('Events are sent again', 'What was held is on its way.');
        return queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
  );
}
