import { describe, expect, it } from 'vitest';
import { generate } from './draw/generate';
import { roundName, roundNameOf, sourceName, stageName } from './names';
import { ids } from './playing.fixture';
import type { Bracket } from './types';

const namesOf = (bracket: Bracket, stageNumber: number) => {
  const stage = bracket.stages[stageNumber - 1];
  const matches = bracket.matches.filter((match) => match.stage === stageNumber);
  return [...new Set(matches.map((match) => (stage ? roundNameOf(stage, match, matches) : '')))];
};

describe('roundNameOf', () => {
  it('names the rounds of a single elimination from the end', () => {
    expect(namesOf(generate('single_elimination', { thirdPlace: true }, ids(32), 'x'), 1)).toEqual([
      'Round of 32',
      'Round of 16',
      'Quarterfinals',
      'Semifinals',
      'Third-place match',
      'Final',
    ]);
  });

  it('names both sides of a double elimination', () => {
    expect(namesOf(generate('double_elimination', {}, ids(8), 'x'), 1)).toEqual([
      'Winners’ round 1',
      'Losers’ round 1',
      'Winners’ semifinals',
      'Losers’ round 2',
      'Losers’ round 3',
      'Winners’ final',
      'Losers’ final',
      'Grand final',
      'Grand final reset',
    ]);
  });

  it('names the matches of a GSL group', () => {
    const bracket = generate('groups_to_knockout', { groups: 1, groupFormat: 'gsl' }, ids(4), 'x');
    expect(namesOf(bracket, 1)).toEqual(['Opening matches', 'Winners’ match', 'Losers’ match', 'Decider']);
    expect(bracket.stages.map(stageName)).toEqual(['Group stage', 'Playoffs']);
  });

  it('counts the rounds of Swiss', () => {
    expect(roundName('swiss', { bracket: 'group', round: 3, rounds: 5 })).toBe('Round 3');
  });
});

describe('sourceName', () => {
  it('says where a participant comes from', () => {
    expect(sourceName({ type: 'winner', match: 12 })).toBe('Winner of M12');
    expect(sourceName({ type: 'loser', match: 3 })).toBe('Loser of M3');
    expect(sourceName({ type: 'group', group: 2, rank: 1 })).toBe('Group B, place 1');
    expect(sourceName({ type: 'bye', of: null })).toBe('Bye');
  });
});
