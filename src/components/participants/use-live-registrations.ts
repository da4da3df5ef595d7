'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useTRPC } from '@/trpc/client';
import { useGathered, useReconnect } from '@/trpc/reconnect';

/** Refetches the viewer's registrations when something changes in their tournaments. */
export function useLiveRegistrations(): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onData = useGathered(
    () => void queryClient.invalidateQueries({ queryKey: trpc.participants.myRegistrations.pathKey() }),
    { least: 300, most: 1_000 },
  );
  useReconnect(useSubscription(trpc.participants.live.subscriptionOptions(undefined, { onData })));
}
