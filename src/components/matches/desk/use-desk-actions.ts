'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Match, Station } from '@/components/matches/types';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** What staff does on the desk with where and when a match is played; each can be undone. */
export function useDeskActions(tournamentId: string, stations: readonly Pick<Station, 'id' | 'name'>[]) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  // Awaited, so that a change counts as pending until the page shows it.
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
  const onError = (error: unknown) => {
    toastError(error);
    return refresh();
  };
  const assign = useMutation(trpc.matches.assign.mutationOptions({ onSuccess: refresh, onError }));
  const call = useMutation(trpc.matches.callPlayers.mutationOptions({ onSuccess: refresh, onError }));
  const queue = useMutation(trpc.matches.streamQueue.set.mutationOptions({ onSuccess: refresh, onError }));
  const nameOf = (stationId: string | null) => stations.find(({ id }) => id === stationId)?.name;

  return {
    assign,
    call,
    queue,
    /** null takes the match off its station. */
    assignTo(match: Match, stationId: string | null) {
      const { id: matchId, number, stationId: before } = match;
      if (stationId === before) return;
      const to = nameOf(stationId);
      const undo = () => assign.mutate({ matchId, stationId: before });
      assign.mutate(
        { matchId, stationId },
        { onSuccess: () => toastUndo(to ? `M${number} is at ${to}` : `M${number} has no station`, undo) },
      );
    },
    /** Calls the players, or takes the call back. */
    toggleCall(match: Match) {
      const { id: matchId, number, calledAt } = match;
      const called = calledAt === null;
      const undo = () => call.mutate({ matchId, called: !called });
      call.mutate(
        { matchId, called },
        {
          onSuccess: () =>
            called
              ? toastUndo(`The players of M${number} are called`, undo)
              : toastUndo(`The call of M${number} is taken back`, undo),
        },
      );
    },
    /** Replaces the stream queue; `message` says what changed. */
    setQueue(before: readonly string[], matchIds: string[], message: string) {
      const undo = () => queue.mutate({ tournamentId, matchIds: [...before] });
      queue.mutate({ tournamentId, matchIds }, { onSuccess: () => toastUndo(message, undo) });
    },
  };
}

export type DeskActions = ReturnType<typeof useDeskActions>;
