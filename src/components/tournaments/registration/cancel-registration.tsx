'use client';

import { toast } from 'sonner';
import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import type { Registration, Tournament } from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';

function cancellationText(tournament: Tournament, { registrationStatus, waitlistPosition }: Registration): string {
  if (registrationStatus === 'waitlisted') {
    return `You lose place ${waitlistPosition ?? ''} in the queue. Registering again puts you at its end.`.replace(
      '  ',
      ' ',
    );
  }
  if (registrationStatus === 'pending') return 'The organizer will no longer look at it.';
  if (tournament.waitlistedParticipants > 0) {
    return 'Your slot goes at once to whoever waits longest. Registering again puts you at the end of the waitlist.';
  }
  return tournament.registrationOpen
    ? 'Your slot becomes free for others. You can register again as long as one is left.'
    : 'Your slot becomes free. Registration has closed, so you cannot come back.';
}

/**
 * Gives the slot away; asks first, because it cannot be had back for certain. Toasts go, since on a phone they would
 * lie over the answer.
 */
export function CancelRegistration({
  tournament,
  registration,
}: {
  tournament: Tournament;
  registration: Registration;
}) {
  const { cancel } = usePlayerActions(tournament.slug);
  return (
    <ConfirmDialog
      trigger={
        <Button variant="ghost" onClick={() => toast.dismiss()}>
          Cancel registration
        </Button>
      }
      title={registration.type === 'team' ? `Take ${registration.name} out?` : 'Cancel your registration?'}
      confirmLabel="Cancel registration"
      cancelLabel="Stay in"
      onConfirm={() => cancel.mutateAsync({ tournamentId: tournament.slug })}
    >
      <p>{cancellationText(tournament, registration)}</p>
    </ConfirmDialog>
  );
}
