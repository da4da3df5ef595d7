import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { deepFreeze, ids, playOut } from '@/domain/brackets/playing.fixture';
import { rebuild } from '@/domain/brackets/rebuild.fixture';
import type { Bracket, Format, FormatOptions, Match } from '@/domain/brackets/types';
import { correct, reinstate, reopen } from './correction';
import { isDecided, isReported } from './match-state';
import { finalPlaces, isComplete } from './outcomes';
import { applyPatch } from './patch';
import { apply } from './progress';
import type { MatchResult } from './results';
import { settle } from './settle';

interface Plan {
  readonly format: Format;
  readonly options: FormatOptions;
  readonly count: number;
}

const groupOptions = (count: number) => [
  { groups: Math.max(1, Math.floor(count / 4)), thirdPlace: true },
  { groups: Math.max(1, Math.floor(count / 3)), advancePerGroup: 2, knockoutFormat: 'double_elimination' as const },
];

const fieldSize = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 2, max: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 21, max: 48 }) },
);

/** A format with options that this many participants can play. */
const plan: fc.Arbitrary<Plan> = fieldSize.chain((count) =>
  fc
    .constantFrom<Omit<Plan, 'count'>>(
      { format: 'single_elimination', options: { thirdPlace: true } },
      { format: 'double_elimination', options: {} },
      { format: 'double_elimination', options: { grandFinalReset: false } },
      { format: 'swiss', options: {} },
      { format: 'swiss', options: { rounds: 5, playoffs: 2 } },
      { format: 'swiss', options: { winsToAdvance: 2, lossesToEliminate: 2 } },
      { format: 'swiss', options: { winsToAdvance: 3, lossesToEliminate: 3 } },
      ...(count >= 4 ? [{ format: 'swiss' as const, options: { playoffs: 4, thirdPlace: true } }] : []),
      ...(count >= 4
        ? [{ format: 'swiss' as const, options: { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 2 } }]
        : []),
      ...(count <= 7 ? [{ format: 'round_robin' as const, options: { legs: 1 as const } }] : []),
      ...(count >= 3 && count <= 12
        ? groupOptions(count).map((options) => ({ format: 'groups_to_knockout' as const, options }))
        : []),
      ...(count % 4 === 0
        ? [
            {
              format: 'groups_to_knockout' as const,
              options: {
                groups: count / 4,
                groupFormat: 'gsl' as const,
                knockoutFormat: 'double_elimination' as const,
              },
            },
          ]
        : []),
    )
    .map((chosen) => ({ ...chosen, count })),
);

interface Step {
  readonly kind: 'result' | 'forfeit' | 'correct' | 'reopen' | 'withdraw' | 'reinstate';
  readonly at: number;
  readonly outcome: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 20, arbitrary: fc.constant('result' as const) },
    { weight: 5, arbitrary: fc.constant('correct' as const) },
    { weight: 2, arbitrary: fc.constantFrom('forfeit' as const, 'reopen' as const) },
    { weight: 2, arbitrary: fc.constantFrom('withdraw' as const, 'reinstate' as const) },
  ),
  at: fc.nat(10_000),
  outcome: fc.nat(7),
});

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

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];

/** A result of one of eight kinds: mostly wins, a draw where it is allowed, forfeits of one or both. */
function resultFor(bracket: Bracket, match: Match, outcome: number): MatchResult {
  const [first, second] = match.slots.map(({ participantId }) => participantId ?? '');
  const both = [first ?? '', second ?? ''];
  if (outcome === 7) return { type: 'forfeit', participantIds: both };
  if (outcome === 6) return { type: 'forfeit', participantIds: both.slice(1) };
  if (outcome === 5 && match.bracket === 'group' && bracket.options.winsToAdvance === null) {
    return { type: 'played', winnerId: null };
  }
  return { type: 'played', winnerId: outcome % 2 === 0 ? first : second };
}

function takeStep(bracket: Bracket, { kind, at, outcome }: Step): Bracket {
  const change = perform(bracket, kind, at, outcome);
  if (!change) return bracket;
  expect(applyPatch(bracket, change.patch)).toEqual(change.bracket);
  if (kind === 'result' || kind === 'forfeit' || kind === 'withdraw') expectNothingUndone(bracket, change.bracket);
  return deepFreeze(JSON.parse(JSON.stringify(change.bracket)));
}

/** Going on never takes back what was decided. */
function expectNothingUndone(before: Bracket, after: Bracket) {
  const current = new Map(after.matches.map((match) => [match.number, match]));
  for (const match of before.matches) if (isDecided(match)) expect(current.get(match.number)).toEqual(match);
}

function perform(bracket: Bracket, kind: Step['kind'], at: number, outcome: number) {
  const isFull = (match: Match) => match.slots.every(({ participantId }) => participantId !== null);
  const open = pick(
    bracket.matches.filter(({ status }) => status === 'ready'),
    at,
  );
  const decided = pick(
    bracket.matches.filter((match) => isDecided(match) && isFull(match)),
    at,
  );
  const leaver = pick(bracket.participants, at)?.participantId ?? '';
  const hasLeft = bracket.departures.some(({ participantId }) => participantId === leaver);
  if (kind === 'result' || kind === 'forfeit') {
    const result = open && resultFor(bracket, open, kind === 'forfeit' ? 6 + (outcome % 2) : outcome % 6);
    return open && result ? apply(bracket, { type: 'result', match: open.number, result }) : null;
  }
  if (kind === 'withdraw') return hasLeft ? null : apply(bracket, { type: 'withdraw', participantId: leaver });
  if (kind === 'correct') {
    if (!decided) return null;
    const correction = correct(bracket, decided.number, resultFor(bracket, decided, outcome));
    return correction.allowed ? correction : null;
  }
  if (kind === 'reopen') {
    const correction = decided && isReported(decided) ? reopen(bracket, decided.number) : null;
    return correction?.allowed ? correction : null;
  }
  const returning = pick(bracket.departures, at);
  const correction = returning ? reinstate(bracket, returning.participantId) : null;
  return correction?.allowed ? correction : null;
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
