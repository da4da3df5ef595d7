import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { deepFreeze, ids, playOut } from '@/domain/brackets/playing.fixture';
import type { Bracket, Format, FormatOptions, Match } from '@/domain/brackets/types';
import { correct, reopen } from './correction';
import { isDecided, isReported } from './match-state';
import { apply, findMatch, replaceMatch } from './progress';
import { type KeptResult, restoreResults } from './restore';
import type { MatchResult } from './results';

const participantsOf = ({ slots }: Match) => [slots[0].participantId, slots[1].participantId] as const;

function keptOf(match: Match): KeptResult {
  const participantIds = participantsOf(match);
  const { winnerId } = match;
  const losing = participantIds.filter((id): id is string => id !== null && id !== winnerId);
  const result: MatchResult =
    match.decidedBy === 'forfeit' ? { type: 'forfeit', participantIds: losing } : { type: 'played', winnerId };
  return { participantIds, result };
}

/** What `restoreResults` has to give: each result by itself, in the order of the matches. */
function restoreOneByOne(bracket: Bracket, kept: ReadonlyMap<number, KeptResult>) {
  let current = bracket;
  const restored: number[] = [];
  for (const [number, { participantIds, result }] of [...kept].sort(([a], [b]) => a - b)) {
    const match = current.matches.find((one) => one.number === number);
    const isOpen = match?.status === 'ready' || match?.status === 'scheduled';
    const isOfDeparture = match?.decidedBy === 'departure';
    if (!match || !(isOpen || isOfDeparture)) continue;
    if (participantsOf(match).some((id, at) => id !== participantIds[at])) continue;
    const corrected = isOfDeparture ? correct(current, number, result) : null;
    if (corrected && !corrected.allowed) continue;
    current = corrected ? corrected.bracket : apply(current, { type: 'result', match: number, result }).bracket;
    restored.push(number);
  }
  return { bracket: current, restored };
}

function expectSame(bracket: Bracket, kept: ReadonlyMap<number, KeptResult>) {
  const given = deepFreeze(structuredClone(bracket));
  const restoration = restoreResults(given, kept);
  expect(restoration).toEqual(restoreOneByOne(given, kept));
  return restoration;
}

const plan = fc.constantFrom<{ format: Format; options: FormatOptions; count: number }>(
  { format: 'single_elimination', options: { thirdPlace: true }, count: 13 },
  { format: 'double_elimination', options: {}, count: 11 },
  { format: 'round_robin', options: {}, count: 5 },
  { format: 'swiss', options: { rounds: 3, playoffs: 4 }, count: 8 },
  { format: 'swiss', options: { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 2 }, count: 8 },
  { format: 'groups_to_knockout', options: { groups: 2, advancePerGroup: 2 }, count: 8 },
  {
    format: 'groups_to_knockout',
    options: { groups: 2, groupFormat: 'gsl', knockoutFormat: 'double_elimination' },
    count: 8,
  },
);

/** Plays on, what happens in a match being chosen by `outcomes`: a win of either side, or a forfeit of one or both. */
function play(start: Bracket, outcomes: readonly number[]): Bracket {
  let bracket = start;
  for (let at = 0; ; at++) {
    const match = bracket.matches.find(({ status }) => status === 'ready');
    if (!match) return bracket;
    const [first, second] = participantsOf(match).map((id) => id ?? '');
    const outcome = outcomes[at % outcomes.length] ?? 0;
    const result: MatchResult =
      outcome < 6
        ? { type: 'played', winnerId: (outcome % 2 === 0 ? first : second) ?? null }
        : { type: 'forfeit', participantIds: [first ?? '', ...(outcome === 7 ? [second ?? ''] : [])] };
    bracket = apply(bracket, { type: 'result', match: match.number, result }).bracket;
  }
}

const setup = fc.record({
  chosen: plan,
  outcomes: fc.array(fc.nat(7), { minLength: 1, maxLength: 40 }),
  at: fc.nat(1000),
  reopens: fc.boolean(),
  leaver: fc.option(fc.nat(20)),
  running: fc.option(fc.nat(20)),
});

