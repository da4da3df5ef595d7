import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bySeed, drawOrder, mergeOrder, moveTo, orderFaults } from '@/domain/participants/seeding';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 40 });

describe('the draw', () => {
  test('is everyone once, the same whatever order they come in, and another for another random seed', () => {
    fc.assert(
      fc.property(ids, fc.string(), (entrants, randomSeed) => {
        const drawn = drawOrder(entrants, randomSeed);
        expect([...drawn].sort()).toEqual([...entrants].sort());
        expect(drawOrder([...entrants].reverse(), randomSeed)).toEqual(drawn);
      }),
    );
    const many = Array.from({ length: 50 }, (_, index) => `prt_${index}`);
    expect(drawOrder(many, 'a')).not.toEqual(drawOrder(many, 'b'));
  });

  test('does not move the others when one leaves', () => {
    fc.assert(
      fc.property(ids, fc.string(), fc.nat(), (entrants, randomSeed, which) => {
        const gone = entrants[which % Math.max(entrants.length, 1)];
        const without = drawOrder(
          entrants.filter((id) => id !== gone),
          randomSeed,
        );
        expect(without).toEqual(drawOrder(entrants, randomSeed).filter((id) => id !== gone));
      }),
    );
  });

  test('can be checked by hand: SHA-256 over random seed, colon, id', () => {
    const entrants = ['prt_a', 'prt_b', 'prt_c', 'prt_d'];
    const ticket = (id: string) => createHash('sha256').update(`laurel:${id}`).digest('hex');
    const byTicket = [...entrants].sort((a, b) => (ticket(a) < ticket(b) ? -1 : 1));
    expect(drawOrder(entrants, 'laurel')).toEqual(byTicket);
  });
});

test('seeds go before none, gaps and all; without one, who registered first', () => {
  const entrants = [
    { id: 'late', seed: null, registeredAt: '2026-01-03T00:00:00.000Z' },
    { id: 'seven', seed: 7, registeredAt: '2026-01-04T00:00:00.000Z' },
    { id: 'early', seed: null, registeredAt: new Date('2026-01-01T00:00:00.000Z') },
    { id: 'two', seed: 2, registeredAt: '2026-01-02T00:00:00.000Z' },
  ];
  expect(entrants.sort(bySeed).map(({ id }) => id)).toEqual(['two', 'seven', 'early', 'late']);
});

describe('an order', () => {
  test('has no fault exactly when it is a permutation', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat()), (entrants, picks) => {
        const order = picks.map((pick) => entrants[pick % Math.max(entrants.length, 1)] ?? 'nobody');
        const { twice, unknown, missing } = orderFaults(order, entrants);
        const permutation = order.length === entrants.length && new Set(order).size === order.length && !unknown.length;
        expect(twice.length + unknown.length + missing.length === 0).toBe(permutation);
      }),
    );
    expect(orderFaults(['a', 'x', 'a'], ['a', 'b'])).toEqual({
      twice: [{ id: 'a', at: 2 }],
      unknown: [{ id: 'x', at: 1 }],
      missing: ['b'],
    });
  });

  test('keeps everyone when someone is moved, and puts them where they were sent', () => {
    fc.assert(
      fc.property(ids, fc.nat(60), fc.integer({ min: -5, max: 60 }), (order, from, to) => {
        const moved = moveTo(order, from, to);
        expect([...moved].sort()).toEqual([...order].sort());
        const id = order[from];
        if (id !== undefined) expect(moved.indexOf(id)).toBe(Math.min(Math.max(to, 0), order.length - 1));
      }),
    );
  });

  test('takes newcomers at the end and lets leavers go, and leaves the rest as they were', () => {
    fc.assert(
      fc.property(ids, ids, (working, present) => {
        const { order, joined, left } = mergeOrder(working, present);
        expect([...order].sort()).toEqual([...present].sort());
        expect(order.filter((id) => working.includes(id))).toEqual(working.filter((id) => present.includes(id)));
        expect(left.every((id) => !present.includes(id))).toBe(true);
        expect(order.slice(order.length - joined.length)).toEqual(joined);
      }),
    );
  });
});
