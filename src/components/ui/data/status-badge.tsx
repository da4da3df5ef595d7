import {
  Ban,
  Check,
  CircleAlert,
  CircleCheck,
  CircleDot,
  CircleMinus,
  CirclePause,
  CircleX,
  ClipboardCheck,
  Clock,
  DoorOpen,
  Flag,
  Hourglass,
  ListOrdered,
  LoaderCircle,
  type LucideIcon,
  Megaphone,
  OctagonAlert,
  PencilLine,
  Radio,
  ShieldAlert,
  ShieldCheck,
  ShieldQuestionMark,
  SignalHigh,
  SignalLow,
  SignalMedium,
  Swords,
  TimerOff,
  Trophy,
  UserCheck,
  UserX,
} from 'lucide-react';
import { Badge, type Tone } from '@/components/ui/data/badge';

type StatusStyle = { word: string; icon: LucideIcon; tone: Tone };

const statusStyles = {
  tournament: {
    DRAFT: { word: 'Draft', icon: PencilLine, tone: 'neutral' },
    PUBLISHED: { word: 'Published', icon: Megaphone, tone: 'accent' },
    IN_PROGRESS: { word: 'Live', icon: Radio, tone: 'live' },
    COMPLETED: { word: 'Completed', icon: Flag, tone: 'neutral' },
    CANCELLED: { word: 'Cancelled', icon: Ban, tone: 'danger' },
  },
  registration: {
    pending: { word: 'Awaiting approval', icon: Hourglass, tone: 'neutral' },
    approved: { word: 'Approved', icon: Check, tone: 'accent' },
    rejected: { word: 'Rejected', icon: CircleX, tone: 'danger' },
    waitlisted: { word: 'Waitlisted', icon: ListOrdered, tone: 'neutral' },
    cancelled: { word: 'Cancelled', icon: CircleMinus, tone: 'neutral' },
  },
  participant: {
    registered: { word: 'Registered', icon: CircleDot, tone: 'neutral' },
    checked_in: { word: 'Checked in', icon: UserCheck, tone: 'accent' },
    active: { word: 'Playing', icon: Swords, tone: 'live' },
    eliminated: { word: 'Eliminated', icon: CircleMinus, tone: 'neutral' },
    disqualified: { word: 'Disqualified', icon: Ban, tone: 'danger' },
    withdrew: { word: 'Withdrew', icon: DoorOpen, tone: 'neutral' },
    no_show: { word: 'No-show', icon: UserX, tone: 'danger' },
    winner: { word: 'Winner', icon: Trophy, tone: 'gold' },
  },
  match: {
    pending: { word: 'Waiting for players', icon: Hourglass, tone: 'neutral' },
    ready: { word: 'Ready', icon: CircleDot, tone: 'accent' },
    scheduled: { word: 'Scheduled', icon: Clock, tone: 'neutral' },
    reported: { word: 'Reported', icon: ClipboardCheck, tone: 'neutral' },
    in_progress: { word: 'Live', icon: Radio, tone: 'live' },
    disputed: { word: 'Disputed', icon: CircleAlert, tone: 'danger' },
    completed: { word: 'Finished', icon: Flag, tone: 'neutral' },
    forfeited: { word: 'Forfeited', icon: Ban, tone: 'neutral' },
  },
  window: {
    unset: { word: 'Not scheduled', icon: CircleMinus, tone: 'neutral' },
    before: { word: 'Opens later', icon: Clock, tone: 'neutral' },
    open: { word: 'Open', icon: DoorOpen, tone: 'accent' },
    after: { word: 'Closed', icon: Ban, tone: 'neutral' },
  },
  delivery: {
    pending: { word: 'Pending', icon: Clock, tone: 'neutral' },
    held: { word: 'Held', icon: CirclePause, tone: 'neutral' },
    delivered: { word: 'Delivered', icon: CircleCheck, tone: 'accent' },
    failed: { word: 'Failed', icon: CircleX, tone: 'danger' },
    expired: { word: 'Expired', icon: TimerOff, tone: 'danger' },
  },
  attempt: {
    running: { word: 'Running', icon: LoaderCircle, tone: 'live' },
    succeeded: { word: 'Succeeded', icon: CircleCheck, tone: 'accent' },
    failed: { word: 'Failed', icon: CircleX, tone: 'danger' },
    unknown: { word: 'Unknown', icon: CircleDot, tone: 'neutral' },
  },
  severity: {
    low: { word: 'Low', icon: SignalLow, tone: 'neutral' },
    medium: { word: 'Medium', icon: SignalMedium, tone: 'neutral' },
    high: { word: 'High', icon: SignalHigh, tone: 'danger' },
    critical: { word: 'Critical', icon: OctagonAlert, tone: 'danger' },
  },
  review: {
    unreviewed: { word: 'Unreviewed', icon: CircleDot, tone: 'neutral' },
    confirmed: { word: 'Confirmed', icon: ShieldAlert, tone: 'danger' },
    dismissed: { word: 'Dismissed', icon: ShieldCheck, tone: 'accent' },
    inconclusive: { word: 'Inconclusive', icon: ShieldQuestionMark, tone: 'neutral' },
  },
  subscription: {
    active: { word: 'Active', icon: CircleCheck, tone: 'accent' },
    paused: { word: 'Paused', icon: CirclePause, tone: 'neutral' },
    disabled: { word: 'Disabled', icon: Ban, tone: 'danger' },
  },
} as const satisfies Record<string, Record<string, StatusStyle>>;

type Kinds = typeof statusStyles;
export type StatusKind = keyof Kinds;
export type StatusOf<Kind extends StatusKind> = keyof Kinds[Kind] & string;

/** The label of a status, for titles and filters. */
export function statusLabel<Kind extends StatusKind>(kind: Kind, status: StatusOf<Kind>): string {
  const table: Record<string, StatusStyle> = statusStyles[kind];
  return table[status]?.word ?? status;
}

/** A status as icon and word. All status labels and icons are defined in this file. */
export function StatusBadge<Kind extends StatusKind>({
  kind,
  status,
  className,
}: {
  kind: Kind;
  status: StatusOf<Kind>;
  className?: string;
}) {
  const table: Record<string, StatusStyle> = statusStyles[kind];
  const look = table[status] ?? { word: status, icon: CircleDot, tone: 'neutral' };
  return (
    <Badge tone={look.tone} icon={look.icon} className={className}>
      {look.word}
    </Badge>
  );
}
