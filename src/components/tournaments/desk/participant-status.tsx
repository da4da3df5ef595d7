import { ListOrdered } from 'lucide-react';
import type { DeskRow } from '@/components/tournaments/desk/queries';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';

/** The one state that matters of an entrant: of the registration until it is approved, then of the entrant. */
export function ParticipantStatus({
  entrant,
}: {
  entrant: Pick<DeskRow, 'registrationStatus' | 'status' | 'waitlistPosition'>;
}) {
  if (entrant.registrationStatus === 'approved') return <StatusBadge kind="participant" status={entrant.status} />;
  if (entrant.registrationStatus === 'waitlisted' && entrant.waitlistPosition) {
    return <Badge icon={ListOrdered}>Waitlist, place {entrant.waitlistPosition}</Badge>;
  }
  return <StatusBadge kind="registration" status={entrant.registrationStatus} />;
}
