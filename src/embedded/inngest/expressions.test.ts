import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparable, keyOf, parseCondition, parseKey, parseMatch, parseWhen } from '@/embedded/inngest/expressions';

describe('expressions', () => {
  test('paths and constants are supported, anything else is not', () => {
    expect(parseKey('event.data.subscriptionId')).toEqual({ path: 'data.subscriptionId' });
    expect(parseKey('"global"')).toEqual({ constant: 'global' });
    expect(parseMatch('event.data.a == async.data.b')).toEqual({ eventPath: 'data.a', asyncPath: 'data.b' });
    expect(parseCondition("event.data.kind == 'x'")).toEqual({ path: 'data.kind', value: 'x' });
    for (const text of ['event.data.a + "-"', 'event.data["a"]', 'event.', '', 'async.data.a', 'event.data.a || 1']) {
      expect([parseKey(text), parseMatch(text), parseCondition(text)]).toEqual([null, null, null]);
    }
  });

  test('values compare as JSON, regardless of the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b]: [unknown, unknown] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))];
        expect(comparable(a) === comparable(b)).toBe(isDeepStrictEqual(a, b));
        expect(comparable({ a, b })).toBe(comparable({ b, a }));
        expect(comparable(a)?.length).toBeLessThanOrEqual(200);
      }),
    );
    expect(comparable(1)).not.toBe(comparable('1'));
    expect(comparable(undefined)).toBeNull();
  });

  test('events without the value share a key', () => {
    expect(keyOf({ path: 'data.missing' }, { data: {} })).toBe('null');
  });

  test('reads times as the SDK writes them', () => {
    const unit = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
    const parts = fc.tuple(fc.nat(9), fc.nat(6), fc.nat(23), fc.nat(59), fc.nat(59));
    fc.assert(
      fc.property(parts, (numbers) => {
        const named = Object.entries(unit).map(([name, seconds], index) => ({
          name,
          seconds,
          count: numbers[index] ?? 0,
        }));
        const text = named.map(({ name, count }) => (count > 0 ? `${count}${name}` : '')).join('');
        const afterMs = named.reduce((sum, { seconds, count }) => sum + seconds * count * 1000, 0);
        expect(parseWhen(text)).toEqual({ afterMs });
      }),
    );
    expect(parseWhen('2030-01-01T00:00:00.000Z')).toEqual({ at: '2030-01-01T00:00:00.000Z' });
    expect(parseWhen('+010000-01-01T00:00:00.000Z')).toEqual({ at: '9999-01-01T00:00:00.000Z' });
    for (const text of ['soon', '5', '1s ', '-1s', '2030']) expect(parseWhen(text)).toBeNull();
  });
});
