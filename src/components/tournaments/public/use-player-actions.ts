'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Registration, useRegistrationQueryKey } from '@/components/tournaments/use-tournament';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** What the player hears when they have registered. */
function registeredText({ registrationStatus, waitlistPosition }: Registration): [string, string?] {
  if (registrationStatus === 'waitlisted') {
    return ['You are on the waitlist', waitlistPosition ? `Number ${waitlistPosition} in the queue.` : undefined];
  }
  if (registrationStatus === 'pending') return ['Registration sent', 'The organizer decides about it.'];
  return ['You are in'];
}

/** Register, check in, edit and cancel, each told to every part of the page that shows it. */
export function usePlayerActions(slug: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const key = useRegistrationQueryKey(slug);

  async function showRegistration(registration: Registration) {
    // What is being read now was asked for before the change.
    await queryClient.cancelQueries({ queryKey: key });
    queryClient.setQueryData(key, registration);
  }
  function invalidate() {
    void queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
    void queryClient.invalidateQueries({ queryKey: trpc.tournaments.get.queryKey({ tournamentId: slug }) });
  }

  const register = useMutation(
    trpc.participants.register.mutationOptions({
      onSuccess: async (registration) => {
        await showRegistration(registration);
        toastSuccess(...registeredText(registration));
      },
      onSettled: invalidate,
    }),
  );

  const checkIn = useMutation(
    trpc.participants.checkInMine.mutationOptions({
      onMutate: async () => {
        await queryClient.cancelQueries({ queryKey: key });
        const before = queryClient.getQueryData<Registration | null>(key);
        if (before) {
          const after: Registration = { ...before, status: 'checked_in', canCheckIn: false };
          queryClient.setQueryData(key, after);
        }
        return { before };
      },
      onSuccess: async (registration) => {
        await showRegistration(registration);
        toastSuccess('You are checked in');
      },
      onError: (error, _input, context) => {
        queryClient.setQueryData(key, context?.before ?? null);
        // What to do about the client stands in the panel.
        if (readError(error).reason !== 'ANTI_CHEAT_NOT_RUNNING') toastError(error, 'You are not checked in');
      },
      onSettled: invalidate,
    }),
  );

  const cancel = useMutation(
    trpc.participants.cancelMine.mutationOptions({
      onSuccess: async (registration) => {
        await showRegistration(registration);
        toastSuccess('Registration cancelled');
      },
      onSettled: invalidate,
    }),
  );

  const edit = useMutation(
    trpc.participants.editMine.mutationOptions({
      onSuccess: async (registration) => {
        await showRegistration(registration);
        toastSuccess('Saved');
      },
      onSettled: invalidate,
    }),
  );

  /** The viewer's registration as it is now; null when they have none. */
  async function refetchRegistration(): Promise<Registration | null> {
    await queryClient.refetchQueries({ queryKey: key });
    return queryClient.getQueryData<Registration | null>(key) ?? null;
  }

  return { register, checkIn, cancel, edit, readOwn: refetchRegistration };
}
