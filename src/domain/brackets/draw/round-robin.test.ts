import { describe, expect, it } from 'vitest';
import { roundRobinRounds } from './round-robin';

describe('roundRobinRounds', () => {
  it.each([2, 3, 4, 5, 8, 9, 16, 33])('lets %i participants all meet once, each at most once a round', (count) => {
    const rounds = roundRobinRounds(count, 1);
    expect(rounds).toHaveLength(count % 2 === 0 ? count - 1 : count);
    const pairs = rounds.flat().map((pair) => pair.toSorted((a, b) => a - b).join());
    expect(new Set(pairs).size).toBe((count * (count - 1)) / 2);
    expect(pairs).toHaveLength((count * (count - 1)) / 2);
    for (const round of rounds) expect(new Set(round.flat()).size).toBe(round.length * 2);
  });

  it('swaps sides in the second leg', () => {
    const rounds = roundRobinRounds(4, 2);
    expect(rounds).toHaveLength(6);
    expect(rounds.slice(3)).toEqual(rounds.slice(0, 3).map((round) => round.map(([a, b]) => [b, a])));
  });

  it('gives everyone about as many first as second slots', () => {
    for (const count of [4, 7, 10, 16]) {
      const firsts = roundRobinRounds(count, 1).flatMap((round) => round.map(([first]) => first));
      for (let place = 0; place < count; place++) {
        const share = firsts.filter((first) => first === place).length;
        expect(Math.abs(share * 2 - (count - 1))).toBeLessThanOrEqual(2);
      }
    }
  });
});
