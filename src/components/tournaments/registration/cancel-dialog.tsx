'use client';

import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import type { Registration, Tournament } from '@/components/tournaments/use-tournament';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';

function cancellationText(tournament: Tournament, { registrationStatus, waitlistPosition }: Registration): string {
  if (registrationStatus === 'waitlisted') {
    const position = waitlistPosition ? ` (number ${waitlistPosition})` : '';
    return `You lose your position on the waitlist${position}. If you register again, you join at the end.`;
  }
  if (registrationStatus === 'pending') return 'The organizer will no longer review it.';
  if (tournament.waitlistedParticipants > 0) {
    return 'Your slot goes to the first on the waitlist right away. If you register again, you join the waitlist at the end.';
  }
  return tournament.registrationOpen
    ? 'Your slot opens up for others. You can register again while slots are left.'
    : 'Your slot opens up for others. Registration has closed, so you cannot register again.';
}

/** Asks before the viewer's registration is cancelled, because the slot may be gone afterwards. */
export function CancelDialog({
  tournament,
  registration,
  onClose,
}: {
  tournament: Tournament;
  registration: Registration;
  onClose: () => void;
}) {
  const { cancel } = usePlayerActions(tournament.slug);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={
        registration.type === 'team' ? `Cancel the registration of ${registration.name}?` : 'Cancel your registration?'
      }
      confirmLabel="Cancel registration"
      cancelLabel="Keep registration"
      onConfirm={() => cancel.mutateAsync({ tournamentId: tournament.slug })}
    >
      <p>{cancellationText(tournament, registration)}</p>
    </ConfirmDialog>
  );
}
