import { expect, test } from 'vitest';
import {
  emptySelection,
  moveCursor,
  selectRange,
  toggle,
  toggleAll,
  withoutMissing,
} from '@/components/tournaments/desk/grid/selection';

const shown = ['a', 'b', 'c', 'd', 'e'];
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('');

test('a row is added and let go again, and ranges begin there', () => {
  const one = toggle(emptySelection, 'b');
  expect([ids(one), one.anchor]).toEqual(['b', 'b']);
  expect(ids(toggle(one, 'b'))).toBe('');
});

test('a range runs both ways from the anchor and keeps who was selected before', () => {
  const begun = toggle(toggle(emptySelection, 'e'), 'c');
  expect(ids(selectRange(begun, 'a', shown))).toBe('abce');
  expect(ids(selectRange(begun, 'd', shown))).toBe('cde');
  expect(selectRange(selectRange(begun, 'd', shown), 'b', shown).anchor).toBe('c');
});

test('without an anchor in sight, a range is the row alone; of a row that is not shown it is nothing', () => {
  expect(ids(selectRange(emptySelection, 'c', shown))).toBe('c');
  expect(ids(selectRange(toggle(emptySelection, 'z'), 'c', shown))).toBe('cz');
  const begun = toggle(emptySelection, 'a');
  expect(selectRange(begun, 'z', shown)).toBe(begun);
});

test('all shown are selected, or let go when they all were; who is filtered away stays', () => {
  const filtered = toggle(emptySelection, 'z');
  const all = toggleAll(filtered, shown);
  expect(ids(all)).toBe('abcdez');
  expect(ids(toggleAll(all, shown))).toBe('z');
  expect(ids(toggleAll(toggle(emptySelection, 'a'), []))).toBe('a');
});

test('who has left is let go, and nothing changes when nobody has', () => {
  const two = toggle(toggle(emptySelection, 'a'), 'b');
  expect(withoutMissing(two, new Set(shown))).toBe(two);
  const left = withoutMissing(two, new Set(['a', 'c']));
  expect([ids(left), left.anchor]).toEqual(['a', null]);
});

test('the cursor steps within the rows and begins at the first', () => {
  expect(moveCursor(null, shown, 1)).toBe('a');
  expect(moveCursor('gone', shown, -1)).toBe('a');
  expect(moveCursor('b', shown, 1)).toBe('c');
  expect(moveCursor('b', shown, -15)).toBe('a');
  expect(moveCursor('b', shown, 15)).toBe('e');
  expect(moveCursor('b', [], 1)).toBeNull();
});
