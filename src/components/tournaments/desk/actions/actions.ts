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

export type ActionLook = {
  /** On buttons, before a name or a number. */
  word: string;
  /** While a run goes on, and after it: `12 approved`. */
  doing: string;
  done: string;
  key: string;
  icon: LucideIcon;
  danger?: boolean;
  /** Asked for before it is done, and shown to the entrant. */
  reason?: string;
  /** What it does that cannot be undone: asked before it is done. */
  asks?: string;
  /** What takes it back, where the state machine knows a way to where they were. */
  undo?: DeskAction;
};

/** Everything a desk can do to entrants, the most frequent first. What may be done to whom, the server says. */
export const actionLooks: Record<DeskAction, ActionLook> = {
  check_in: {
    word: 'Check in',
    doing: 'Checking in',
    done: 'checked in',
    key: 'c',
    icon: UserCheck,
    undo: 'undo_check_in',
  },
  approve: { word: 'Approve', doing: 'Approving', done: 'approved', key: 'a', icon: Check, undo: 'reconsider' },
  promote: { word: 'Promote', doing: 'Promoting', done: 'promoted', key: 'p', icon: UserPlus },
  reinstate: { word: 'Reinstate', doing: 'Reinstating', done: 'reinstated', key: 'i', icon: RotateCcw },
  waitlist: {
    word: 'Waitlist',
    doing: 'Moving to the waitlist',
    done: 'on the waitlist',
    key: 'w',
    icon: ListOrdered,
    asks: 'They go to the end of the queue. Who held a slot gives it up, and whoever waits longest gets it at once.',
  },
  reject: {
    word: 'Reject',
    doing: 'Rejecting',
    done: 'rejected',
    key: 'r',
    icon: CircleX,
    danger: true,
    reason: 'Why are they not accepted?',
    undo: 'reconsider',
  },
  disqualify: {
    word: 'Disqualify',
    doing: 'Disqualifying',
    done: 'disqualified',
    key: 'd',
    icon: Ban,
    danger: true,
    reason: 'Which rule did they break?',
    undo: 'reinstate',
  },
  mark_no_show: {
    word: 'No-show',
    doing: 'Marking no-shows',
    done: 'marked as no-show',
    key: 'n',
    icon: UserX,
    danger: true,
    undo: 'reinstate',
  },
  undo_check_in: {
    word: 'Undo check-in',
    doing: 'Undoing check-in',
    done: 'not checked in any more',
    key: 'k',
    icon: Undo2,
    undo: 'check_in',
  },
  reconsider: {
    word: 'Back to pending',
    doing: 'Taking decisions back',
    done: 'pending again',
    key: 'b',
    icon: Hourglass,
  },
  remove: {
    word: 'Remove',
    doing: 'Removing',
    done: 'removed',
    key: 'x',
    icon: Trash2,
    danger: true,
    asks: 'Their registration goes with its answers and roster, and cannot be brought back. A slot they held goes to whoever waits longest. They may register again.',
  },
};

export const actionNames = Object.keys(actionLooks) as DeskAction[];

export const may = (row: Pick<DeskRow, 'actions'>, action: DeskAction) => row.actions.includes(action);

const steps = ['check_in', 'approve', 'promote'] as const;

/** The one thing that makes an entrant ready, or nothing. */
export function nextStep(row: Pick<DeskRow, 'actions'>): DeskAction | null {
  return steps.find((action) => may(row, action)) ?? null;
}

/** What an entrant waits for that only a free slot allows, while there is none. */
export function waitsForSlot(
  { registrationStatus, status }: Pick<DeskRow, 'registrationStatus' | 'status'>,
  tournament: { status: string; currentParticipants: number; maxParticipants: number },
): 'approved' | 'promoted' | 'reinstated' | null {
  if (tournament.status !== 'PUBLISHED' || tournament.currentParticipants < tournament.maxParticipants) return null;
  if (registrationStatus === 'pending') return 'approved';
  if (registrationStatus === 'waitlisted') return 'promoted';
  return registrationStatus === 'approved' && (status === 'disqualified' || status === 'no_show') ? 'reinstated' : null;
}

/** How many of the rows each action can be done to; those that fit nobody are left out. */
export function possibleFor(rows: readonly Pick<DeskRow, 'actions'>[]): { action: DeskAction; count: number }[] {
  return actionNames
    .map((action) => ({ action, count: rows.filter((row) => may(row, action)).length }))
    .filter(({ count }) => count > 0);
}

/** `40 entrants`, or the name of the one. */
export function whom(rows: readonly { name: string }[]): string {
  const [only] = rows;
  return rows.length === 1 && only ? only.name : `${rows.length} entrants`;
}

export type Refused = { id: string; name: string; code: string; message: string };

/** `3 of 40 refused`, with the reasons and how often each, the most frequent first. */
export function refusalSummary(refused: readonly Refused[], total: number): { title: string; codes: string } {
  const counts = new Map<string, number>();
  for (const { code } of refused) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} (${count})`);
  return { title: `${refused.length} of ${total} refused`, codes: codes.join(', ') };
}
