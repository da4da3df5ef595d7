import type { Outputs } from '@/trpc/outputs';

export type Detail = Outputs['tournaments']['get'];
export type Entrant = Outputs['participants']['list']['items'][number];
export type Counts = Outputs['participants']['counts'];

export type View = 'approved' | 'missing' | 'checkedIn' | 'pending' | 'waitlisted' | 'rejected' | 'cancelled' | 'all';

type Filter = {
  registrationStatus?: 'approved' | 'pending' | 'waitlisted' | 'rejected' | 'cancelled';
  status?: 'registered' | 'checked_in';
};

/** The lists of entrants that the desk offers. */
export const views: Record<View, { label: string; filter: Filter; count: (counts: Counts) => number; none: string }> = {
  approved: {
    label: 'Approved',
    filter: { registrationStatus: 'approved' },
    count: (counts) => counts.approved,
    none: 'Nobody has a slot yet.',
  },
  missing: {
    label: 'Not checked in',
    filter: { registrationStatus: 'approved', status: 'registered' },
    count: (counts) => counts.notCheckedIn,
    none: 'Everyone with a slot is checked in.',
  },
  checkedIn: {
    label: 'Checked in',
    filter: { registrationStatus: 'approved', status: 'checked_in' },
    count: (counts) => counts.checkedIn,
    none: 'Nobody is checked in yet.',
  },
  pending: {
    label: 'Awaiting approval',
    filter: { registrationStatus: 'pending' },
    count: (counts) => counts.pending,
    none: 'Nobody waits for approval.',
  },
  waitlisted: {
    label: 'Waitlist',
    filter: { registrationStatus: 'waitlisted' },
    count: (counts) => counts.waitlisted,
    none: 'Nobody waits for a slot.',
  },
  rejected: {
    label: 'Rejected',
    filter: { registrationStatus: 'rejected' },
    count: (counts) => counts.rejected,
    none: 'Nobody was rejected.',
  },
  cancelled: {
    label: 'Cancelled',
    filter: { registrationStatus: 'cancelled' },
    count: (counts) => counts.cancelled,
    none: 'Nobody has cancelled.',
  },
  all: { label: 'All', filter: {}, count: (counts) => counts.total, none: 'Nobody has registered yet.' },
};

/** Input of the entrants' list, the same on the server that prefetches the first one. */
export function entrantsInput(tournamentId: string, view: View, page = 1, search = '') {
  return { tournamentId, ...views[view].filter, page, limit: 50, ...(search ? { search } : {}) };
}
