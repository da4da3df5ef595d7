import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { pairSwissRound, type SwissPlayer } from './swiss-pairing';

const player = (seed: number, points: number, met: readonly number[] = [], hadBye = false): SwissPlayer => ({
  participantId: `p${seed}`,
  points,
  seed,
  hadBye,
  met: new Set(met.map((one) => `p${one}`)),
});
const pairsOf = (players: readonly SwissPlayer[]) => pairSwissRound(players)?.pairs.map((pair) => pair.join(' '));

describe('pairSwissRound', () => {
  it('pairs the upper half of a score group with its lower half', () => {
    expect(pairsOf([1, 2, 3, 4, 5, 6].map((seed) => player(seed, 0)))).toEqual(['p1 p4', 'p2 p5', 'p3 p6']);
  });

  it('pairs within score groups and lets the lowest float down', () => {
    const players = [player(1, 3), player(2, 3), player(3, 3), player(4, 0), player(5, 0), player(6, 0)];
    expect(pairsOf(players)).toEqual(['p1 p2', 'p3 p5', 'p4 p6']);
  });

  it('avoids a rematch by breaking a score group up', () => {
    const players = [player(1, 3, [2]), player(2, 3, [1]), player(3, 0), player(4, 0)];
    expect(pairsOf(players)).toEqual(['p1 p3', 'p2 p4']);
  });

  it('changes pairs it has made where that alone avoids a rematch', () => {
    const players = [player(1, 6), player(2, 6), player(3, 0, [4]), player(4, 0, [3])];
    expect(pairSwissRound(players)).toMatchObject({ rematches: 0 });
  });

  it('repeats one match when nothing else is possible', () => {
    const all = [1, 2, 3, 4];
    const players = all.map((seed) =>
      player(
        seed,
        0,
        all.filter((one) => one !== seed),
      ),
    );
    expect(pairSwissRound(players)).toMatchObject({ rematches: 2, bye: null });
  });

  it('gives the bye to the lowest seed of the lowest score group who had none', () => {
    const players = [player(1, 3), player(4, 3), player(2, 0), player(5, 0, [], true), player(3, 0)];
    expect(pairSwissRound(players)?.bye).toBe('p3');
  });

  it('gives the bye to somebody else where that avoids a rematch', () => {
    const players = [player(1, 3, [2]), player(2, 3, [1]), player(3, 0)];
    expect(pairSwissRound(players)).toEqual({ pairs: [['p1', 'p3']], bye: 'p2', rematches: 0 });
  });

  it('has no legal pairing for one player, or when all of an odd field had a bye', () => {
    expect(pairSwissRound([player(1, 0)])).toBeNull();
    expect(pairSwissRound([1, 2, 3].map((seed) => player(seed, 3, [], true)))).toBeNull();
  });

  it('repeats no more matches than the best pairing of a small field', () => {
    fc.assert(
      fc.property(fieldOf(0), (players) => {
        const round = pairSwissRound(players);
        expect(round?.rematches).toBe(fewestRematches(players));
        expect(new Set(round?.pairs.flat()).size).toBe(players.length);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the bye to the first whose bye leaves the others as few repeats as any', () => {
    fc.assert(
      fc.property(fieldOf(1), (players) => {
        const candidates = players.toSorted((a, b) => a.points - b.points || b.seed - a.seed);
        const costs = candidates.map((one) => fewestRematches(players.filter((other) => other !== one)));
        const best = candidates[costs.indexOf(Math.min(...costs))];
        expect(pairSwissRound(players)).toMatchObject({ bye: best?.participantId, rematches: Math.min(...costs) });
      }),
      { numRuns: 200 },
    );
  });

  it('does not search a whole pairing for everyone who could have the bye', () => {
    let looks = 0;
    class Met extends Set<string> {
      override [Symbol.iterator]() {
        looks += 1;
        return super[Symbol.iterator]();
      }
    }
    // Two groups in which everyone has met everyone, so that each choice leaves rematches.
    const ids = Array.from({ length: 41 }, (_, at) => at + 1);
    const players = ids.map((seed) => {
      const met = ids.filter((one) => one !== seed && one <= 30 === seed <= 30).map((one) => `p${one}`);
      return { ...player(seed, 0), met: new Met(met) };
    });
    looks = 0;
    expect(pairSwissRound(players)).toMatchObject({ rematches: 9 });
    expect(looks).toBeLessThanOrEqual(2 * players.length);
  });

  it('does not search every score group for long where hardly anybody is left to meet', () => {
    const seeds = Array.from({ length: 122 }, (_, at) => at + 1);
    const others = (seed: number) => seeds.filter((one) => one !== seed && one <= 110);
    const players = seeds.map((seed) => player(seed, 200 - seed, seed <= 110 ? others(seed) : []));
    const look = vi.spyOn(Set.prototype, 'has');
    try {
      // The twelve who have met nobody save a rematch each, and no pairing saves more.
      expect(pairSwissRound(players)).toMatchObject({ rematches: 49 });
      expect(look.mock.calls.length).toBeLessThan(1_000_000);
    } finally {
      look.mockRestore();
    }
  });
});

/** Small fields in ranking order, with an even number of players and `more`. */
function fieldOf(more: number) {
  return fc
    .integer({ min: 1, max: 5 - more })
    .chain((half) => {
      const count = half * 2 + more;
      const edges = fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: count * 4 });
      return fc.tuple(fc.array(fc.nat(3), { minLength: count, maxLength: count }), edges);
    })
    .map(([scores, edges]) => {
      const players = scores.map((points, at) => {
        const met = edges.flatMap(([a, b]) => (a === b ? [] : a === at ? [b + 1] : b === at ? [a + 1] : []));
        return player(at + 1, points, met);
      });
      return players.sort((a, b) => b.points - a.points);
    });
}

/** By trying every pairing. */
function fewestRematches([first, ...rest]: readonly SwissPlayer[]): number {
  if (!first) return 0;
  const costs = rest.map((other) => {
    const again = first.met.has(other.participantId) ? 1 : 0;
    return again + fewestRematches(rest.filter((one) => one !== other));
  });
  return Math.min(...costs);
}
