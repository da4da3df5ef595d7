import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { ids, matchOf, playOut, report, reportWinner } from '@/domain/brackets/playing.fixture';
import { eliminated, finalPlaces, isComplete } from './outcomes';
import { apply, findMatch } from './progress';

const shown = (bracket: Parameters<typeof finalPlaces>[0]) =>
  finalPlaces(bracket).map(({ rank, participantId }) => `${rank} ${participantId}`);

describe('finalPlaces', () => {
  it('grows as participants go out of a knockout', () => {
    const start = generate('single_elimination', {}, ids(4), 'x');
    expect(finalPlaces(start)).toEqual([]);
    const one = reportWinner(start, findMatch(start, 1), 'p1');
    expect(shown(one)).toEqual(['3 p4']);
    expect(shown(playOut(one))).toEqual(['1 p1', '2 p2', '3 p3', '3 p4']);
  });

  it('has no champion when both finalists forfeit', () => {
    const start = generate('single_elimination', {}, ids(2), 'x');
    const end = report(start, 1, { type: 'forfeit', participantIds: ['p1', 'p2'] });
    expect(shown(end)).toEqual(['2 p1', '2 p2']);
    expect(isComplete(end)).toBe(true);
  });

  it('puts those out of the groups behind the knockout, by their place', () => {
    const end = playOut(generate('groups_to_knockout', { groups: 2 }, ids(8), 'x'));
    expect(finalPlaces(end).map(({ rank }) => rank)).toEqual([1, 2, 3, 3, 5, 5, 7, 7]);
    expect(shown(end).slice(4)).toEqual(['5 p5', '5 p6', '7 p7', '7 p8']);
  });

  it('leaves the place of somebody disqualified after going out', () => {
    const end = playOut(generate('single_elimination', {}, ids(4), 'x'));
    const flagged = apply(end, { type: 'disqualify', participantId: 'p2' });
    expect(shown(flagged.bracket)).toEqual(shown(end));
    expect(flagged.patch).toMatchObject({ changed: [], eliminated: [], restored: [] });
  });
});

describe('eliminated', () => {
  it('names the losers of a knockout as they go out, but not its champion', () => {
    const end = playOut(generate('double_elimination', {}, ids(8), 'x'));
    expect([...eliminated(end)].sort()).toEqual(ids(8).slice(1));
  });

  it('names participants who reach the losses of a Major at once', () => {
    let bracket = generate('swiss', { winsToAdvance: 2, lossesToEliminate: 2 }, ids(8), 'x');
    while (bracket.matches.at(-1)?.round !== 3) {
      const open = bracket.matches.find(({ status }) => status === 'ready');
      if (open) bracket = reportWinner(bracket, open, open.slots[0].participantId);
    }
    expect(eliminated(bracket).size).toBe(2);
  });

  it('names those who stay behind in the groups once all groups are over', () => {
    const start = generate('groups_to_knockout', { groups: 2 }, ids(8), 'x');
    const last = matchOf(start, 'p4', 'p5');
    const almost = start.matches.reduce((bracket, match) => {
      if (match.stage !== 1 || match.number === last.number) return bracket;
      return reportWinner(bracket, match, match.slots[0].participantId);
    }, start);
    expect(eliminated(almost).size).toBe(0);
    expect(eliminated(reportWinner(almost, last, 'p4')).size).toBe(4);
  });

  it('names nobody in a round robin, where the table decides', () => {
    expect(eliminated(playOut(generate('round_robin', {}, ids(4), 'x'))).size).toBe(0);
  });
});
