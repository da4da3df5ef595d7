import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { apply } from '@/domain/brackets/play/progress';
import { settle } from '@/domain/brackets/play/settle';
import { bySeed, ids, playOut, report, reportWinner } from '@/domain/brackets/playing.fixture';
import { standings } from '@/domain/brackets/tables/standings';
import type { Bracket, Match } from '@/domain/brackets/types';

const round = (bracket: Bracket, number: number) => bracket.matches.filter((match) => match.round === number);
const rowsOf = (bracket: Bracket) => standings(bracket).stages[0]?.groups[0]?.rows ?? [];

describe('settleSwiss', () => {
  it('draws the next round with the last result of a round', () => {
    const start = generate('swiss', {}, ids(8), 'x');
    expect(start.matches).toHaveLength(4);
    const almost = start.matches
      .slice(1)
      .reduce((bracket, match) => reportWinner(bracket, match, match.slots[0].participantId), start);
    expect(almost.matches).toHaveLength(4);
    const change = apply(almost, { type: 'result', match: 1, result: { type: 'played', winnerId: 'p1' } });
    expect(change.patch.added.map((match) => match.round)).toEqual([2, 2, 2, 2]);
    expect(change.patch.added.map(({ number }) => number)).toEqual([5, 6, 7, 8]);
  });

  it('gives an odd field a bye, won without a loss of games', () => {
    const start = generate('swiss', { bestOf: 3 }, ids(5), 'x');
    const bye = start.matches.at(-1);
    expect(bye).toMatchObject({ status: 'completed', decidedBy: 'bye', winnerId: 'p5' });
    expect(bye?.slots[1]).toMatchObject({ participantId: null, source: { type: 'bye', of: null } });
    expect(rowsOf(start)[0]).toMatchObject({ participantId: 'p5', points: 3, played: 1, gamesWon: 2, gamesLost: 0 });
  });

  it('pairs nobody who has left, and keeps them in the standings', () => {
    const gone = apply(generate('swiss', {}, ids(8), 'x'), { type: 'withdraw', participantId: 'p1' }).bracket;
    const end = playOut(gone);
    expect(isComplete(end)).toBe(true);
    const mine = end.matches.filter(({ slots }) => slots.some(({ participantId }) => participantId === 'p1'));
    expect(mine).toHaveLength(1);
    expect(rowsOf(end).find(({ participantId }) => participantId === 'p1')?.played).toBe(1);
    expect(round(end, 2).filter(({ decidedBy }) => decidedBy === 'bye')).toHaveLength(1);
  });

  it('counts draws', () => {
    const start = generate('swiss', { bestOf: 2, rounds: 1 }, ids(4), 'x');
    const end = start.matches.reduce(
      (bracket, { number }) => report(bracket, number, { type: 'played', score: [1, 1] }),
      start,
    );
    expect(rowsOf(end).map(({ points, draws }) => [points, draws])).toEqual(Array(4).fill([1, 1]));
    expect(isComplete(end)).toBe(true);
  });

  it('ends early where no legal pairing is left instead of a second bye', () => {
    const end = playOut(generate('swiss', { rounds: 5 }, ids(3), 'x'));
    expect(end.stages[0]?.endedEarly).toBe('no_legal_pairing');
    expect(isComplete(end)).toBe(true);
    expect(Math.max(...end.matches.map((match) => match.round))).toBe(3);
    const byes = end.matches.filter(({ decidedBy }) => decidedBy === 'bye').map(({ winnerId }) => winnerId);
    expect(new Set(byes).size).toBe(byes.length);
  });

  it('is not paired on when somebody leaves after it ended', () => {
    const end = playOut(generate('swiss', { rounds: 5 }, ids(3), 'x'));
    const gone = apply(end, { type: 'withdraw', participantId: 'p1' });
    expect(gone.patch).toMatchObject({ added: [], changed: [], stages: [] });
  });

  it('ranks by the table, its first being the champion', () => {
    const end = playOut(generate('swiss', {}, ids(16), 'x'));
    expect(finalPlaces(end).map(({ participantId }) => participantId)).toEqual(
      rowsOf(end).map(({ participantId }) => participantId),
    );
  });

  it('depends on the random seed only where nothing else decides', () => {
    const [a, b] = ['a', 'b'].map((seed) => playOut(generate('swiss', {}, ids(32), seed)));
    if (!a || !b) throw new Error('no brackets');
    expect(round(a, 1)).toEqual(round(b, 1));
    expect(round(a, 2)).not.toEqual(round(b, 2));
  });
});

