import { describe, expect, it } from 'vitest';
import osu from '@/domain/brackets/fixtures/osu-world-cup-2024.json';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { ids, matchOf, playOut, reportScore } from '@/domain/brackets/playing.fixture';
import type { Match } from '@/domain/brackets/types';
import { generate } from './generate';

const sideOf = { W: 'winners', L: 'losers', G: 'final' } as const;

describe('doubleEliminationTree', () => {
  it('draws all 62 matches of osu! World Cup 2024 and its final places', () => {
    const overrides = [
      { bracket: 'winners', bestOf: 11 },
      { bracket: 'losers', bestOf: 11 },
      { bracket: 'winners', round: 1, bestOf: 9 },
      { bracket: 'winners', round: 2, bestOf: 9 },
      { bracket: 'losers', round: 1, bestOf: 9 },
      { bracket: 'winners', roundsFromEnd: 1, bestOf: 13 },
      { bracket: 'losers', roundsFromEnd: 1, bestOf: 13 },
      { bracket: 'losers', roundsFromEnd: 2, bestOf: 13 },
      { bracket: 'losers', roundsFromEnd: 3, bestOf: 13 },
    ] as const;
    let bracket = generate('double_elimination', { bestOf: 13, bestOfOverrides: overrides }, ids(32), 'osu');
    for (const { round, seeds, score } of osu.matches) {
      const side = Object.entries(sideOf).find(([letter]) => round.startsWith(letter))?.[1];
      const number = Number(/\d+/.exec(round)?.[0]);
      const [one, other] = seeds.map((seed) => `p${seed}`);
      const [won = 0, lost = 0] = score;
      const match = matchOf(bracket, one ?? '', other ?? '', { bracket: side, round: number });
      bracket = reportScore(bracket, match, one ?? '', [won, lost]);
    }
    expect(isComplete(bracket)).toBe(true);
    expect(bracket.matches).toHaveLength(62);
    const places = finalPlaces(bracket);
    const expected = Object.entries(osu.places).flatMap(([range, seeds]) =>
      seeds.map((seed) => ({ rank: Number(range.split('-')[0]), seed })),
    );
    expect(places.map(({ rank, seed }) => ({ rank, seed }))).toEqual(expected);
  });

  it('drops losers reversed, reversed within halves, with halves swapped, then in order', () => {
    const { matches } = generate('double_elimination', {}, ids(64), 'x');
    const losersOf = (round: number) => {
      const winners = matches.filter((match) => match.bracket === 'winners' && match.round === round);
      const first = winners[0]?.number ?? 0;
      const losers = matches.filter((match) => match.bracket === 'losers' && match.round === 2 * round - 2);
      return losers.map(({ slots }) => (slots[0].source.type === 'loser' ? slots[0].source.match - first : null));
    };
    expect(losersOf(2)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(losersOf(3)).toEqual([3, 2, 1, 0, 7, 6, 5, 4]);
    expect(losersOf(4)).toEqual([2, 3, 0, 1]);
    expect(losersOf(5)).toEqual([0, 1]);
  });

  it.each([
    [2, 2],
    [3, 4],
    [5, 8],
    [6, 10],
    [12, 22],
    [33, 64],
  ])('plays 2n − 2 matches with %i participants', (count, expected) => {
    const bracket = playOut(generate('double_elimination', {}, ids(count), 'x'), () => 0);
    const played = bracket.matches.filter(({ decidedBy }) => decidedBy === 'result');
    const resets = played.filter((match) => match.bracket === 'final' && match.round === 2);
    expect(played.length - resets.length).toBe(expected);
    expect(finalPlaces(bracket)).toHaveLength(count);
  });

  describe('the reset of a grand final', () => {
    const start = generate('double_elimination', {}, ids(4), 'x');
    const isReset = (match: Match) => match.bracket === 'final' && match.round === 2;

    it('exists from the start without participants', () => {
      const reset = start.matches.find(isReset);
      expect(reset?.slots.map(({ participantId }) => participantId)).toEqual([null, null]);
      expect(reset?.status).toBe('pending');
    });

    it('is removed when the winners’ side wins the grand final', () => {
      const bracket = playOut(start, () => 0);
      expect(bracket.matches.some(isReset)).toBe(false);
      expect(isComplete(bracket)).toBe(true);
    });

    it('is played when the losers’ side wins, with the winners’ side in its first slot', () => {
      const bracket = playOut(start, (match) => (match.bracket === 'final' && match.round === 1 ? 1 : 0));
      const [grandFinal, reset] = bracket.matches.slice(-2);
      expect(reset?.slots.map(({ participantId }) => participantId)).toEqual(
        grandFinal?.slots.map(({ participantId }) => participantId),
      );
      expect(finalPlaces(bracket)[0]?.participantId).toBe(reset?.winnerId);
    });

    it('does not exist when it is switched off', () => {
      expect(generate('double_elimination', { grandFinalReset: false }, ids(4), 'x').matches.some(isReset)).toBe(false);
    });
  });
});
