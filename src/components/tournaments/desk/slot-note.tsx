import { blockedByCapacity } from '@/components/tournaments/desk/actions/actions';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';

/** Explains that all slots are taken, and how to free one, when that blocks an action. */
export function SlotNote({
  participant,
  tournament,
}: {
  participant: Pick<DeskRow, 'registrationStatus' | 'status'> | undefined;
  tournament: Tournament;
}) {
  const blocked = participant && blockedByCapacity(participant, tournament);
  if (!blocked) return null;
  return (
    <p className="rounded border bg-sunken px-3 py-2 text-muted">
      All slots are taken, so no one can be {blocked} right now. Raise the maximum under Edit, or remove a participant.
    </p>
  );
}
