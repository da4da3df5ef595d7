import { describe, expect, it } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import { currentMatchOf, describeNext, isBye, matchTitle, slotScore } from '@/components/brackets/match-words';
import { playOut } from '@/domain/brackets/playing.fixture';
import type { Bracket } from '@/domain/brackets/types';

const matchesOf = (bracket: Bracket) =>
  bracketData(bracket).stages.flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches));

describe('a bye', () => {
  it('is known from its slots and is no forfeit', () => {
    const byes = matchesOf(drawn('single_elimination', 6)).filter(isBye);
    expect(byes).toHaveLength(2);
    for (const { slots } of byes) expect(slots.map(slotScore)).not.toContain('FF');
  });
});

describe('matchTitle', () => {
  it('says who plays whom, and who has a bye', () => {
    const matches = matchesOf(drawn('single_elimination', 6));
    for (const { slots } of matches.filter(isBye)) {
      const name = slots.find(({ name }) => name !== null)?.name;
      expect(matchTitle(slots)).toBe(`${name} has a bye`);
    }
    const played = matches.find((match) => !isBye(match));
    expect(played && matchTitle(played.slots)).toBe(`${played?.slots[0].name} vs ${played?.slots[1].name}`);
  });
});

describe('describeNext', () => {
  it('names the matches that follow', () => {
    const first = matchesOf(drawn('double_elimination', 4)).find(({ number }) => number === 1);
    expect(first && describeNext(first)).toMatch(/^The winner goes to M\d+, the loser to M\d+\.$/);
  });

  it('says nothing about a grand final, after which both may play again', () => {
    const final = matchesOf(drawn('double_elimination', 4)).find(({ bracket }) => bracket === 'final');
    expect(final && describeNext(final)).toBeNull();
  });
});

describe('currentMatchOf', () => {
  it('is the open match, then the last one', () => {
    const start = drawn('single_elimination', 4);
    expect(currentMatchOf(matchesOf(start), 'p1')?.status).toBe('ready');
    expect(currentMatchOf(matchesOf(playOut(start)), 'p1')?.bracket).toBe('final');
    expect(currentMatchOf(matchesOf(start), 'p9')).toBeNull();
  });
});
