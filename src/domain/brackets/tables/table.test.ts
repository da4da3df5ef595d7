import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { ids, matchOf, report } from '@/domain/brackets/playing.fixture';
import type { Bracket } from '@/domain/brackets/types';
import { buildTable } from './table';

const rowOf = (bracket: Bracket, id: string) =>
  buildTable(bracket.participants, bracket.matches, bracket.options, 'x').rows.get(id);

describe('buildTable', () => {
  const start = generate(
    'round_robin',
    { bestOf: 3, pointsForLoss: 1, pointsForDraw: 2, pointsForWin: 4 },
    ids(3),
    'x',
  );
  const first = matchOf(start, 'p1', 'p2');
  const slotOfFirst = first.slots[0].participantId ?? '';
  const other = slotOfFirst === 'p1' ? 'p2' : 'p1';

  it('sums up games and what was scored within them', () => {
    const games = [{ scores: [13, 5] }, { scores: [10, 13] }, { scores: [16, 14] }] as const;
    const bracket = report(start, first.number, { type: 'played', games });
    expect(rowOf(bracket, slotOfFirst)).toMatchObject({
      played: 1,
      wins: 1,
      losses: 0,
      gamesWon: 2,
      gamesLost: 1,
      scoresFor: 39,
      scoresAgainst: 32,
      points: 4,
    });
    expect(rowOf(bracket, other)).toMatchObject({ losses: 1, gamesWon: 1, gamesLost: 2, points: 1 });
  });

  it('counts a forfeit as won without losing a game', () => {
    const bracket = report(start, first.number, { type: 'forfeit', participantIds: [other] });
    expect(rowOf(bracket, slotOfFirst)).toMatchObject({ wins: 1, gamesWon: 2, gamesLost: 0, points: 4 });
    expect(rowOf(bracket, other)).toMatchObject({ losses: 1, gamesWon: 0, gamesLost: 2, points: 1 });
  });

  it('counts two forfeits as a loss for both, without games', () => {
    const bracket = report(start, first.number, { type: 'forfeit', participantIds: ['p1', 'p2'] });
    for (const id of ['p1', 'p2']) expect(rowOf(bracket, id)).toMatchObject({ losses: 1, gamesLost: 0, points: 1 });
  });

  it('leaves out what is not decided', () => {
    expect(rowOf(start, 'p1')).toMatchObject({ played: 0, points: 0, encounters: [] });
  });
});
