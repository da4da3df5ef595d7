import { Ban, Clock, DoorOpen, Hourglass, ListOrdered, type LucideIcon, UserCheck, Users } from 'lucide-react';
import { Badge, type Tone } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import type { Phase } from '@/domain/tournaments/phase';

const looks: Record<
  Exclude<Phase, 'draft' | 'live' | 'completed' | 'cancelled'>,
  { label: string; icon: LucideIcon; tone: Tone }
> = {
  soon: { label: 'Opens later', icon: Clock, tone: 'neutral' },
  open: { label: 'Registration open', icon: DoorOpen, tone: 'accent' },
  waitlist: { label: 'Waitlist open', icon: ListOrdered, tone: 'accent' },
  full: { label: 'Full', icon: Users, tone: 'neutral' },
  check_in: { label: 'Check-in open', icon: UserCheck, tone: 'live' },
  closed: { label: 'Registration closed', icon: Ban, tone: 'neutral' },
  overdue: { label: 'Waiting to start', icon: Hourglass, tone: 'neutral' },
};

/** The phase of a tournament as players see it. */
export function PhaseBadge({ phase }: { phase: Phase }) {
  switch (phase) {
    case 'draft':
      return <StatusBadge kind="tournament" status="DRAFT" />;
    case 'live':
      return <StatusBadge kind="tournament" status="IN_PROGRESS" />;
    case 'completed':
      return <StatusBadge kind="tournament" status="COMPLETED" />;
    case 'cancelled':
      return <StatusBadge kind="tournament" status="CANCELLED" />;
    default: {
      const { label, icon, tone } = looks[phase];
      return (
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      );
    }
  }
}
