import type { DeskRow } from '@/components/tournaments/desk/queries';
import { bySeed } from '@/domain/participants/seeding';
import { holdsSlot } from '@/domain/participants/statuses';

type Statuses = Pick<DeskRow, 'registrationStatus' | 'status'>;
type Viewed = Statuses & Pick<DeskRow, 'owesCheckIn'>;

const isOut = ({ registrationStatus, status }: Statuses) =>
  registrationStatus === 'approved' && (status === 'disqualified' || status === 'withdrew');

/** The views of the desk. `emptyText` is shown for an empty one. */
export const views = {
  approved: { label: 'Approved', includes: holdsSlot, emptyText: 'No participants are approved yet.' },
  missing: {
    label: 'Not checked in',
    includes: (row) => row.registrationStatus === 'approved' && row.status === 'registered' && row.owesCheckIn,
    emptyText: 'All approved participants are checked in.',
  },
  checkedIn: {
    label: 'Checked in',
    includes: (row) => row.registrationStatus === 'approved' && row.status === 'checked_in',
    emptyText: 'No participants are checked in yet.',
  },
  pending: {
    label: 'Awaiting approval',
    includes: (row) => row.registrationStatus === 'pending',
    emptyText: 'No registrations are awaiting approval.',
  },
  waitlisted: {
    label: 'Waitlist',
    includes: (row) => row.registrationStatus === 'waitlisted',
    emptyText: 'The waitlist is empty.',
  },
  noShow: {
    label: 'No-shows',
    includes: (row) => row.registrationStatus === 'approved' && row.status === 'no_show',
    emptyText: 'No participants are marked as no-shows.',
  },
  out: { label: 'Disqualified', includes: isOut, emptyText: 'No participants are disqualified.' },
  rejected: {
    label: 'Rejected',
    includes: (row) => row.registrationStatus === 'rejected',
    emptyText: 'No registrations were rejected.',
  },
  cancelled: {
    label: 'Cancelled',
    includes: (row) => row.registrationStatus === 'cancelled',
    emptyText: 'No registrations were cancelled.',
  },
  all: { label: 'All', includes: () => true, emptyText: 'No registrations yet.' },
} as const satisfies Record<string, { label: string; includes: (row: Viewed) => boolean; emptyText: string }>;

export type View = keyof typeof views;
export const viewNames = Object.keys(views) as View[];

export function isView(text: unknown): text is View {
  return typeof text === 'string' && Object.hasOwn(views, text);
}

/** Views that are hidden while they are empty. */
const hiddenWhenEmpty: ReadonlySet<View> = new Set(['pending', 'waitlisted', 'noShow', 'out', 'rejected', 'cancelled']);

/** The views to offer, each with its number of participants. */
export function viewCounts(rows: readonly Viewed[], current: View): { view: View; count: number }[] {
  return viewNames
    .map((view) => ({ view, count: rows.filter(views[view].includes).length }))
    .filter(({ view, count }) => count > 0 || view === current || !hiddenWhenEmpty.has(view));
}

/** The view that shows who is not ready: pending approvals, then missing check-ins, then everyone approved. */
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
  | 'owesCheckIn'
  | 'registeredAt'
  | 'since'
>;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const stateOrder = (row: Sortable) => viewNames.findIndex((view) => view !== 'approved' && views[view].includes(row));

/** Participants with a slot by seed, then the waitlist by position, then the others by registration time. */
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

/** The next sort order of a column: ascending, descending, then the default again. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  if (sort?.key !== key) return { key, down: false };
  return sort.down ? null : { key, down: true };
}

const normalize = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The sorted rows of a view that contain every search word in name, email or roster; accents are ignored. */
export function visibleRows<Row extends Sortable & Pick<DeskRow, 'email' | 'players'>>(
  rows: readonly Row[],
  { view, search, sort }: { view: View; search: string; sort: Sort },
): Row[] {
  const words = normalize(search).split(/\s+/).filter(Boolean);
  const matches = (row: Row) => {
    if (!views[view].includes(row)) return false;
    if (words.length === 0) return true;
    const text = normalize(`${row.name} ${row.email ?? ''} ${row.players.join(' ')}`);
    return words.every((word) => text.includes(word));
  };
  return rows.filter(matches).sort(comparer(sort));
}

/** The parts of a row that count as a change when someone else edits it. */
export const rowSignature = (row: Statuses & { seed: number | null }) =>
  `${row.registrationStatus} ${row.status} ${row.seed ?? ''}`;
