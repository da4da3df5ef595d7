import { ListOrdered } from 'lucide-react';
import type { DeskRow } from '@/components/tournaments/desk/queries';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';

/** The registration status until it is approved, then the participant status. */
export function ParticipantStatus({
  participant,
}: {
  participant: Pick<DeskRow, 'registrationStatus' | 'status' | 'waitlistPosition'>;
}) {
  if (participant.registrationStatus === 'approved')
    return <StatusBadge kind="participant" status={participant.status} />;
  if (participant.registrationStatus === 'waitlisted' && participant.waitlistPosition) {
    return <Badge icon={ListOrdered}>Waitlist, number {participant.waitlistPosition}</Badge>;
  }
  return <StatusBadge kind="registration" status={participant.registrationStatus} />;
}
