import { BracketError } from '@/domain/brackets/bracket-error';
import { generate } from '@/domain/brackets/draw/generate';
import { withLots } from '@/domain/brackets/draw/lots';
import { isReported, isSame } from '@/domain/brackets/play/match-state';
import { reportedResult } from '@/domain/brackets/play/results';
import { settle } from '@/domain/brackets/play/settle';
import type { Bracket, Match, Stage } from '@/domain/brackets/types';
import { withRecordedEntries } from './recorded-entries';
import { withRecordedRounds } from './recorded-rounds';
import { recordedTree } from './recorded-tree';
import { type RecordedMatch, type Recording, withRecordedResult } from './recording';

const contradiction = (message: string) => new BracketError('INVALID_RECORD', message);

/**
 * The bracket of a recording: drawn as it was, and played again result by result, so that nothing is in it which could
 * not have been played. Swiss pairings and trees given as edges are taken as they are; a Swiss stage
 * whose recorded rounds are complete gets its next round.
 *
 * Throws a BracketError: what `generate` throws, INVALID_TREE, INVALID_RESULT, and INVALID_RECORD when results
 * contradict the draw. Messages name the match.
 */
export function restore(recording: Recording): Bracket {
  checkReferences(recording);
  const { participantIds, lots = [] } = recording;
  let bracket: Bracket = { ...drawn(recording), participants: withLots(participantIds, lots) };
  for (const stage of bracket.stages) {
    const matches = recording.matches.filter((match) => match.stage === stage.number);
    bracket = withRulings(bracket, stage, recording);
    if (stage.type === 'swiss') {
      bracket = withRecordedRounds(bracket, stage, matches, leaving(recording, stage));
      continue;
    }
    // Who has left since, or leaves in a later stage, may forfeit what was left of the stage before, so that this one can be drawn, and
    // matches of this one that were opened again, which lead to others.
    const known = new Set(bracket.departures.map(({ participantId }) => participantId));
    const since = recording.departures.filter((one) => one.stage >= stage.number && !known.has(one.participantId));
    const departures = [...bracket.departures, ...since];
    if (departures.length > bracket.departures.length) bracket = settle({ ...bracket, departures });
    if (stage.number > 1) bracket = withRecordedEntries(bracket, stage, matches);
    bracket = withResults(bracket, stage, matches);
  }
  checkComplete(bracket, recording);
  return withStatuses(bracket, recording);
}

function checkReferences({ participantIds, lots, matches, departures, stages }: Recording) {
  if (lots && lots.length !== participantIds.length) throw contradiction('There must be a lot for each participant');
  const known = new Set(participantIds);
  for (const { number, participantIds: ids } of matches) {
    if (ids.some((id) => id !== null && !known.has(id)))
      throw contradiction(`Match ${number} has an unknown participant`);
  }
  const left = departures.map(({ participantId }) => participantId);
  if (left.some((id) => !known.has(id))) throw contradiction('Somebody left who does not play');
  if (new Set(left).size < left.length) throw contradiction('Somebody left twice');
  if (departures.some(({ stage }) => stages.length > 0 && !stages.some(({ number }) => number === stage))) {
    throw contradiction('Somebody left in a stage that is not there');
  }
  for (const [at, { number }] of [...matches].sort((a, b) => a.number - b.number).entries()) {
    if (number !== at + 1) throw contradiction('Matches must be numbered from 1 without gaps');
  }
}

function drawn(recording: Recording): Bracket {
  const { format, options, participantIds, randomSeed, stages } = recording;
  const [first] = stages;
  if (first?.type === 'custom') return recordedTree(recording);
  const bracket = generate(format, options, participantIds, randomSeed);
  const isAsDrawn = isSame(
    stages.map(({ type }) => type),
    bracket.stages.map(({ type }) => type),
  );
  if (!isAsDrawn) throw contradiction('The stages are not those of the format');
  return bracket;
}

