import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { ids } from '@/domain/brackets/playing.fixture';
import { findMatch } from './progress';
import { type MatchResult, withResult } from './results';

const matchOfBest = (bestOf: number) => findMatch(generate('round_robin', { bestOf }, ids(2), 'x'), 1);
// Match 1 of two is p1 against p2.
const outcome = (bestOf: number, result: MatchResult, needsWinner = true) => {
  const match = withResult(matchOfBest(bestOf), result, needsWinner);
  const [first, second] = match.slots;
  return {
    status: match.status,
    winnerId: match.winnerId,
    score: [first.score, second.score],
    results: [first.result, second.result],
  };
};

describe('withResult', () => {
  it('counts the games each side won', () => {
    const games = [{ scores: [13, 7] }, { scores: [9, 13] }, { scores: [16, 14] }] as const;
    expect(outcome(3, { type: 'played', games })).toEqual({
      status: 'completed',
      winnerId: 'p1',
      score: [2, 1],
      results: ['win', 'loss'],
    });
  });

  it('takes the winner of a game level on scores from the report', () => {
    const games = [{ scores: [2, 2], winner: 1 }] as const;
    expect(outcome(1, { type: 'played', games })).toMatchObject({ winnerId: 'p2', score: [0, 1] });
  });

  it('takes a ruling that names only the winner', () => {
    expect(outcome(3, { type: 'played', winnerId: 'p2' })).toMatchObject({ winnerId: 'p2', score: [null, null] });
    expect(outcome(1, { type: 'played', winnerId: 'p2' })).toMatchObject({ winnerId: 'p2', score: [0, 1] });
  });

  it('lets a match outside knockouts end level', () => {
    const drawn = { winnerId: null, results: ['draw', 'draw'] };
    expect(outcome(2, { type: 'played', score: [1, 1] }, false)).toMatchObject(drawn);
    expect(outcome(1, { type: 'played', games: [{ scores: [0, 0] }] }, false)).toMatchObject(drawn);
    expect(
      outcome(3, { type: 'played', games: [{ winner: 0 }, { winner: 1 }, { winner: null }] }, false),
    ).toMatchObject(drawn);
    expect(outcome(3, { type: 'played', winnerId: null }, false)).toMatchObject(drawn);
  });

  it('lets time end a match outside knockouts early', () => {
    expect(outcome(3, { type: 'played', score: [1, 0] }, false)).toMatchObject({ winnerId: 'p1' });
  });

  it('gives a forfeit to the other side, and nobody when both forfeit', () => {
    expect(outcome(3, { type: 'forfeit', participantIds: ['p1'] })).toEqual({
      status: 'forfeited',
      winnerId: 'p2',
      score: [null, null],
      results: ['forfeit', 'win'],
    });
    expect(outcome(3, { type: 'forfeit', participantIds: ['p2', 'p1'] })).toMatchObject({
      winnerId: null,
      results: ['forfeit', 'forfeit'],
    });
  });

  it.each<[string, number, MatchResult, boolean]>([
    ['a level knockout match', 1, { type: 'played', games: [{ scores: [1, 1] }] }, true],
    ['a match that is not over', 3, { type: 'played', score: [1, 0] }, true],
    ['more games than there are', 3, { type: 'played', score: [3, 0] }, true],
    ['two winners', 3, { type: 'played', score: [2, 2] }, true],
    ['half a game', 3, { type: 'played', score: [1.5, 0] }, true],
    ['a score against its games', 3, { type: 'played', score: [0, 2], games: [{ winner: 0 }, { winner: 0 }] }, true],
    ['a winner against the score', 3, { type: 'played', score: [2, 0], winnerId: 'p2' }, true],
    ['a stranger who wins', 3, { type: 'played', winnerId: 'p9' }, true],
    ['a stranger who wins a single game', 1, { type: 'played', winnerId: 'p9' }, true],
    ['nothing', 3, { type: 'played' }, false],
    ['no winner', 3, { type: 'played', winnerId: null }, true],
    ['a game without a winner or scores', 3, { type: 'played', games: [{}] }, false],
    ['scores that are no numbers', 1, { type: 'played', games: [{ scores: [Number.NaN, 1] }] }, false],
    ['a forfeit of nobody', 3, { type: 'forfeit', participantIds: [] }, true],
    ['a forfeit of a stranger', 3, { type: 'forfeit', participantIds: ['p9'] }, true],
  ])('refuses %s', (_, bestOf, result, needsWinner) => {
    expect(() => outcome(bestOf, result, needsWinner)).toThrow(expect.objectContaining({ code: 'INVALID_RESULT' }));
  });
});
