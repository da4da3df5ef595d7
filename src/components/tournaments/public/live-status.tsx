'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { Radio, WifiOff } from 'lucide-react';
import { useTRPC } from '@/trpc/client';
import { useGathered, useReconnect } from '@/trpc/reconnect';

/**
 * Reads the tournament, the viewer's registration and the entrants again whenever others change them.
 * @returns whether notices arrive now; null until that is known
 */
function useLiveUpdates(slug: string): boolean | null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function readAgain() {
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId: slug }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
  }

  const onData = useGathered(readAgain, { least: 100, most: 400 });
  const subscription = useSubscription(trpc.tournaments.live.subscriptionOptions({ tournamentId: slug }, { onData }));
  return useReconnect(subscription);
}

/** Keeps the page's data live and says whether it is. */
export function LiveStatus({ slug }: { slug: string }) {
  const live = useLiveUpdates(slug);
  if (live === null) return <span aria-hidden className="inline-block h-5 w-24" />;
  return (
    <span
      title={live ? 'What others do appears here by itself.' : 'Connecting again. What you see may be old.'}
      className="inline-flex w-24 items-center gap-1.5 text-xs"
    >
      {live ? (
        <Radio aria-hidden className="size-3.5 text-live" />
      ) : (
        <WifiOff aria-hidden className="size-3.5 text-danger" />
      )}
      <span role="status">{live ? 'Live updates' : 'Connecting'}</span>
    </span>
  );
}
