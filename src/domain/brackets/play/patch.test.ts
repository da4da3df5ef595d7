import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { ids, playOut, reportWinner } from '@/domain/brackets/playing.fixture';
import { applyPatch, difference } from './patch';
import { findMatch } from './progress';

describe('difference', () => {
  const start = generate('double_elimination', {}, ids(4), 'x');

  it('is empty between equal states, whatever objects they are made of', () => {
    expect(difference(start, JSON.parse(JSON.stringify(start)))).toEqual({
      removed: [],
      added: [],
      changed: [],
      stages: [],
      departures: null,
      eliminated: [],
      restored: [],
    });
  });

  it('leads from one state to the other', () => {
    const end = playOut(start);
    expect(applyPatch(start, difference(start, end))).toEqual(end);
    expect(applyPatch(end, difference(end, start))).toEqual(start);
  });

  it('replaces a Swiss match that was drawn again under the same number', () => {
    const [a, b] = ['a', 'b'].map((seed) => {
      const first = generate('swiss', { rounds: 2 }, ids(8), seed);
      return first.matches.reduce((state, match) => reportWinner(state, match, match.slots[0].participantId), first);
    });
    if (!a || !b) throw new Error('no brackets');
    const patch = difference(a, { ...b, randomSeed: a.randomSeed });
    expect(patch.changed).toEqual([]);
    expect(patch.removed.length).toBeGreaterThan(0);
    expect(patch.added.map(({ number }) => number)).toEqual(patch.removed);
  });

  it('names who is out, and who is in again on the way back', () => {
    const next = reportWinner(generate('single_elimination', {}, ids(4), 'x'), findMatch(start, 1), 'p1');
    const before = generate('single_elimination', {}, ids(4), 'x');
    expect(difference(before, next).eliminated).toEqual(['p4']);
    expect(difference(next, before).restored).toEqual(['p4']);
  });
});
