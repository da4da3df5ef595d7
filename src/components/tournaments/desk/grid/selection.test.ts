import { expect, test } from 'vitest';
import {
  emptySelection,
  moveCursor,
  selectRange,
  toggle,
  toggleAll,
  withoutMissing,
} from '@/components/tournaments/desk/grid/selection';

const visible = ['a', 'b', 'c', 'd', 'e'];
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('');

test('toggling selects and deselects a row, and ranges start there', () => {
  const one = toggle(emptySelection, 'b');
  expect([ids(one), one.anchor]).toEqual(['b', 'b']);
  expect(ids(toggle(one, 'b'))).toBe('');
});

test('a range extends both ways from the anchor and keeps the earlier selection', () => {
  const begun = toggle(toggle(emptySelection, 'e'), 'c');
  expect(ids(selectRange(begun, 'a', visible))).toBe('abce');
  expect(ids(selectRange(begun, 'd', visible))).toBe('cde');
  expect(selectRange(selectRange(begun, 'd', visible), 'b', visible).anchor).toBe('c');
});

test('without a visible anchor, a range is the row alone; a row that is not visible changes nothing', () => {
  expect(ids(selectRange(emptySelection, 'c', visible))).toBe('c');
  expect(ids(selectRange(toggle(emptySelection, 'z'), 'c', visible))).toBe('cz');
  const begun = toggle(emptySelection, 'a');
  expect(selectRange(begun, 'z', visible)).toBe(begun);
});

test('all visible rows are selected, or deselected if all were; hidden rows keep their state', () => {
  const filtered = toggle(emptySelection, 'z');
  const all = toggleAll(filtered, visible);
  expect(ids(all)).toBe('abcdez');
  expect(ids(toggleAll(all, visible))).toBe('z');
  expect(ids(toggleAll(toggle(emptySelection, 'a'), []))).toBe('a');
});

test('rows that no longer exist are deselected; otherwise the selection is unchanged', () => {
  const two = toggle(toggle(emptySelection, 'a'), 'b');
  expect(withoutMissing(two, new Set(visible))).toBe(two);
  const left = withoutMissing(two, new Set(['a', 'c']));
  expect([ids(left), left.anchor]).toEqual(['a', null]);
});

test('the cursor moves within the rows and starts at the first', () => {
  expect(moveCursor(null, visible, 1)).toBe('a');
  expect(moveCursor('gone', visible, -1)).toBe('a');
  expect(moveCursor('b', visible, 1)).toBe('c');
  expect(moveCursor('b', visible, -15)).toBe('a');
  expect(moveCursor('b', visible, 15)).toBe('e');
  expect(moveCursor('b', [], 1)).toBeNull();
});
