'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { byUrgency, type RegistrationState, registrationState } from '@/domain/participants/registration-state';
import { phaseChanges } from '@/domain/tournaments/phase';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type RegistrationItem = Outputs['participants']['myRegistrationSummaries']['items'][number];
export type MyRegistration = { registration: RegistrationItem; state: RegistrationState };
export type MyRegistrationsInput = { when: 'current' | 'past'; page: number; limit: number };

const noSchedule = { publishedAt: null, registrationOpensAt: null, registrationClosesAt: null };

/** The viewer's registrations with their current state, the most urgent first. */
export function useMyRegistrations(input: MyRegistrationsInput) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.participants.myRegistrationSummaries.queryOptions(input, {
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: true,
    }),
  );
  const items = query.data?.items ?? [];
  const changes = items.flatMap(({ tournament }) => phaseChanges({ ...tournament, ...noSchedule }));
  const now = useServerNow(items[0]?.serverTime ?? new Date(0).toISOString(), changes);
  const registrations: MyRegistration[] = items.map((registration) => ({
    registration,
    state: registrationState(registration, registration.tournament, now),
  }));
  if (input.when === 'current') registrations.sort((a, b) => byUrgency(a.state, b.state));
  return { ...query, registrations };
}

/** Checks in to one of the viewer's tournaments, shown optimistically and rolled back with the reason on an error. */
export function useCheckIn(input: MyRegistrationsInput) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const key = trpc.participants.myRegistrationSummaries.queryKey(input);
  return useMutation(
    trpc.participants.checkInMine.mutationOptions({
      onMutate: async ({ tournamentId }) => {
        await queryClient.cancelQueries({ queryKey: key });
        const before = queryClient.getQueryData(key);
        queryClient.setQueryData(
          key,
          (list) =>
            list && {
              ...list,
              items: list.items.map((item) =>
                item.tournamentId === tournamentId
                  ? { ...item, status: 'checked_in' as const, canCheckIn: false }
                  : item,
              ),
            },
        );
        return { before };
      },
      onSuccess: () => toastSuccess('You are checked in'),
      onError: (error, _input, context) => {
        queryClient.setQueryData(key, context?.before);
        toastError(error, 'Check-in failed');
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() }),
    }),
  );
}
