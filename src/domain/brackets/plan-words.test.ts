import { describe, expect, test } from 'vitest';
import { generate } from './draw/generate';
import { describePlan } from './plan-words';
import { ids, playOut } from './playing.fixture';
import type { Format, FormatOptions } from './types';

const of = (format: Format, options: FormatOptions, n: number) => describePlan(format, options, n).sentence;

describe('describePlan', () => {
  test('says what will happen', () => {
    expect(of('groups_to_knockout', {}, 16)).toBe(
      '16 participants: 4 groups of 4, the best 2 go on to a knockout of 8, 31 matches.',
    );
    expect(of('single_elimination', { thirdPlace: true }, 12)).toBe(
      '12 participants: a knockout of 4 rounds, the best 4 have a bye in the first, with a match for third place, 12 matches.',
    );
    expect(of('double_elimination', {}, 8)).toBe(
      '8 participants: an upper and a lower bracket, out after two losses, 14 or 15 matches.',
    );
    expect(of('round_robin', { legs: 2 }, 4)).toBe('4 participants: everyone plays everyone twice, 12 matches.');
    expect(of('swiss', { playoffs: 8 }, 16)).toBe(
      '16 participants: 4 Swiss rounds, the best 8 go on to a knockout, 39 matches.',
    );
    expect(of('swiss', { winsToAdvance: 3, lossesToEliminate: 3 }, 16)).toBe(
      '16 participants: up to 5 Swiss rounds, 3 wins advance, 3 losses eliminate.',
    );
  });

  test('says why it cannot be played', () => {
    expect(describePlan('groups_to_knockout', { groups: 8 }, 9).problem).toBe(
      'With 9 participants this cannot be played: 9 participants are too few for 8 groups.',
    );
  });

  const plans: [Format, FormatOptions][] = [
    ['single_elimination', {}],
    ['single_elimination', { thirdPlace: true }],
    ['double_elimination', { grandFinalReset: false }],
    ['double_elimination', {}],
    ['round_robin', {}],
    ['round_robin', { legs: 2 }],
    ['swiss', {}],
    ['swiss', { playoffs: 4 }],
    ['groups_to_knockout', {}],
    ['groups_to_knockout', { advancePerGroup: 1, groups: 3 }],
    ['groups_to_knockout', { knockoutFormat: 'double_elimination' }],
    ['groups_to_knockout', { thirdPlace: true, legs: 2 }],
    ['groups_to_knockout', { groupFormat: 'gsl' }],
  ];
  test.each(plans)('counts the matches that are played in %s %j', (format, options) => {
    for (let n = 2; n <= 24; n += 1) {
      const { sentence } = describePlan(format, options, n);
      if (sentence === null) continue;
      const numbers = /(?:([\d,]+) or )?([\d,]+) match(?:es)?\.$/.exec(sentence)?.slice(1).filter(Boolean).map(Number);
      const played = playOut(generate(format, options, ids(n), 'seed')).matches.filter(
        ({ decidedBy, status }) => decidedBy !== 'bye' && status === 'completed',
      ).length;
      expect(numbers, `${sentence} ${played} were played`).toContain(played);
    }
  });
});
