import { describe, expect, it } from 'vitest';
import { ids } from '@/domain/brackets/playing.fixture';
import type { Format, FormatOptions } from '@/domain/brackets/types';
import { generate, MAX_PARTICIPANTS } from './generate';

describe('generate', () => {
  it('plays a knockout of three with a bye for the top seed', () => {
    const { matches } = generate('single_elimination', {}, ids(3), 'x');
    expect(matches).toEqual([
      expect.objectContaining({
        number: 1,
        status: 'completed',
        decidedBy: 'bye',
        winnerId: 'p1',
        slots: [
          { participantId: 'p1', seed: 1, score: null, result: 'win', source: { type: 'seed', seed: 1 } },
          { participantId: null, seed: null, score: null, result: null, source: { type: 'bye', of: null } },
        ],
        winnerTo: { match: 3, slot: 0 },
        loserTo: null,
      }),
      expect.objectContaining({ number: 2, status: 'ready', winnerTo: { match: 3, slot: 1 }, loserRank: 3 }),
      expect.objectContaining({ number: 3, status: 'pending', bracket: 'final', winnerRank: 1, loserRank: 2 }),
    ]);
  });

  it('leaves out losers’ matches that nobody can reach', () => {
    const { matches } = generate('double_elimination', { grandFinalReset: false }, ids(5), 'x');
    expect(matches.every(({ slots }) => slots.some(({ source }) => source.type !== 'bye'))).toBe(true);
    expect(matches.filter(({ bracket, round }) => bracket === 'losers' && round === 1)).toHaveLength(1);
  });

  it('numbers matches from 1 without gaps, each after those that feed it', () => {
    const options = { groups: 3, knockoutFormat: 'double_elimination' } as const;
    const { matches } = generate('groups_to_knockout', options, ids(13), 'x');
    expect(matches.map(({ number }) => number)).toEqual(matches.map((_, at) => at + 1));
    for (const { number, winnerTo, loserTo } of matches) {
      for (const to of [winnerTo, loserTo]) if (to) expect(to.match).toBeGreaterThan(number);
    }
  });

  it('plays groups round by round, with a knockout whose places are known from the start', () => {
    const { matches, stages } = generate('groups_to_knockout', { groups: 2, legs: 2 }, ids(6), 'x');
    const first = matches.filter(({ stage }) => stage === 1);
    expect(first).toHaveLength(12);
    expect(first.map(({ round }) => round)).toEqual(first.map(({ round }) => round).toSorted((a, b) => a - b));
    expect(stages[0]?.groups.map(({ participantIds }) => participantIds)).toEqual([
      ['p1', 'p4', 'p5'],
      ['p2', 'p3', 'p6'],
    ]);
    expect(matches[12]?.slots.map(({ source }) => source)).toEqual([
      { type: 'group', group: 1, rank: 1 },
      { type: 'group', group: 2, rank: 2 },
    ]);
  });

  it.each<[string, Format, FormatOptions, string[], string]>([
    ['a single participant', 'swiss', {}, ids(1), 'NOT_ENOUGH_PARTICIPANTS'],
    ['too many', 'swiss', {}, ids(MAX_PARTICIPANTS + 1), 'INVALID_SEEDING'],
    ['somebody twice', 'swiss', {}, ['a', 'b', 'a'], 'INVALID_SEEDING'],
    ['options that cannot be played', 'single_elimination', { bestOf: 2 }, ids(4), 'INVALID_OPTIONS'],
    [
      'assignments that leave a group too small',
      'groups_to_knockout',
      { groups: 2, groupAssignments: ids(5).map((participantId) => ({ participantId, group: 1 })) },
      ids(6),
      'INVALID_OPTIONS',
    ],
  ])('refuses %s', (_, format, options, seeds, code) => {
    expect(() => generate(format, options, seeds, 'x')).toThrow(expect.objectContaining({ code }));
  });
});