function leaving({ departures }: Recording, stage: Stage) {
  return departures.filter((departure) => departure.stage === stage.number);
}

function withRulings(bracket: Bracket, stage: Stage, { stages }: Recording): Bracket {
  const rulings = stages.find(({ number }) => number === stage.number)?.rulings ?? [];
  if (rulings.length === 0) return bracket;
  const groups = stage.groups.map((group) => {
    const ruling = rulings.find((one) => one.group === group.number)?.ruling ?? null;
    const members = new Set(group.participantIds);
    if (ruling && (new Set(ruling.order).size < ruling.order.length || !ruling.order.every((id) => members.has(id)))) {
      throw contradiction(`The ruling in group ${group.number} must name members of the group, each once`);
    }
    if (ruling?.ties && !isSame(ruling.ties.flat().sort(), ruling.order.toSorted())) {
      throw contradiction(`The ties of the ruling in group ${group.number} must name those whom it orders, each once`);
    }
    return { ...group, ruling };
  });
  return { ...bracket, stages: bracket.stages.map((one) => (one.number === stage.number ? { ...one, groups } : one)) };
}

function isPlayedBy(match: Match, { participantIds }: RecordedMatch): boolean {
  return match.slots.every(({ participantId }, at) => participantId === participantIds[at === 0 ? 0 : 1]);
}

/** Enters results in waves: those of matches whose participants are known, then those that they lead to. */
function withResults(start: Bracket, stage: Stage, recorded: readonly RecordedMatch[]): Bracket {
  const results = recorded.filter(({ result }) => result !== null);
  let bracket = start;
  let waiting = results;
  while (waiting.length > 0) {
    const current = new Map(bracket.matches.map((match) => [match.number, match]));
    const decided = new Map<number, Match>();
    for (const { number, result, ...rest } of waiting) {
      const match = current.get(number);
      if (!match || match.stage !== stage.number || !isPlayedBy(match, { number, result, ...rest })) continue;
      decided.set(number, withRecordedResult(bracket, match, result));
    }
    if (decided.size === 0) {
      throw contradiction(`Match ${waiting[0]?.number} has a result of participants who do not meet in it`);
    }
    const matches = bracket.matches.map((match) => decided.get(match.number) ?? match);
    bracket = settle({ ...bracket, matches }, stage.number);
    // Who left late forfeits what comes before their results are entered, and what followed from that is played again.
    const reported = new Set(bracket.matches.filter(isReported).map(({ number }) => number));
    waiting = results.filter(({ number }) => !reported.has(number));
  }
  return bracket;
}

/** Throws unless everything recorded is in the bracket, and every result as it was recorded. */
function checkComplete(bracket: Bracket, { matches, departures }: Recording) {
  const current = new Map(bracket.matches.map((match) => [match.number, match]));
  for (const recorded of matches) {
    const match = current.get(recorded.number);
    if (!match || match.stage !== recorded.stage)
      throw contradiction(`There is no match ${recorded.number} in the draw`);
    const hasResult = isReported(match) && reportedResult(match) !== null;
    if (hasResult !== (recorded.result !== null)) {
      throw contradiction(`The result of match ${recorded.number} contradicts other matches`);
    }
  }
  if (bracket.departures.length !== departures.length)
    throw contradiction('Somebody left in a stage that is not there');
}

/** Brings back what people were doing in open matches. */
function withStatuses(bracket: Bracket, recording: Recording): Bracket {
  const kept = new Map(
    recording.matches.flatMap((recorded) => {
      const isKept =
        recorded.status === 'scheduled' || recorded.status === 'in_progress' || recorded.status === 'disputed';
      return isKept ? [[recorded.number, recorded]] : [];
    }),
  );
  const matches = bracket.matches.map((match) => {
    const recorded = kept.get(match.number);
    const isOpen = match.status === 'ready' && recorded !== undefined && isPlayedBy(match, recorded);
    return isOpen ? { ...match, status: recorded.status } : match;
  });
  return { ...bracket, matches };
}
