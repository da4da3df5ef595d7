import { blockedByCapacity } from '@/components/tournaments/desk/actions/actions';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';

/** Why an entrant cannot be let in where that is for want of a slot, and what gives one. */
export function SlotNote({
  entrant,
  tournament,
}: {
  entrant: Pick<DeskRow, 'registrationStatus' | 'status'> | undefined;
  tournament: Tournament;
}) {
  const wanted = entrant && blockedByCapacity(entrant, tournament);
  if (!wanted) return null;
  return (
    <p className="rounded border bg-sunken px-3 py-2 text-muted">
      Every slot is taken, so nobody can be {wanted} now. Raise the number of slots under Edit, or take someone out.
    </p>
  );
}
