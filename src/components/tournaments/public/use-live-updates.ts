'use client';

import { type Query, useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useRef } from 'react';
import { patchBracket, patchMatch } from '@/components/brackets/apply-patch';
import type { BracketPatch } from '@/components/brackets/types';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch, useReconnect } from '@/trpc/reconnect';

type Notice = { type: string; aggregateType: string; aggregateId: string; patch: BracketPatch | null };
type Input = { tournamentId?: string; matchId?: string; participantId?: string };

/** As if notices may have been missed. */
const everything: Notice = { type: 'live.resumed', aggregateType: 'live', aggregateId: '', patch: null };

/** Large tables come with the whole bracket. Its matches are kept up to date by patches meanwhile. */
const tablesAgainMs = { min: 4_000, max: 10_000 };

/** Whether a query about matches has to be fetched again after a notice whose patch has been applied. */
function isStaleAfter(
  { aggregateType, aggregateId, patch }: Notice,
  name: string,
  input: Input,
  slug: string,
): boolean {
  if (patch === null) return true;
  if (name === 'bracket') return input.tournamentId !== slug;
  if (name === 'get') return false;
  if (name === 'myNextMatches' && input.participantId) {
    return patch.matches.some(({ slots }) => slots.some(({ participantId }) => participantId === input.participantId));
  }
  if (input.matchId) return aggregateType !== 'match' || aggregateId === '' || aggregateId === input.matchId;
  return aggregateType === 'match' || aggregateType === 'tournament';
}

/**
 * Keeps what the page shows of a tournament up to date. What changed in the bracket comes with the notice; the
 * tournament, the viewer's registration and the participants are fetched again when a notice is about them.
 * @returns whether live updates are connected; null until that is known
 */
export function useLiveUpdates(slug: string): boolean | null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const waiting = useRef<Notice[]>([]);

  function refetch() {
    const notices = waiting.current;
    waiting.current = [];
    const others = notices.filter(({ type, aggregateType }) => aggregateType !== 'match' && !type.endsWith('.changed'));
    if (others.some(({ type }) => type !== 'participant.eliminated')) {
      void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId: slug }) });
    }
    if (others.length > 0) void queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
    void queryClient.invalidateQueries({
      queryKey: trpc.matches.pathKey(),
      predicate: ({ queryKey }: Query) => {
        const [path, options] = queryKey as [string[], { input?: Input } | undefined];
        return notices.some((notice) => isStaleAfter(notice, path[1] ?? '', options?.input ?? {}, slug));
      },
    });
  }
  const schedule = useBatchedRefetch(refetch, { min: 100, max: 400 });
  const scheduleTables = useBatchedRefetch(
    () => queryClient.invalidateQueries({ queryKey: trpc.matches.bracket.queryKey({ tournamentId: slug }) }),
    tablesAgainMs,
  );

  function onData({ patch: sent, ...about }: Omit<Notice, 'patch'> & { patch: string | null }) {
    const patch = sent === null ? null : (JSON.parse(sent) as BracketPatch);
    const queryKey = trpc.matches.bracket.queryKey({ tournamentId: slug });
    // An answer that is on its way may be older than the patch, and would take its place.
    const isUnderWay = queryClient.isFetching({ queryKey: trpc.matches.pathKey() }) > 0;
    if (patch && patch.matches.length + patch.tables.length > 0) {
      queryClient.setQueryData(queryKey, (shown) => shown && patchBracket(shown, patch));
      const matches = { queryKey: trpc.matches.get.pathKey() };
      queryClient.setQueriesData<Parameters<typeof patchMatch>[0]>(
        matches,
        (shown) => shown && patchMatch(shown, patch),
      );
    }
    if (patch?.hasOtherTables) scheduleTables();
    waiting.current.push({ ...about, patch: isUnderWay ? null : patch });
    schedule();
  }

  const subscription = useSubscription(trpc.tournaments.live.subscriptionOptions({ tournamentId: slug }, { onData }));
  return useReconnect(subscription, () => {
    waiting.current.push(everything);
    schedule();
  });
}
