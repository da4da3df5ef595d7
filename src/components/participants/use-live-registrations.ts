'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch, useReconnect } from '@/trpc/reconnect';

/** Refetches the viewer's registrations and next matches when something changes in their tournaments. */
export function useLiveRegistrations(): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onData = useBatchedRefetch(
    () => {
      void queryClient.invalidateQueries({ queryKey: trpc.participants.myRegistrationSummaries.pathKey() });
      void queryClient.invalidateQueries({ queryKey: trpc.matches.myNextMatches.pathKey() });
    },
    { min: 300, max: 1_000 },
  );
  useReconnect(useSubscription(trpc.participants.live.subscriptionOptions(undefined, { onData })), onData);
}
