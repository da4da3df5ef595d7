import { Link2, type LucideIcon, Pencil } from 'lucide-react';

/** What staff can do for a participant without an account, beside the actions of every participant. */
export const guestActions = {
  edit: { label: 'Edit', icon: Pencil },
  claim: { label: 'Copy claim link', icon: Link2 },
} as const satisfies Record<string, { label: string; icon: LucideIcon }>;

export type GuestAction = keyof typeof guestActions;
export const guestActionNames = Object.keys(guestActions) as GuestAction[];
