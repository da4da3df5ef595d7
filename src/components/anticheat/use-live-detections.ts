'use client';

import { useSubscription } from '@trpc/tanstack-react-query';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch, useReconnect } from '@/trpc/reconnect';

const wait = { min: 100, max: 400 };

/**
 * Calls `refresh` when a detection of the project is raised or reviewed.
 * @returns whether live updates are connected; null until known
 */
export function useLiveDetections(projectId: string, refresh: () => void): boolean | null {
  const trpc = useTRPC();
  const refetch = useBatchedRefetch(refresh, wait);
  const subscription = useSubscription(
    trpc.antiCheat.review.live.subscriptionOptions({ projectId }, { onData: refetch }),
  );
  return useReconnect(subscription, refetch);
}
