import { describe, expect, it } from 'vitest';
import { completeOptions, defaultTiebreakers, validateOptions } from './options';
import type { Format, FormatOptions } from './types';

const paths = (format: Format, options: FormatOptions, participants?: number) =>
  validateOptions(format, options, participants).map(({ path }) => path);

describe('completeOptions', () => {
  it('fills in the defaults', () => {
    expect(completeOptions('swiss', {}, 100)).toMatchObject({
      bestOf: 1,
      grandFinalReset: true,
      rounds: 7,
      playoffs: 0,
      pointsForWin: 3,
      pointsForDraw: 1,
      pointsForLoss: 0,
    });
  });

  it('plays a Major for as many rounds as somebody can stay in', () => {
    const options = { winsToAdvance: 3, lossesToEliminate: 3 };
    expect(completeOptions('swiss', options, 16).rounds).toBe(5);
    expect(defaultTiebreakers('swiss', options)).toEqual(['wins', 'difficulty', 'seed']);
  });

  it('makes groups of about four', () => {
    expect([4, 8, 16, 30].map((count) => completeOptions('groups_to_knockout', {}, count).groups)).toEqual([
      1, 2, 4, 8,
    ]);
    expect(completeOptions('groups_to_knockout', { groupFormat: 'gsl' }, 16).groups).toBe(4);
  });

  it('ignores options of other formats', () => {
    expect(completeOptions('single_elimination', { legs: 2 }, 4).legs).toBe(1);
  });
});

describe('validateOptions', () => {
  it('accepts what every format knows', () => {
    expect(paths('single_elimination', { bestOf: 3, thirdPlace: true })).toEqual([]);
    expect(paths('round_robin', { bestOf: 2, legs: 2, tiebreakers: ['points', 'random'] })).toEqual([]);
    const bestOfOverrides = [{ bracket: 'group', bestOf: 2 }] as const;
    expect(paths('groups_to_knockout', { bestOf: 3, bestOfOverrides, groups: 4 }, 16)).toEqual([]);
    expect(paths('swiss', { winsToAdvance: 3, lossesToEliminate: 3, playoffs: 8 }, 16)).toEqual([]);
    expect(paths('swiss', { playoffs: 256 }, 1024)).toEqual([]);
    expect(paths('round_robin', {}, 100)).toEqual([]);
    expect(paths('groups_to_knockout', {}, 1024)).toEqual([]);
  });

  it.each<[string, Format, FormatOptions, number | undefined, string[]]>([
    ['an option of another format', 'double_elimination', { thirdPlace: true }, undefined, ['thirdPlace']],
    ['an even best-of in a knockout', 'single_elimination', { bestOf: 2 }, undefined, ['bestOf']],
    ['an even best-of before playoffs', 'swiss', { bestOf: 2, playoffs: 4 }, undefined, ['bestOf']],
    [
      'an even best-of under Major rules',
      'swiss',
      { bestOf: 2, winsToAdvance: 3, lossesToEliminate: 3 },
      undefined,
      ['bestOf'],
    ],
    [
      'an even override of a final',
      'groups_to_knockout',
      { bestOfOverrides: [{ bracket: 'final', bestOf: 4 }] },
      undefined,
      ['bestOfOverrides.0.bestOf'],
    ],
    [
      'a round counted from both ends',
      'single_elimination',
      { bestOfOverrides: [{ bracket: 'winners', round: 1, roundsFromEnd: 1, bestOf: 3 }] },
      undefined,
      ['bestOfOverrides.0'],
    ],
    ['wins without losses', 'swiss', { winsToAdvance: 3 }, undefined, ['lossesToEliminate']],
    ['playoffs of six', 'swiss', { playoffs: 6 }, undefined, ['playoffs']],
    ['everyone against everyone with too many matches', 'round_robin', {}, 256, ['legs']],
    ['groups that are too large', 'groups_to_knockout', { groups: 4 }, 256, ['groups']],
    [
      'one group that gets nearly everyone',
      'groups_to_knockout',
      {
        groups: 2,
        groupAssignments: Array.from({ length: 198 }, (_, at) => ({ participantId: `p${at + 1}`, group: 1 })),
      },
      200,
      ['groups'],
    ],
    ['more Swiss rounds than fit', 'swiss', { rounds: 100 }, 1024, ['rounds']],
    ['more playoffs than participants', 'swiss', { playoffs: 8 }, 7, ['playoffs']],
    [
      'three from a GSL group',
      'groups_to_knockout',
      { groupFormat: 'gsl', advancePerGroup: 3 },
      undefined,
      ['advancePerGroup'],
    ],
    ['GSL groups that are not full', 'groups_to_knockout', { groupFormat: 'gsl' }, 14, ['groups']],
    ['too many groups', 'groups_to_knockout', { groups: 5 }, 9, ['groups']],
    ['one who advances alone', 'groups_to_knockout', { groups: 1, advancePerGroup: 1 }, undefined, ['advancePerGroup']],
    [
      'an assignment to no group',
      'groups_to_knockout',
      { groups: 2, groupAssignments: [{ participantId: 'a', group: 3 }] },
      undefined,
      ['groupAssignments.0.group'],
    ],
    ['a loss worth more than a draw', 'round_robin', { pointsForLoss: 2 }, undefined, ['pointsForWin']],
    ['a tie-break twice', 'round_robin', { tiebreakers: ['seed', 'seed'] }, undefined, ['tiebreakers.1']],
    ['three legs', 'round_robin', JSON.parse('{"legs":3}'), undefined, ['legs']],
    ['a tie-break nobody knows', 'swiss', JSON.parse('{"tiebreakers":["luck"]}'), undefined, ['tiebreakers.0']],
    ['a word for a switch', 'single_elimination', JSON.parse('{"thirdPlace":"yes"}'), undefined, ['thirdPlace']],
    ['an unknown knockout', 'swiss', JSON.parse('{"knockoutFormat":"ladder"}'), undefined, ['knockoutFormat']],
    ['a list that is none', 'swiss', JSON.parse('{"tiebreakers":"points"}'), undefined, ['tiebreakers']],
  ])('reports %s', (_, format, options, participants, expected) => {
    expect(paths(format, options, participants)).toEqual(expected);
  });
});