describe('playoffs after Swiss', () => {
  it('take the best of the table into a standard bracket', () => {
    const end = playOut(generate('swiss', { playoffs: 4, thirdPlace: true }, ids(16), 'x'));
    const top = rowsOf(end)
      .slice(0, 4)
      .map(({ participantId }) => participantId);
    const first = end.matches.filter(({ stage, bracket }) => stage === 2 && bracket === 'winners');
    expect(first.map(({ slots }) => slots.map(({ participantId }) => participantId))).toEqual([
      [top[0], top[3]],
      [top[1], top[2]],
    ]);
    expect(rowsOf(end).map(({ outcome }) => outcome)).toEqual([
      ...Array(4).fill('advanced'),
      ...Array(12).fill('eliminated'),
    ]);
    expect(finalPlaces(end).map(({ rank }) => rank)).toEqual(Array.from({ length: 16 }, (_, at) => at + 1));
  });

  it('take exactly those who advanced under Major rules', () => {
    const options = {
      winsToAdvance: 3,
      lossesToEliminate: 3,
      playoffs: 8,
      knockoutFormat: 'double_elimination',
    } as const;
    const end = playOut(generate('swiss', options, ids(16), 'x'));
    const entered = end.matches
      .filter(({ stage }) => stage === 2)
      .flatMap(({ slots }) =>
        slots.filter(({ source }) => source.type === 'standing').map(({ participantId }) => participantId),
      );
    const advanced = rowsOf(end)
      .filter(({ wins }) => wins === 3)
      .map(({ participantId }) => participantId);
    expect(entered.sort()).toEqual(advanced.sort());
    expect(isComplete(end)).toBe(true);
  });

  it('do not exist before the table is final', () => {
    const start = generate('swiss', { playoffs: 4 }, ids(8), 'x');
    expect(start.stages).toHaveLength(2);
    expect(start.matches.every(({ stage }) => stage === 1)).toBe(true);
    expect(standings(start).final).toEqual([]);
  });

  it('leave out who left during Swiss', () => {
    const gone = apply(generate('swiss', { playoffs: 4 }, ids(8), 'x'), {
      type: 'withdraw',
      participantId: 'p1',
    }).bracket;
    const end = playOut(gone);
    expect(
      end.matches.some(({ stage, slots }) => stage === 2 && slots.some(({ participantId }) => participantId === 'p1')),
    ).toBe(false);
    expect(finalPlaces(end)).toHaveLength(8);
  });
});

describe('a Swiss of up to 1,024', () => {
  const field = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 4, max: 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: 900, max: 1024 }) },
  );

  it('has no rematch and at most one bye each', () => {
    fc.assert(
      fc.property(field, (n) => {
        let bracket = generate('swiss', {}, ids(n), 'x');
        for (let round = 1; round <= bracket.options.rounds; round++) {
          const matches = bracket.matches.map((match): Match => {
            if (match.status !== 'ready') return match;
            const [one, other] = match.slots;
            const winner = (match.number * 31 + round) % 4 === 0 ? 1 - bySeed(match) : bySeed(match);
            const [a, b] = winner === 0 ? (['win', 'loss'] as const) : (['loss', 'win'] as const);
            const winnerId = (winner === 0 ? one : other).participantId;
            const slots = [
              { ...one, result: a },
              { ...other, result: b },
            ] as const;
            return { ...match, status: 'completed', decidedBy: 'result', winnerId, slots };
          });
          bracket = settle({ ...bracket, matches }, 1);
        }
        expect(isComplete(bracket)).toBe(true);
        const pairs = bracket.matches.map(({ slots }) =>
          slots
            .map(({ participantId }) => participantId ?? 'bye')
            .sort()
            .join(),
        );
        expect(new Set(pairs).size).toBe(pairs.length);
        expect(pairs).toHaveLength(Math.ceil(n / 2) * bracket.options.rounds);
      }),
      { numRuns: 20 },
    );
  });
});
