import fc from 'fast-check';
import { resultFor } from '@/domain/brackets/random-play.fixture';
import type { Bracket, Match } from '@/domain/brackets/types';
import { type Changed, type Correction, changedEntries, correct, reopen } from './correction';
import { isReported } from './match-state';
import { findMatch } from './progress';
import { type KeptResult, reportedResult } from './results';

type Allowed = Extract<Correction, { allowed: true }>;
type Choice = { reopens: boolean; at: number; outcome: number };

export const participantsOf = ({ slots }: Match) =>
  [slots[0].participantId ?? '', slots[1].participantId ?? ''] as const;

export function allowed(correction: Correction): Allowed {
  if (!correction.allowed) throw new Error('nothing is being played');
  return correction;
}

function keptOf(match: Match): KeptResult {
  const result = reportedResult(match);
  if (!result) throw new Error(`match ${match.number} has no reported result`);
  return { participantIds: participantsOf(match), result };
}

/** What a change of a match deleted, as a store keeps it. */
export function changedBy(before: Bracket, number: number, { affected, patch, bracket: after }: Allowed): Changed {
  const lost = affected.filter(({ match, losesResult }) => losesResult && match !== number);
  return {
    number,
    result: reportedResult(findMatch(before, number)),
    kept: new Map(lost.map(({ match }) => [match, keptOf(findMatch(before, match))])),
    departures: patch.departures ? before.departures : null,
    entries: changedEntries(before, after),
  };
}

export const choice = fc.record({ reopens: fc.boolean(), at: fc.nat(10_000), outcome: fc.nat(7) });

/** Corrects or reopens a match, if there is one to choose. */
export function change(
  state: Bracket,
  { reopens, at, outcome }: Choice,
  isPossible: (match: Match) => boolean = () => true,
): { number: number; correction: Allowed } | null {
  const isDecidedSo = (match: Match) => isReported(match) || (!reopens && match.decidedBy === 'departure');
  const possible = state.matches.filter((match) => isDecidedSo(match) && isPossible(match));
  const match = possible[at % Math.max(1, possible.length)];
  if (!match) return null;
  const { number } = match;
  const correction = reopens ? reopen(state, number) : correct(state, number, resultFor(state, match, outcome));
  return { number, correction: allowed(correction) };
}
