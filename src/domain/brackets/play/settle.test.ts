import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { deepFreeze, ids, playOut } from '@/domain/brackets/playing.fixture';
import { type Plan, perform, plan, type Step, step } from '@/domain/brackets/random-play.fixture';
import { rebuild } from '@/domain/brackets/rebuild.fixture';
import type { Bracket } from '@/domain/brackets/types';
import { isDecided } from './match-state';
import { finalPlaces, isComplete } from './outcomes';
import { applyPatch } from './patch';
import { settle } from './settle';

/** Both leave, one after the other, and the only result is reopened afterwards. */
const bothLeave: [Plan, Step[]] = [
  { format: 'swiss', options: { winsToAdvance: 3, lossesToEliminate: 3 }, count: 2 },
  [
    { kind: 'result', at: 0, outcome: 0 },
    { kind: 'withdraw', at: 1, outcome: 0 },
    { kind: 'withdraw', at: 0, outcome: 0 },
    { kind: 'reopen', at: 0, outcome: 0 },
  ],
];

function takeStep(bracket: Bracket, step: Step): Bracket {
  const change = perform(bracket, step);
  if (!change) return bracket;
  expect(applyPatch(bracket, change.patch)).toEqual(change.bracket);
  const { kind } = step;
  if (kind === 'result' || kind === 'forfeit' || kind === 'withdraw') expectNothingUndone(bracket, change.bracket);
  return deepFreeze(JSON.parse(JSON.stringify(change.bracket)));
}

/** Going on never takes back what was decided. */
function expectNothingUndone(before: Bracket, after: Bracket) {
  const current = new Map(after.matches.map((match) => [match.number, match]));
  for (const match of before.matches) if (isDecided(match)) expect(current.get(match.number)).toEqual(match);
}

/** Nobody plays twice in a Swiss round or has two byes. */
function expectFairSwiss({ stages, matches }: Bracket) {
  const swiss = stages.find(({ type }) => type === 'swiss');
  const drawn = matches.filter(({ stage }) => stage === swiss?.number);
  const byes = drawn.filter(({ decidedBy }) => decidedBy === 'bye').map(({ winnerId }) => winnerId);
  expect(new Set(byes).size).toBe(byes.length);
  const seats = drawn.flatMap(({ round, slots }) =>
    slots.flatMap(({ participantId }) => (participantId === null ? [] : [`${round} ${participantId}`])),
  );
  expect(new Set(seats).size).toBe(seats.length);
}

describe('settle', () => {
  it('ends any sequence of changes in the bracket that the final results alone would build', () => {
    const start = ({ format, options, count }: Plan) => deepFreeze(generate(format, options, ids(count), 'random'));
    fc.assert(
      fc.property(plan, fc.array(step, { maxLength: 60 }), (chosen, steps) => {
        const bracket = steps.reduce(takeStep, start(chosen));
        expect(settle(bracket)).toEqual(bracket);
        expect(rebuild(bracket)).toEqual(bracket);
        const end = playOut(bracket);
        expect(isComplete(end)).toBe(true);
        expect(rebuild(end)).toEqual(end);
        expectFairSwiss(end);
        const places = finalPlaces(end).map(({ rank }) => rank);
        expect(places).toHaveLength(chosen.count);
        for (const rank of places) expect(rank).toBeLessThanOrEqual(chosen.count);
      }),
      { numRuns: 150, examples: [bothLeave] },
    );
  });

  it('gives the same bracket for the same arguments and leaves them as they are', () => {
    fc.assert(
      fc.property(plan, fc.string(), ({ format, options, count }, randomSeed) => {
        const [frozen, seeds] = [deepFreeze(structuredClone(options)), deepFreeze(ids(count))];
        const bracket = playOut(deepFreeze(generate(format, frozen, seeds, randomSeed)));
        expect(playOut(generate(format, options, ids(count), randomSeed))).toEqual(bracket);
      }),
      { numRuns: 60 },
    );
  });
});
