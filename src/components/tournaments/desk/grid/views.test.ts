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
  const standing = {
    registrationStatus: 'approved',
    status: 'registered',
    seed: null,
    waitlistPosition: null,
  } as const;
  return {
    id: `prt_${made}`,
    name: `Entrant ${made}`,
    email: `p${made}@players.test`,
    rosterSize: 0,
    players: [],
    registeredAt,
    since: registeredAt,
    ...standing,
    ...data,
  };
}

const field = [
  row({ name: 'Late Seed', seed: 7 }),
  row({ name: 'Checked', status: 'checked_in', players: ['Captain Ødegård', 'Bo'] }),
  row({ name: 'Second in line', registrationStatus: 'waitlisted', waitlistPosition: 2 }),
  row({ name: 'Top', seed: 1, status: 'checked_in' }),
  row({ name: 'Élodie', registrationStatus: 'pending' }),
  row({ name: 'First in line', registrationStatus: 'waitlisted', waitlistPosition: 1 }),
  row({ name: 'Cheat', status: 'disqualified' }),
  row({ name: 'نور', registrationStatus: 'rejected' }),
];
const names = (view: View, search = '', sort: Sort = null) =>
  visibleRows(field, { view, search, sort }).map(({ name }) => name);

describe('the lists', () => {
  test('hold who stands there, slots by seed and then by registration, the queue by place', () => {
    expect(names('approved')).toEqual(['Top', 'Late Seed', 'Checked']);
    expect(names('missing')).toEqual(['Late Seed']);
    expect(names('checkedIn')).toEqual(['Top', 'Checked']);
    expect(names('waitlisted')).toEqual(['First in line', 'Second in line']);
    expect(names('out')).toEqual(['Cheat']);
    expect(names('all')).toHaveLength(field.length);
  });

  test('are searched by words of name, address or roster, accents aside, in any script', () => {
    expect(names('all', 'elodie')).toEqual(['Élodie']);
    expect(names('all', 'in LINE')).toEqual(['First in line', 'Second in line']);
    expect(names('all', 'نور')).toEqual(['نور']);
    expect(names('all', field[1]?.email)).toEqual(['Checked']);
    expect(names('all', 'captain bo')).toEqual(['Checked']);
    expect(names('all', 'line nobody')).toEqual([]);
  });

  test('are sorted by a column, and a third time by the desk again', () => {
    const up = nextSort(null, 'name');
    expect(names('approved', '', up)).toEqual(['Checked', 'Late Seed', 'Top']);
    const down = nextSort(up, 'name');
    expect(names('approved', '', down)).toEqual(['Top', 'Late Seed', 'Checked']);
    expect(nextSort(down, 'name')).toBeNull();
    expect(nextSort(down, 'seed')).toEqual({ key: 'seed', down: false });
    expect(names('approved', '', { key: 'seed', down: false })).toEqual(['Top', 'Late Seed', 'Checked']);
  });

  test('are offered when someone stands there, or when they matter to everyone', () => {
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

test('the desk opens on who is not ready: approvals, then check-ins while they matter, then everyone who is in', () => {
  expect(defaultView({ pending: 2, notCheckedIn: 3 }, true)).toBe('pending');
  expect(defaultView({ pending: 0, notCheckedIn: 3 }, true)).toBe('missing');
  expect(defaultView({ pending: 0, notCheckedIn: 3 }, false)).toBe('approved');
  expect(defaultView({ pending: 0, notCheckedIn: 0 }, true)).toBe('approved');
});

test('a row is touched when its standing or seed changes, not when the queue before it moves', () => {
  const before = { registrationStatus: 'waitlisted', status: 'registered', seed: null, waitlistPosition: 3 } as const;
  const sign = (change: Partial<DeskRow>) => rowSignature({ ...before, ...change } as DeskRow);
  expect(sign({ waitlistPosition: 2 })).toBe(sign({}));
  expect(sign({ registrationStatus: 'approved' })).not.toBe(sign({}));
  expect(sign({ seed: 4 })).not.toBe(sign({}));
});
