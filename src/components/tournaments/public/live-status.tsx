'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { Radio, WifiOff } from 'lucide-react';
import { useNotices } from '@/components/matches/thread/use-notices';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch, useReconnect } from '@/trpc/reconnect';

/**
 * Refetches the tournament, the viewer's registration, the participants and the matches when someone changes them.
 * @returns whether live updates are connected; null until that is known
 */
export function useLiveUpdates(slug: string): boolean | null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function invalidate() {
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId: slug }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
    void queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
  }

  const refetch = useBatchedRefetch(invalidate, { min: 100, max: 400 });
  const onData = useNotices(refetch);
  const subscription = useSubscription(trpc.tournaments.live.subscriptionOptions({ tournamentId: slug }, { onData }));
  return useReconnect(subscription, refetch);
}

/** Keeps the page's data live and shows whether it is connected. */
export function LiveStatus({ slug }: { slug: string }) {
  const live = useLiveUpdates(slug);
  if (live === null) return <span aria-hidden className="inline-block h-5 w-24" />;
  return (
    <span
      title={live ? 'This page updates automatically.' : 'Reconnecting. What you see may be out of date.'}
      className="inline-flex w-24 items-center gap-1.5 text-xs"
    >
      {live ? (
        <Radio aria-hidden className="size-3.5 text-live" />
      ) : (
        <WifiOff aria-hidden className="size-3.5 text-danger" />
      )}
      <span role="status">{live ? 'Live updates' : 'Reconnecting'}</span>
    </span>
  );
}