it('brings back what the results one by one would', () => {
  fc.assert(
    fc.property(setup, ({ chosen, outcomes, at, reopens, leaver, running }) => {
      const { format, options, count } = chosen;
      let start = generate(format, options, ids(count), 'x');
      const participantId = `p${(leaver ?? 0) + 1}`;
      const leaves = leaver !== null && leaver < count;
      if (leaves) start = apply(start, { type: 'withdraw', participantId }).bracket;
      const end = play(start, outcomes);
      const reported = end.matches.filter((match) => isReported(match));
      const corrected = reported[at % reported.length];
      if (!corrected) return;
      const [first, second] = participantsOf(corrected);
      const other = corrected.winnerId === first ? second : first;
      const correction = reopens
        ? reopen(end, corrected.number)
        : correct(end, corrected.number, { type: 'played', winnerId: other });
      if (!correction.allowed) throw new Error('nothing is being played');
      const lost = correction.affected.filter(({ losesResult }) => losesResult);
      const kept = new Map(lost.map(({ match }) => [match, keptOf(findMatch(end, match))]));
      const { result } = keptOf(corrected);
      let back = correction.bracket;
      if (reopens) back = apply(back, { type: 'result', match: corrected.number, result }).bracket;
      else {
        const again = correct(back, corrected.number, result);
        if (again.allowed) back = again.bracket;
      }
      const open = back.matches.filter(({ status }) => status === 'ready');
      const busy = running === null ? undefined : open[running];
      if (busy) back = replaceMatch(back, { ...busy, status: 'in_progress' });
      const restoration = expectSame(back, kept);
      const isDrawnAgain = format === 'swiss' || end.matches.length !== restoration.bracket.matches.length;
      if (!busy && !leaves && !isDrawnAgain) expect(restoration.bracket.matches.every(isDecided)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('leaves matches as they are where others meet now', () => {
  const start = generate('single_elimination', {}, ids(4), 'x');
  const end = playOut(start);
  const kept = new Map(end.matches.map((match) => [match.number, keptOf(match)]));
  const upset = apply(start, { type: 'result', match: 1, result: { type: 'played', winnerId: 'p4' } }).bracket;
  const { bracket, restored } = expectSame(upset, kept);
  expect(restored).toEqual([2]);
  expect(findMatch(bracket, 3)).toMatchObject({ status: 'ready', winnerId: null });
  expect(expectSame(start, kept).bracket).toEqual(end);
});

it('brings back what somebody played who has left since', () => {
  const start = generate('double_elimination', {}, ids(8), 'x');
  const end = playOut(start);
  const first = findMatch(end, 1);
  const loser = first.slots.find(({ result }) => result === 'loss')?.participantId ?? '';
  // The forfeits of the champion would decide matches that nobody had lost.
  for (const participantId of ids(8).slice(1)) {
    const left = apply(end, { type: 'disqualify', participantId }).bracket;
    const correction = correct(left, 1, { type: 'played', winnerId: loser });
    if (!correction.allowed) throw new Error('nothing is being played');
    const lost = correction.affected.filter(({ losesResult }) => losesResult);
    const kept = new Map(lost.map(({ match }) => [match, keptOf(findMatch(end, match))]));
    const again = correct(correction.bracket, 1, keptOf(first).result);
    if (!again.allowed) throw new Error('nothing is being played');
    const { bracket } = expectSame(again.bracket, kept);
    expect(bracket.matches).toEqual(left.matches);
  }
});

it('refuses what cannot be a result of the match any more', () => {
  const start = generate('single_elimination', {}, ids(2), 'x');
  const kept = new Map([[1, { participantIds: ['p1', 'p2'], result: { type: 'played', score: [2, 0] } }]] as const);
  expect(() => restoreResults(start, kept)).toThrow(expect.objectContaining({ code: 'INVALID_RESULT' }));
});
