'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Registration, useRegistrationQueryKey } from '@/components/tournaments/use-tournament';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Title and description of the toast after registering. */
function registeredText({ registrationStatus, waitlistPosition }: Registration): [string, string?] {
  if (registrationStatus === 'waitlisted') {
    return ['You are on the waitlist', waitlistPosition ? `You are number ${waitlistPosition}.` : undefined];
  }
  if (registrationStatus === 'pending') return ['Registration sent', 'The organizer will review it.'];
  return ['You are in'];
}

/** Register, check in, edit and cancel; each updates every part of the page that shows the registration. */
export function usePlayerActions(slug: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const key = useRegistrationQueryKey(slug);

  async function showRegistration(registration: Registration) {
    // Requests in flight started before the change and would overwrite it.
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
        // The panel explains what to do about the anti-cheat client.
        if (readError(error).reason !== 'ANTI_CHEAT_NOT_RUNNING') toastError(error, 'Check-in failed');
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

  /** Refetches the viewer's registration; null without one. */
  async function refetchRegistration(): Promise<Registration | null> {
    await queryClient.refetchQueries({ queryKey: key });
    return queryClient.getQueryData<Registration | null>(key) ?? null;
  }

  return { register, checkIn, cancel, edit, refetchRegistration };
}
