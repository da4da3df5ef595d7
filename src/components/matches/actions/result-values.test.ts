import { describe, expect, test } from 'vitest';
import { type GameText, needsWinner, readResult, textOf, visibleGames, winnerByScores } from './result-values';

const slot = (participantId: string) => ({
  participantId,
  name: participantId,
  seed: 1,
  score: null,
  result: null,
  source: { type: 'pairing' as const },
});
const rules = (bestOf: number, bracket: 'winners' | 'group' = 'winners') => {
  return { bestOf, bracket, slots: [slot('a'), slot('b')] as [ReturnType<typeof slot>, ReturnType<typeof slot>] };
};
const none: GameText = ['', ''];

describe('the games to fill in', () => {
  test('are as many as win the match, and one more while nobody has won', () => {
    expect(visibleGames(1, [none])).toBe(1);
    expect(visibleGames(3, [none, none, none])).toBe(2);
    expect(visibleGames(3, [['13', '9'], ['8', '13'], none])).toBe(3);
    expect(visibleGames(3, [['13', '9'], ['13', '5'], none])).toBe(2);
    expect(visibleGames(2, [none, none])).toBe(2);
  });
});

describe('a typed result', () => {
  test('has the winner of more games', () => {
    const games: GameText[] = [
      ['13', '9'],
      ['8', '13'],
      ['16', '14'],
    ];
    expect(winnerByScores(games)).toBe(0);
    expect(readResult(rules(3), { games, winnerId: 'b' })).toEqual({
      result: { games: [{ scores: [13, 9] }, { scores: [8, 13] }, { scores: [16, 14] }] },
      error: null,
    });
  });

  test('names a winner when a knockout is level, and none in a group', () => {
    const games: GameText[] = [['2', '2']];
    expect(needsWinner(rules(1), games)).toBe(true);
    expect(readResult(rules(1), { games, winnerId: null }).error).toBe('The games are level. Choose the winner.');
    expect(readResult(rules(1), { games, winnerId: 'b' }).result).toEqual({
      games: [{ scores: [2, 2] }],
      winnerId: 'b',
    });
    expect(readResult(rules(1, 'group'), { games, winnerId: null }).result).toEqual({ games: [{ scores: [2, 2] }] });
  });

  test('can be only a winner', () => {
    expect(readResult(rules(3), { games: [none, none, none], winnerId: 'a' }).result).toEqual({
      games: [],
      winnerId: 'a',
    });
    expect(readResult(rules(3), { games: [none], winnerId: null }).error).toBe(
      'Enter the scores or choose the winner.',
    );
  });

  test('is refused while a game is incomplete, skipped or not a number', () => {
    const read = (...games: GameText[]) => readResult(rules(3), { games, winnerId: null }).error;
    expect(read(['13', ''], none)).toBe('Enter both scores of game 1.');
    expect(read(['13', '9'], none, ['13', '2'])).toBe('Enter the scores of game 2, or remove the games after it.');
    expect(read(['13', '-1'])).toBe('Scores are whole numbers from 0.');
  });
});

test('the fields open with the result of a decided match, else with the report', () => {
  const games = [{ scores: [13, 9] as [number, number], winnerId: 'a' }];
  const report = { by: 'a', games, winnerId: 'a', reportedAt: '2026-12-05T18:00:00.000Z', confirmBy: null };
  expect(textOf({ bestOf: 3, games: [], winnerId: null, report })).toEqual({
    games: [['13', '9'], none, none],
    winnerId: 'a',
  });
  expect(textOf({ bestOf: 1, games, winnerId: 'b', report }).winnerId).toBe('b');
});
