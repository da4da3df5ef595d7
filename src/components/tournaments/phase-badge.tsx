import { Ban, Clock, DoorOpen, Hourglass, ListOrdered, type LucideIcon, UserCheck, Users } from 'lucide-react';
import { Badge, type Tone } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import type { Phase } from '@/domain/tournaments/phase';

const looks: Record<
  Exclude<Phase, 'draft' | 'live' | 'completed' | 'cancelled'>,
  { word: string; icon: LucideIcon; tone: Tone }
> = {
  soon: { word: 'Opens later', icon: Clock, tone: 'neutral' },
  open: { word: 'Registration open', icon: DoorOpen, tone: 'accent' },
  waitlist: { word: 'Waitlist open', icon: ListOrdered, tone: 'accent' },
  full: { word: 'Full', icon: Users, tone: 'neutral' },
  check_in: { word: 'Check-in open', icon: UserCheck, tone: 'live' },
  closed: { word: 'Registration closed', icon: Ban, tone: 'neutral' },
  starting: { word: 'About to start', icon: Hourglass, tone: 'live' },
};

/** Where a tournament stands, as players ask. */
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
      const { word, icon, tone } = looks[phase];
      return (
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
      );
    }
  }
}
