import { describe, expect, test } from 'vitest';
import {
  defaultView,
  nextSort,
  rowSignature,
  type Sort,
  type View,
  viewCounts,
  visibleRows,
} from '@/components/tournaments/desk/grid/views';
import type { DeskRow } from '@/components/tournaments/desk/queries';

type Row = Parameters<typeof visibleRows>[0][number];

let made = 0;
function row(data: Partial<Row>): Row {
  made += 1;
  const registeredAt = new Date(1_700_000_000_000 + made * 1_000).toISOString();
  const state = {
    registrationStatus: 'approved',
    status: 'registered',
    seed: null,
    waitlistPosition: null,
  } as const;
  return {
    id: `prt_${made}`,
    name: `Participant ${made}`,
    email: `p${made}@players.test`,
    rosterSize: 0,
    owesCheckIn: true,
    players: [],
    registeredAt,
    since: registeredAt,
    ...state,
    ...data,
  };
}

const field = [
  row({ name: 'Late Seed', seed: 7 }),
  row({ name: 'Checked', status: 'checked_in', players: ['Captain Ødegård', 'Bo'] }),
  row({ name: 'Second on waitlist', registrationStatus: 'waitlisted', waitlistPosition: 2 }),
  row({ name: 'Top', seed: 1, status: 'checked_in' }),
  row({ name: 'Élodie', registrationStatus: 'pending' }),
  row({ name: 'First on waitlist', registrationStatus: 'waitlisted', waitlistPosition: 1 }),
  row({ name: 'Cheat', status: 'disqualified' }),
  row({ name: 'نور', registrationStatus: 'rejected' }),
];
const names = (view: View, search = '', sort: Sort = null) =>
  visibleRows(field, { view, search, sort }).map(({ name }) => name);

describe('the views', () => {
  test('sort participants with a slot by seed, then registration time, and the waitlist by position', () => {
    expect(names('approved')).toEqual(['Top', 'Late Seed', 'Checked']);
    expect(names('missing')).toEqual(['Late Seed']);
    expect(names('checkedIn')).toEqual(['Top', 'Checked']);
    expect(names('waitlisted')).toEqual(['First on waitlist', 'Second on waitlist']);
    expect(names('out')).toEqual(['Cheat']);
    expect(names('all')).toHaveLength(field.length);
  });

  test('are searched by words of name, email or roster, ignoring accents, in any script', () => {
    expect(names('all', 'elodie')).toEqual(['Élodie']);
    expect(names('all', 'on WAITLIST')).toEqual(['First on waitlist', 'Second on waitlist']);
    expect(names('all', 'نور')).toEqual(['نور']);
    expect(names('all', field[1]?.email ?? '')).toEqual(['Checked']);
    expect(names('all', 'captain bo')).toEqual(['Checked']);
    expect(names('all', 'waitlist nobody')).toEqual([]);
  });

  test('sort by a column, and by default again on the third click', () => {
    const up = nextSort(null, 'name');
    expect(names('approved', '', up)).toEqual(['Checked', 'Late Seed', 'Top']);
    const down = nextSort(up, 'name');
    expect(names('approved', '', down)).toEqual(['Top', 'Late Seed', 'Checked']);
    expect(nextSort(down, 'name')).toBeNull();
    expect(nextSort(down, 'seed')).toEqual({ key: 'seed', down: false });
    expect(names('approved', '', { key: 'seed', down: false })).toEqual(['Top', 'Late Seed', 'Checked']);
  });

  test('are offered when they are not empty, selected, or always useful', () => {
    const offered = viewCounts(field, 'approved').map(({ view, count }) => `${view} ${count}`);
    expect(offered).toEqual([
      'approved 3',
      'missing 1',
      'checkedIn 2',
      'pending 1',
      'waitlisted 2',
      'out 1',
      'rejected 1',
      'all 8',
    ]);
    expect(viewCounts([], 'noShow').map(({ view }) => view)).toEqual([
      'approved',
      'missing',
      'checkedIn',
      'noShow',
      'all',
    ]);
  });
});

test('the desk opens on pending approvals, then on missing check-ins, then on everyone approved', () => {
  expect(defaultView({ pending: 2, notCheckedIn: 3 }, true)).toBe('pending');
  expect(defaultView({ pending: 0, notCheckedIn: 3 }, true)).toBe('missing');
  expect(defaultView({ pending: 0, notCheckedIn: 3 }, false)).toBe('approved');
  expect(defaultView({ pending: 0, notCheckedIn: 0 }, true)).toBe('approved');
});

test('a row counts as changed when its status or seed changes, not when the waitlist moves up', () => {
  const before = { registrationStatus: 'waitlisted', status: 'registered', seed: null, waitlistPosition: 3 } as const;
  const signature = (change: Partial<DeskRow>) => rowSignature({ ...before, ...change } as DeskRow);
  expect(signature({ waitlistPosition: 2 })).toBe(signature({}));
  expect(signature({ registrationStatus: 'approved' })).not.toBe(signature({}));
  expect(signature({ seed: 4 })).not.toBe(signature({}));
});
