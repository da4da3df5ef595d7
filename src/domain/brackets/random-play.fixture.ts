import fc from 'fast-check';
import { correct, reinstate, reopen } from './play/correction';
import { isDecided, isReported } from './play/match-state';
import type { Change } from './play/patch';
import { apply } from './play/progress';
import type { MatchResult } from './play/results';
import type { Bracket, Format, FormatOptions, Match } from './types';

export interface Plan {
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
export const plan: fc.Arbitrary<Plan> = fieldSize.chain((count) =>
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

/** Something that may happen in a tournament; `at` chooses where among what is possible. */
export interface Step {
  readonly kind: 'result' | 'forfeit' | 'correct' | 'reopen' | 'withdraw' | 'reinstate';
  readonly at: number;
  readonly outcome: number;
}

export const step: fc.Arbitrary<Step> = fc.record({
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
export function resultFor(bracket: Bracket, match: Match, outcome: number): MatchResult {
  const [first, second] = match.slots.map(({ participantId }) => participantId ?? '');
  const both = [first ?? '', second ?? ''];
  if (outcome === 7) return { type: 'forfeit', participantIds: both };
  if (outcome === 6) return { type: 'forfeit', participantIds: both.slice(1) };
  if (outcome === 5 && match.bracket === 'group' && bracket.options.winsToAdvance === null) {
    return { type: 'played', winnerId: null };
  }
  return { type: 'played', winnerId: outcome % 2 === 0 ? first : second };
}

/** What a step changes; null where it is not possible. */
export function perform(bracket: Bracket, { kind, at, outcome }: Step): Change | null {
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
