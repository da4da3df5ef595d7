import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { newId } from './ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const numberOf = (text: string) => [...text].reduce((sum, one) => sum * 32n + BigInt(alphabet.indexOf(one)), 0n);

test('ids say when they were made, in the order in which they were', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => newId('trn'));
  const after = Date.now();
  expect(ids.every((id) => /^trn_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map((id) => decodeTime(id.slice(4).toUpperCase()));
  expect([(times[0] ?? 0) >= before, (times.at(-1) ?? 0) <= after]).toEqual([true, true]);
});

test('nobody can tell from an id which one comes next', () => {
  const ids = Array.from({ length: 2_000 }, (_, at) => newId(at % 2 === 0 ? 'req' : 'trn').slice(4));
  const steps = ids.flatMap((id, at) => {
    const last = ids[at - 1];
    const isNear = last?.slice(0, 10) === id.slice(0, 10);
    return isNear ? [numberOf(id) - numberOf(last ?? '')] : [];
  });
  expect(steps.length).toBeGreaterThan(100);
  // Of steps of up to 2^40, one in a thousand million is so short.
  expect(steps.filter((step) => step < 1_000n)).toEqual([]);
  expect(new Set(steps).size).toBe(steps.length);
});
