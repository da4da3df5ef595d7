import { expect, test } from 'vitest';
import { extend, keepPresent, nobody, stepFrom, toggle, toggleAll } from '@/components/tournaments/desk/grid/selection';

const shown = ['a', 'b', 'c', 'd', 'e'];
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('');

test('a row is added and let go again, and ranges begin there', () => {
  const one = toggle(nobody, 'b');
  expect([ids(one), one.anchor]).toEqual(['b', 'b']);
  expect(ids(toggle(one, 'b'))).toBe('');
});

test('a range runs both ways from the anchor and keeps who was selected before', () => {
  const begun = toggle(toggle(nobody, 'e'), 'c');
  expect(ids(extend(begun, 'a', shown))).toBe('abce');
  expect(ids(extend(begun, 'd', shown))).toBe('cde');
  expect(extend(extend(begun, 'd', shown), 'b', shown).anchor).toBe('c');
});

test('without an anchor in sight, a range is the row alone; of a row that is not shown it is nothing', () => {
  expect(ids(extend(nobody, 'c', shown))).toBe('c');
  expect(ids(extend(toggle(nobody, 'z'), 'c', shown))).toBe('cz');
  const begun = toggle(nobody, 'a');
  expect(extend(begun, 'z', shown)).toBe(begun);
});

test('all shown are selected, or let go when they all were; who is filtered away stays', () => {
  const filtered = toggle(nobody, 'z');
  const all = toggleAll(filtered, shown);
  expect(ids(all)).toBe('abcdez');
  expect(ids(toggleAll(all, shown))).toBe('z');
  expect(ids(toggleAll(toggle(nobody, 'a'), []))).toBe('a');
});

test('who has left is let go, and nothing changes when nobody has', () => {
  const two = toggle(toggle(nobody, 'a'), 'b');
  expect(keepPresent(two, new Set(shown))).toBe(two);
  const left = keepPresent(two, new Set(['a', 'c']));
  expect([ids(left), left.anchor]).toEqual(['a', null]);
});

test('the cursor steps within the rows and begins at the first', () => {
  expect(stepFrom(null, shown, 1)).toBe('a');
  expect(stepFrom('gone', shown, -1)).toBe('a');
  expect(stepFrom('b', shown, 1)).toBe('c');
  expect(stepFrom('b', shown, -15)).toBe('a');
  expect(stepFrom('b', shown, 15)).toBe('e');
  expect(stepFrom('b', [], 1)).toBeNull();
});
