import { describe, expect, it } from 'vitest';
import { ids } from '@/domain/brackets/playing.fixture';
import type { BestOfOverride } from '@/domain/brackets/types';
import { bestOfFor, gamesOfWalkover, gamesToWin } from './best-of';
import { generate } from './generate';

describe('bestOfFor', () => {
  const bestOfOverrides: BestOfOverride[] = [
    { bracket: 'winners', bestOf: 3 },
    { bracket: 'winners', roundsFromEnd: 1, bestOf: 5 },
    { bracket: 'winners', round: 1, bestOf: 1 },
    { bracket: 'final', bestOf: 7 },
  ];
  const options = { bestOf: 1, bestOfOverrides };

  it('takes the last override that fits, from either end', () => {
    const winners = [1, 2, 3, 4].map((round) => bestOfFor(options, { bracket: 'winners', round, rounds: 4 }));
    expect(winners).toEqual([1, 3, 3, 5]);
    expect(bestOfFor(options, { bracket: 'losers', round: 2, rounds: 4 })).toBe(1);
    expect(bestOfFor(options, { bracket: 'final', round: 1, rounds: 1 })).toBe(7);
  });

  it('lets the later of two overrides win', () => {
    const reversed = { bestOf: 1, bestOfOverrides: bestOfOverrides.toReversed() };
    expect(bestOfFor(reversed, { bracket: 'winners', round: 1, rounds: 4 })).toBe(3);
  });

  it('sets group matches apart from those of the knockout', () => {
    const overrides: BestOfOverride[] = [
      { bracket: 'group', bestOf: 3 },
      { bracket: 'group', roundsFromEnd: 1, bestOf: 5 },
    ];
    const given = { groups: 1, groupFormat: 'gsl', bestOfOverrides: overrides } as const;
    const { matches } = generate('groups_to_knockout', given, ids(4), 'x');
    expect(matches.map(({ bestOf }) => bestOf)).toEqual([3, 3, 3, 3, 5, 1]);
  });
});

describe('games', () => {
  it('counts what wins a match and a walkover', () => {
    expect([1, 2, 3, 5].map(gamesToWin)).toEqual([1, 2, 2, 3]);
    expect([1, 2, 3, 5].map(gamesOfWalkover)).toEqual([1, 1, 2, 3]);
  });
});
