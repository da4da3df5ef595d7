'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { Radio, WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTRPC } from '@/trpc/client';
import { useReconnect } from '@/trpc/reconnect';

/**
 * Reads the tournament, the viewer's registration and the entrants again whenever others change them. Notices that come
 * close together become one reading; a little chance keeps a thousand viewers from asking in the same moment.
 * @returns whether notices arrive now; null until that is known
 */
function useLiveTournament(slug: string): boolean | null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => () => clearTimeout(timer.current), []);

  function readAgain() {
    timer.current = undefined;
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId: slug }) });
    void queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
  }

  const subscription = useSubscription(
    trpc.tournaments.live.subscriptionOptions(
      { tournamentId: slug },
      {
        onData: () => {
          timer.current ??= setTimeout(readAgain, 100 + Math.random() * 300);
        },
      },
    ),
  );
  return useReconnect(subscription);
}

/** Keeps the page's data live and says whether it is. */
export function LiveMark({ slug }: { slug: string }) {
  const live = useLiveTournament(slug);
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
