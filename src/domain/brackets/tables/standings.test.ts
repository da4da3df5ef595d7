import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { ids, playOut } from '@/domain/brackets/playing.fixture';
import { standings } from './standings';

describe('standings', () => {
  it('gives a table per group with its tie-breaks and who advanced', () => {
    const end = standings(playOut(generate('groups_to_knockout', { groups: 2, bestOf: 3 }, ids(8), 'x')));
    const [groups, knockout] = end.stages;
    expect(groups).toMatchObject({ number: 1, type: 'round_robin' });
    expect(groups?.tiebreakers).toEqual([
      'points',
      'head_to_head',
      'game_difference',
      'score_difference',
      'scores_for',
      'seed',
    ]);
    expect(groups?.groups.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(groups?.groups[0]?.rows[0]).toEqual({
      rank: 1,
      participantId: 'p1',
      seed: 1,
      played: 3,
      wins: 3,
      draws: 0,
      losses: 0,
      gamesWon: 0,
      gamesLost: 0,
      points: 9,
      tiebreakers: { points: 9, head_to_head: null, game_difference: 0, score_difference: 0, scores_for: 0, seed: 1 },
      outcome: 'advanced',
    });
    expect(groups?.groups[0]?.rows.map(({ outcome }) => outcome)).toEqual([
      'advanced',
      'advanced',
      'eliminated',
      'eliminated',
    ]);
    expect(knockout).toEqual({ number: 2, type: 'single_elimination', tiebreakers: [], groups: [] });
  });

  it('says nothing about advancing while groups are open, nor in a last stage', () => {
    const open = standings(generate('groups_to_knockout', { groups: 2 }, ids(8), 'x'));
    const table = standings(playOut(generate('round_robin', {}, ids(4), 'x')));
    const rows = [...open.stages, ...table.stages].flatMap(({ groups }) => groups.flatMap((group) => group.rows));
    expect(rows.every(({ outcome }) => outcome === null)).toBe(true);
    expect(open.final).toEqual([]);
    expect(table.final.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
  });

  it('ranks a GSL group by its matches', () => {
    const options = { groups: 1, groupFormat: 'gsl' } as const;
    const [groups] = standings(playOut(generate('groups_to_knockout', options, ids(4), 'x'))).stages;
    expect(groups?.tiebreakers).toEqual([]);
    expect(
      groups?.groups[0]?.rows.map(({ rank, participantId, wins, losses }) => [rank, participantId, wins, losses]),
    ).toEqual([
      [1, 'p1', 2, 0],
      [2, 'p2', 2, 1],
      [3, 'p3', 1, 2],
      [4, 'p4', 0, 2],
    ]);
  });
});
