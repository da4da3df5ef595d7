import { BracketError } from '@/domain/brackets/bracket-error';
import { isDecided } from '@/domain/brackets/play/match-state';
import { settle } from '@/domain/brackets/play/settle';
import { swissMatches } from '@/domain/brackets/swiss/swiss';
import type { Bracket, Departure, Match, Stage } from '@/domain/brackets/types';
import { type RecordedMatch, withRecordedResult } from './recording';

const contradiction = (message: string) => new BracketError('INVALID_RECORD', message);

/**
 * The bracket with the recorded rounds of a Swiss stage, with their pairings as they are. Draws the next
 * round when the last of them is complete. Throws a BracketError: INVALID_RECORD, INVALID_RESULT.
 */
export function withRecordedRounds(
  bracket: Bracket,
  stage: Stage,
  recorded: readonly RecordedMatch[],
  leaving: readonly Departure[],
): Bracket {
  const departures = [...bracket.departures, ...leaving];
  if (recorded.length === 0) {
    return departures.length > bracket.departures.length ? settle({ ...bracket, departures }, stage.number) : bracket;
  }
  checkRounds(bracket, recorded);
  const matches = recorded.map((one): Match => {
    return withRecordedResult(bracket, drawnMatch(bracket, stage, one), one.result);
  });
  const others = bracket.matches.filter((match) => match.stage !== stage.number);
  const settled = settle({ ...bracket, matches: [...others, ...matches], departures }, stage.number);
  const last = recorded.at(-1)?.round ?? 0;
  const open = settled.matches.find((match) => match.stage === stage.number && match.round < last && !isDecided(match));
  if (open) throw contradiction(`Round ${open.round} is not over, and there is a later one: see match ${open.number}`);
  return settled;
}

function drawnMatch(bracket: Bracket, stage: Stage, { number, round, participantIds }: RecordedMatch): Match {
  const [first, second] = participantIds;
  if (first === null) throw contradiction(`Match ${number} has nobody in its first slot`);
  const drawn = second === null ? { pairs: [], bye: first } : { pairs: [[first, second] as const], bye: null };
  const [match] = swissMatches(bracket, stage.number, round, number, drawn);
  if (!match) throw new Error('a pairing makes one match');
  return match;
}

/** Throws unless nobody is paired twice in a round, and rounds follow each other with their byes at the end. */
function checkRounds({ options }: Bracket, recorded: readonly RecordedMatch[]) {
  let round = 1;
  let hadBye = false;
  let paired = new Set<string>();
  for (const one of recorded) {
    if (one.round === round + 1) {
      round++;
      hadBye = false;
      paired = new Set();
    }
    if (one.round !== round) throw contradiction(`Match ${one.number} is not in the order of the rounds`);
    const isBye = one.participantIds[1] === null;
    if (hadBye && !isBye) throw contradiction(`Match ${one.number} comes after a bye of its round`);
    hadBye = isBye;
    for (const id of one.participantIds) {
      if (id === null) continue;
      if (paired.has(id)) throw contradiction(`Match ${one.number} pairs somebody twice in round ${round}`);
      paired.add(id);
    }
  }
  if (round > options.rounds) throw contradiction(`There are more than ${options.rounds} rounds`);
}
