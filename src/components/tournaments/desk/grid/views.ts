import type { DeskRow } from '@/components/tournaments/desk/queries';
import { bySeed } from '@/domain/participants/seeding';
import { holdsSlot } from '@/domain/participants/statuses';

type Statuses = Pick<DeskRow, 'registrationStatus' | 'status'>;

const isOut = ({ registrationStatus, status }: Statuses) =>
  registrationStatus === 'approved' && (status === 'disqualified' || status === 'withdrew');

/** The lists that the desk offers. `none` is said of an empty one. */
export const views = {
  approved: { label: 'In', shows: holdsSlot, none: 'Nobody has a slot yet.' },
  missing: {
    label: 'Not checked in',
    shows: (row) => row.registrationStatus === 'approved' && row.status === 'registered',
    none: 'Everyone with a slot is checked in.',
  },
  checkedIn: {
    label: 'Checked in',
    shows: (row) => row.registrationStatus === 'approved' && row.status === 'checked_in',
    none: 'Nobody is checked in yet.',
  },
  pending: {
    label: 'Awaiting approval',
    shows: (row) => row.registrationStatus === 'pending',
    none: 'Nobody waits for approval.',
  },
  waitlisted: {
    label: 'Waitlist',
    shows: (row) => row.registrationStatus === 'waitlisted',
    none: 'Nobody waits for a slot.',
  },
  noShow: {
    label: 'No-shows',
    shows: (row) => row.registrationStatus === 'approved' && row.status === 'no_show',
    none: 'Nobody is marked as a no-show.',
  },
  out: { label: 'Disqualified', shows: isOut, none: 'Nobody is disqualified.' },
  rejected: {
    label: 'Rejected',
    shows: (row) => row.registrationStatus === 'rejected',
    none: 'Nobody was rejected.',
  },
  cancelled: {
    label: 'Cancelled',
    shows: (row) => row.registrationStatus === 'cancelled',
    none: 'Nobody has cancelled.',
  },
  all: { label: 'All', shows: () => true, none: 'Nobody has registered yet.' },
} as const satisfies Record<string, { label: string; shows: (row: Statuses) => boolean; none: string }>;

export type View = keyof typeof views;
export const viewNames = Object.keys(views) as View[];

export function isView(text: unknown): text is View {
  return typeof text === 'string' && Object.hasOwn(views, text);
}

/** Lists that are offered only while someone stands in them. */
const hiddenWhenEmpty: ReadonlySet<View> = new Set(['pending', 'waitlisted', 'noShow', 'out', 'rejected', 'cancelled']);

/** How many stand in each list, and which lists are worth offering. */
export function viewCounts(rows: readonly Statuses[], current: View): { view: View; count: number }[] {
  return viewNames
    .map((view) => ({ view, count: rows.filter(views[view].shows).length }))
    .filter(({ view, count }) => count > 0 || view === current || !hiddenWhenEmpty.has(view));
}

/** The list that answers first who is not ready: approvals, then check-ins while they matter, then everyone who is in. */
export function defaultView(counts: { pending: number; notCheckedIn: number }, checkInOpen: boolean): View {
  if (counts.pending > 0) return 'pending';
  return checkInOpen && counts.notCheckedIn > 0 ? 'missing' : 'approved';
}

export type SortKey = 'name' | 'state' | 'seed' | 'roster' | 'since';
export type Sort = { key: SortKey; down: boolean } | null;

type Sortable = Pick<
  DeskRow,
  | 'id'
  | 'name'
  | 'registrationStatus'
  | 'status'
  | 'seed'
  | 'waitlistPosition'
  | 'rosterSize'
  | 'registeredAt'
  | 'since'
>;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const stateOrder = (row: Sortable) => viewNames.findIndex((view) => view !== 'approved' && views[view].shows(row));

/** As a bracket reads them: slots by seed, then the queue by place, then the others by registration. */
function byStatus(a: Sortable, b: Sortable): number {
  return (
    Number(holdsSlot(b)) - Number(holdsSlot(a)) ||
    (a.waitlistPosition ?? Number.POSITIVE_INFINITY) - (b.waitlistPosition ?? Number.POSITIVE_INFINITY) ||
    bySeed(a, b)
  );
}

const compare: Record<SortKey, (a: Sortable, b: Sortable) => number> = {
  name: (a, b) => collator.compare(a.name, b.name),
  state: (a, b) => stateOrder(a) - stateOrder(b),
  seed: (a, b) => (a.seed ?? Number.MAX_SAFE_INTEGER) - (b.seed ?? Number.MAX_SAFE_INTEGER),
  roster: (a, b) => a.rosterSize - b.rosterSize,
  since: (a, b) => Date.parse(a.since) - Date.parse(b.since),
};

function comparer(sort: Sort) {
  return (a: Sortable, b: Sortable) => {
    const chosen = sort ? compare[sort.key](a, b) * (sort.down ? -1 : 1) : 0;
    return chosen || byStatus(a, b);
  };
}

/** A column's next order: up, down, then the desk's own again. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  if (sort?.key !== key) return { key, down: false };
  return sort.down ? null : { key, down: true };
}

const normalize = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The rows of a list whose name, address or roster has all the words sought, accents aside, in order. */
export function visibleRows<Row extends Sortable & Pick<DeskRow, 'email' | 'players'>>(
  rows: readonly Row[],
  { view, search, sort }: { view: View; search: string; sort: Sort },
): Row[] {
  const words = normalize(search).split(/\s+/).filter(Boolean);
  const fits = (row: Row) => {
    if (!views[view].shows(row)) return false;
    if (words.length === 0) return true;
    const text = normalize(`${row.name} ${row.email} ${row.players.join(' ')}`);
    return words.every((word) => text.includes(word));
  };
  return rows.filter(fits).sort(comparer(sort));
}

/** What of a row an organizer sees change: compared to tell whose row someone else has just touched. */
export const rowSignature = (row: Statuses & { seed: number | null }) =>
  `${row.registrationStatus} ${row.status} ${row.seed ?? ''}`;
