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
import { counted } from '@/domain/text/counted';

export type ActionDefinition = {
  /** On buttons, before a name or a number: `Approve 12`. */
  label: string;
  /** While it runs, and after it: `12 participants approved`. */
  progressLabel: string;
  pastLabel: string;
  key: string;
  icon: LucideIcon;
  danger?: boolean;
  /** Asks for a reason, which is shown to the participant. */
  reasonQuestion?: string;
  /** Asks for confirmation by saying what cannot be undone. */
  warning?: string;
  /** The action that undoes it, where the state machine has a way back. */
  undo?: DeskAction;
};

/** Every action of the desk, the most frequent first. The server says which are allowed for each participant. */
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
    pastLabel: 'moved to the waitlist',
    key: 'w',
    icon: ListOrdered,
    warning:
      'They move to the end of the waitlist. If they have a slot, it goes to the first on the waitlist right away.',
  },
  reject: {
    label: 'Reject',
    progressLabel: 'Rejecting',
    pastLabel: 'rejected',
    key: 'r',
    icon: CircleX,
    danger: true,
    reasonQuestion: 'Why do you reject the registration?',
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
    label: 'Mark as no-show',
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
    pastLabel: 'no longer checked in',
    key: 'k',
    icon: Undo2,
    undo: 'check_in',
  },
  reconsider: {
    label: 'Back to pending',
    progressLabel: 'Moving back to pending',
    pastLabel: 'moved back to pending',
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
      'The registration is deleted with its answers and roster, which cannot be undone. If they have a slot, it goes to the first on the waitlist. They can register again.',
  },
};

export const actionNames = Object.keys(actionDefinitions) as DeskAction[];

export const isAllowed = (row: Pick<DeskRow, 'actions'>, action: DeskAction) => row.actions.includes(action);

const primaryActions = ['check_in', 'approve', 'promote'] as const;

/** The action that gets a participant closer to ready; null without one. */
export function primaryAction(row: Pick<DeskRow, 'actions'>): DeskAction | null {
  return primaryActions.find((action) => isAllowed(row, action)) ?? null;
}

/** What a participant cannot be while all slots are taken; null when capacity blocks nothing. */
export function blockedByCapacity(
  { registrationStatus, status }: Pick<DeskRow, 'registrationStatus' | 'status'>,
  tournament: { status: string; currentParticipants: number; maxParticipants: number },
): 'approved' | 'promoted' | 'reinstated' | null {
  if (tournament.status !== 'PUBLISHED' || tournament.currentParticipants < tournament.maxParticipants) return null;
  if (registrationStatus === 'pending') return 'approved';
  if (registrationStatus === 'waitlisted') return 'promoted';
  return registrationStatus === 'approved' && (status === 'disqualified' || status === 'no_show') ? 'reinstated' : null;
}

/** The actions allowed for any of the rows, each with the number of rows it is allowed for. */
export function availableActions(rows: readonly Pick<DeskRow, 'actions'>[]): { action: DeskAction; count: number }[] {
  return actionNames
    .map((action) => ({ action, count: rows.filter((row) => isAllowed(row, action)).length }))
    .filter(({ count }) => count > 0);
}

/** `40 participants`, or the name of a single one. */
export function participantLabel(rows: readonly { name: string }[]): string {
  const [only] = rows;
  return rows.length === 1 && only ? only.name : counted(rows.length, 'participant');
}

export type Refusal = { id: string; name: string; code: string; message: string };

/** `3 of 40 failed`, with the error codes and their counts, the most frequent first. */
export function refusalSummary(refused: readonly Refusal[], total: number): { title: string; codes: string } {
  const counts = new Map<string, number>();
  for (const { code } of refused) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} (${count})`);
  return { title: `${refused.length} of ${total} failed`, codes: codes.join(', ') };
}
