import { describe, expect, it } from 'vitest';
import ncaa from '@/domain/brackets/fixtures/ncaa-2019.json';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { ids, matchOf, playOut, report } from '@/domain/brackets/playing.fixture';
import { generate } from './generate';

describe('singleEliminationTree', () => {
  it('draws all 63 matches of the 2019 NCAA tournament by seed', () => {
    let bracket = generate('single_elimination', {}, ids(64), 'ncaa');
    for (const { round, seeds, score } of ncaa.matches) {
      const number = Number(round.slice(1));
      const where =
        number === 6 ? { bracket: 'final' as const, round: 1 } : { bracket: 'winners' as const, round: number };
      const match = matchOf(bracket, `p${seeds[0]}`, `p${seeds[1]}`, where);
      const [first = 0, second = 0] = match.slots[0].seed === seeds[0] ? score : score.toReversed();
      bracket = report(bracket, match.number, { type: 'played', games: [{ scores: [first, second] }] });
    }
    expect(isComplete(bracket)).toBe(true);
    expect(bracket.matches).toHaveLength(63);
    expect(finalPlaces(bracket)[0]?.seed).toBe(ncaa.champion);
  });

  it('gives the last round the bracket final, and the third-place match the losers’ bracket', () => {
    const { matches } = generate('single_elimination', { thirdPlace: true }, ids(8), 'x');
    expect(matches.map(({ bracket, round }) => `${bracket} ${round}`)).toEqual([
      ...Array(4).fill('winners 1'),
      ...Array(2).fill('winners 2'),
      'losers 1',
      'final 1',
    ]);
  });

  it('ranks those out in the same round alike', () => {
    const ranks = (thirdPlace: boolean) =>
      finalPlaces(playOut(generate('single_elimination', { thirdPlace }, ids(8), 'x'))).map(({ rank }) => rank);
    expect(ranks(false)).toEqual([1, 2, 3, 3, 5, 5, 5, 5]);
    expect(ranks(true)).toEqual([1, 2, 3, 4, 5, 5, 5, 5]);
  });

  it('has no third-place match for fewer than four', () => {
    const bracket = playOut(generate('single_elimination', { thirdPlace: true }, ids(3), 'x'));
    expect(finalPlaces(bracket).map(({ rank }) => rank)).toEqual([1, 2, 3]);
  });
});
