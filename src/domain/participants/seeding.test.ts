import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bySeed, drawOrder, mergeOrder, moveTo, orderFaults } from '@/domain/participants/seeding';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 40 });

describe('the draw', () => {
  test('contains everyone once, depends on the random seed, and not on the order of the input', () => {
    fc.assert(
      fc.property(ids, fc.string(), (participants, randomSeed) => {
        const drawn = drawOrder(participants, randomSeed);
        expect([...drawn].sort()).toEqual([...participants].sort());
        expect(drawOrder([...participants].reverse(), randomSeed)).toEqual(drawn);
      }),
    );
    const many = Array.from({ length: 50 }, (_, index) => `prt_${index}`);
    expect(drawOrder(many, 'a')).not.toEqual(drawOrder(many, 'b'));
  });

  test('keeps the order of the others when one leaves', () => {
    fc.assert(
      fc.property(ids, fc.string(), fc.nat(), (participants, randomSeed, which) => {
        const gone = participants[which % Math.max(participants.length, 1)];
        const without = drawOrder(
          participants.filter((id) => id !== gone),
          randomSeed,
        );
        expect(without).toEqual(drawOrder(participants, randomSeed).filter((id) => id !== gone));
      }),
    );
  });

  test('can be verified: SHA-256 of random seed, colon, id', () => {
    const participants = ['prt_a', 'prt_b', 'prt_c', 'prt_d'];
    const ticket = (id: string) => createHash('sha256').update(`laurel:${id}`).digest('hex');
    const byTicket = [...participants].sort((a, b) => (ticket(a) < ticket(b) ? -1 : 1));
    expect(drawOrder(participants, 'laurel')).toEqual(byTicket);
  });
});

test('participants with a seed come first; the others by time of registration', () => {
  const participants = [
    { id: 'late', seed: null, registeredAt: '2026-01-03T00:00:00.000Z' },
    { id: 'seven', seed: 7, registeredAt: '2026-01-04T00:00:00.000Z' },
    { id: 'early', seed: null, registeredAt: new Date('2026-01-01T00:00:00.000Z') },
    { id: 'two', seed: 2, registeredAt: '2026-01-02T00:00:00.000Z' },
  ];
  expect(participants.sort(bySeed).map(({ id }) => id)).toEqual(['two', 'seven', 'early', 'late']);
});

describe('an order', () => {
  test('has no faults exactly when it is a permutation', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat()), (participants, picks) => {
        const order = picks.map((pick) => participants[pick % Math.max(participants.length, 1)] ?? 'nobody');
        const { twice, unknown, missing } = orderFaults(order, participants);
        const permutation =
          order.length === participants.length && new Set(order).size === order.length && !unknown.length;
        expect(twice.length + unknown.length + missing.length === 0).toBe(permutation);
      }),
    );
    expect(orderFaults(['a', 'x', 'a'], ['a', 'b'])).toEqual({
      twice: [{ id: 'a', at: 2 }],
      unknown: [{ id: 'x', at: 1 }],
      missing: ['b'],
    });
  });

  test('keeps everyone when someone is moved, and moves them to the right place', () => {
    fc.assert(
      fc.property(ids, fc.nat(60), fc.integer({ min: -5, max: 60 }), (order, from, to) => {
        const moved = moveTo(order, from, to);
        expect([...moved].sort()).toEqual([...order].sort());
        const id = order[from];
        if (id !== undefined) expect(moved.indexOf(id)).toBe(Math.min(Math.max(to, 0), order.length - 1));
      }),
    );
  });

  test('adds new participants at the end, removes those who left, and keeps the order of the rest', () => {
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
