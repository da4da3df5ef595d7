import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correct, reinstate, reopen } from './correction';
import { generate } from './generate';
import { isDecided, isReported } from './match-state';
import { finalPlaces, isComplete } from './outcomes';
import { applyPatch } from './patch';
import { bySeed, deepFreeze, ids, playOut } from './playing.fixture';
import { apply } from './progress';
import { rebuild } from './rebuild.fixture';
import type { MatchResult } from './results';
import { settle } from './settle';
import type { Bracket, Format, FormatOptions, Match } from './types';

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
  return deepFreeze(JSON.parse(JSON.stringify(change.bracket)));
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

describe('a bracket', () => {
  it('equals one built from its final results after any sequence of changes', () => {
    const start = ({ format, options, count }: Plan) => deepFreeze(generate(format, options, ids(count), 'random'));
    fc.assert(
      fc.property(plan, fc.array(step, { maxLength: 60 }), (chosen, steps) => {
        const bracket = steps.reduce(takeStep, start(chosen));
        expect(settle(bracket)).toEqual(bracket);
        expect(rebuild(bracket)).toEqual(bracket);
        const end = playOut(bracket);
        expect(isComplete(end)).toBe(true);
        expect(rebuild(end)).toEqual(end);
        const places = finalPlaces(end).map(({ rank }) => rank);
        expect(places).toHaveLength(chosen.count);
        for (const rank of places) expect(rank).toBeLessThanOrEqual(chosen.count);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same for the same arguments and leaves them as they are', () => {
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

/** How often each participant lost a match that was played. */
function lossesOf(bracket: Bracket): Map<string, number> {
  const losses = new Map(bracket.participants.map(({ participantId }) => [participantId, 0]));
  for (const { slots } of bracket.matches) {
    for (const { participantId, result } of slots) {
      if (participantId !== null && result === 'loss') losses.set(participantId, (losses.get(participantId) ?? 0) + 1);
    }
  }
  return losses;
}

describe('a knockout of 2 to 256', () => {
  const count = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 2, max: 256 }));
  const anyWinner = (salt: number) => (match: Match) => ((match.number * 7919 + salt) % 3 === 0 ? 1 : 0) as 0 | 1;

  it('fills every slot once and gives the byes to the top seeds', () => {
    fc.assert(
      fc.property(count, fc.constantFrom('single_elimination', 'double_elimination'), (n, format) => {
        const { matches } = generate(format, {}, ids(n), 'x');
        const size = 2 ** Math.ceil(Math.log2(n));
        const first = matches
          .filter(({ round, bracket }) => round === 1 && (bracket === 'winners' || n === 2))
          .slice(0, size / 2);
        const seeds = first.flatMap(({ slots }) => slots.flatMap(({ seed }) => seed ?? []));
        expect(seeds.sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, at) => at + 1));
        const byes = first
          .filter(({ decidedBy }) => decidedBy === 'bye')
          .map(({ slots }) => slots[0].seed ?? slots[1].seed);
        expect(byes.sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(Array.from({ length: size - n }, (_, at) => at + 1));
        const targets = matches.flatMap(({ winnerTo, loserTo }) => [winnerTo, loserTo].filter((to) => to !== null));
        const places = targets.map(({ match, slot }) => `${match}/${slot}`);
        expect(new Set(places).size).toBe(places.length);
        const fed = matches.flatMap(({ number, slots }) =>
          slots.flatMap(({ source }, at) => {
            const origin = source.type === 'bye' ? source.of : source;
            return origin?.type === 'winner' || origin?.type === 'loser' ? [`${number}/${at}`] : [];
          }),
        );
        expect(fed.sort()).toEqual(places.sort());
      }),
      { numRuns: 60 },
    );
  });

  it('lets everyone but the champion lose once, or twice in double elimination', () => {
    fc.assert(
      fc.property(count, fc.nat(), fc.constantFrom('single_elimination', 'double_elimination'), (n, salt, format) => {
        const bracket = playOut(generate(format, {}, ids(n), 'x'), anyWinner(salt));
        expect(isComplete(bracket)).toBe(true);
        const places = finalPlaces(bracket);
        expect(places).toHaveLength(n);
        const champion = places[0]?.participantId;
        const most = format === 'single_elimination' ? 1 : 2;
        for (const [id, losses] of lossesOf(bracket)) {
          if (id === champion) expect(losses).toBeLessThan(most);
          else expect(losses).toBe(most);
        }
        const played = bracket.matches.filter(({ decidedBy }) => decidedBy === 'result').length;
        const total = [...lossesOf(bracket).values()].reduce((sum, losses) => sum + losses, 0);
        expect(played).toBe(total);
        for (const { rank } of places) {
          expect(rank).toBeLessThanOrEqual(places.filter((place) => place.rank < rank).length + 1);
        }
      }),
      { numRuns: 25 },
    );
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
