import {
  Ban,
  Check,
  CircleX,
  Hourglass,
  ListOrdered,
  type LucideIcon,
  RotateCcw,
  Trash2,
  Undo2,
  UserCheck,
  UserPlus,
  UserX,
} from 'lucide-react';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';

export type ActionDefinition = {
  /** On buttons, before a name or a number. */
  label: string;
  /** While a run goes on, and after it: `12 approved`. */
  progressLabel: string;
  pastLabel: string;
  key: string;
  icon: LucideIcon;
  danger?: boolean;
  /** Asked for before it is done, and shown to the entrant. */
  reasonQuestion?: string;
  /** What it does that cannot be undone: asked before it is done. */
  warning?: string;
  /** What takes it back, where the state machine knows a way to where they were. */
  undo?: DeskAction;
};

/** Everything a desk can do to entrants, the most frequent first. What may be done to whom, the server says. */
export const actionDefinitions: Record<DeskAction, ActionDefinition> = {
  check_in: {
    label: 'Check in',
    progressLabel: 'Checking in',
    pastLabel: 'checked in',
    key: 'c',
    icon: UserCheck,
    undo: 'undo_check_in',
  },
  approve: {
    label: 'Approve',
    progressLabel: 'Approving',
    pastLabel: 'approved',
    key: 'a',
    icon: Check,
    undo: 'reconsider',
  },
  promote: { label: 'Promote', progressLabel: 'Promoting', pastLabel: 'promoted', key: 'p', icon: UserPlus },
  reinstate: { label: 'Reinstate', progressLabel: 'Reinstating', pastLabel: 'reinstated', key: 'i', icon: RotateCcw },
  waitlist: {
    label: 'Waitlist',
    progressLabel: 'Moving to the waitlist',
    pastLabel: 'on the waitlist',
    key: 'w',
    icon: ListOrdered,
    warning: 'They go to the end of the queue. Who held a slot gives it up, and whoever waits longest gets it at once.',
  },
  reject: {
    label: 'Reject',
    progressLabel: 'Rejecting',
    pastLabel: 'rejected',
    key: 'r',
    icon: CircleX,
    danger: true,
    reasonQuestion: 'Why are they not accepted?',
    undo: 'reconsider',
  },
  disqualify: {
    label: 'Disqualify',
    progressLabel: 'Disqualifying',
    pastLabel: 'disqualified',
    key: 'd',
    icon: Ban,
    danger: true,
    reasonQuestion: 'Which rule did they break?',
    undo: 'reinstate',
  },
  mark_no_show: {
    label: 'No-show',
    progressLabel: 'Marking no-shows',
    pastLabel: 'marked as no-show',
    key: 'n',
    icon: UserX,
    danger: true,
    undo: 'reinstate',
  },
  undo_check_in: {
    label: 'Undo check-in',
    progressLabel: 'Undoing check-in',
    pastLabel: 'not checked in any more',
    key: 'k',
    icon: Undo2,
    undo: 'check_in',
  },
  reconsider: {
    label: 'Back to pending',
    progressLabel: 'Taking decisions back',
    pastLabel: 'pending again',
    key: 'b',
    icon: Hourglass,
  },
  remove: {
    label: 'Remove',
    progressLabel: 'Removing',
    pastLabel: 'removed',
    key: 'x',
    icon: Trash2,
    danger: true,
    warning:
      'Their registration goes with its answers and roster, and cannot be brought back. A slot they held goes to whoever waits longest. They may register again.',
  },
};

export const actionNames = Object.keys(actionDefinitions) as DeskAction[];

export const isAllowed = (row: Pick<DeskRow, 'actions'>, action: DeskAction) => row.actions.includes(action);

const primaryActions = ['check_in', 'approve', 'promote'] as const;

/** The one thing that makes an entrant ready, or nothing. */
export function primaryAction(row: Pick<DeskRow, 'actions'>): DeskAction | null {
  return primaryActions.find((action) => isAllowed(row, action)) ?? null;
}

/** What an entrant waits for that only a free slot allows, while there is none. */
export function blockedByCapacity(
  { registrationStatus, status }: Pick<DeskRow, 'registrationStatus' | 'status'>,
  tournament: { status: string; currentParticipants: number; maxParticipants: number },
): 'approved' | 'promoted' | 'reinstated' | null {
  if (tournament.status !== 'PUBLISHED' || tournament.currentParticipants < tournament.maxParticipants) return null;
  if (registrationStatus === 'pending') return 'approved';
  if (registrationStatus === 'waitlisted') return 'promoted';
  return registrationStatus === 'approved' && (status === 'disqualified' || status === 'no_show') ? 'reinstated' : null;
}

/** How many of the rows each action can be done to; those that fit nobody are left out. */
export function availableActions(rows: readonly Pick<DeskRow, 'actions'>[]): { action: DeskAction; count: number }[] {
  return actionNames
    .map((action) => ({ action, count: rows.filter((row) => isAllowed(row, action)).length }))
    .filter(({ count }) => count > 0);
}

/** `40 entrants`, or the name of the one. */
export function participantLabel(rows: readonly { name: string }[]): string {
  const [only] = rows;
  return rows.length === 1 && only ? only.name : `${rows.length} entrants`;
}

export type Refusal = { id: string; name: string; code: string; message: string };

/** `3 of 40 refused`, with the reasons and how often each, the most frequent first. */
export function refusalSummary(refused: readonly Refusal[], total: number): { title: string; codes: string } {
  const counts = new Map<string, number>();
  for (const { code } of refused) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} (${count})`);
  return { title: `${refused.length} of ${total} refused`, codes: codes.join(', ') };
}
