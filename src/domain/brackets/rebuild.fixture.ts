import { generate } from './draw/generate';
import { OPTIONS_OF_FORMAT } from './options';
import { correct } from './play/correction';
import { isReported } from './play/match-state';
import { apply } from './play/progress';
import { reportedResult } from './play/results';
import { settle } from './play/settle';
import type { Bracket, Match } from './types';

/**
 * A fresh bracket brought to the state of another by nothing but its reported results and its departures: each
 * departure at the start of the stage or Swiss round it happened in, then the results in order.
 */
export function rebuild(final: Bracket): Bracket {
  const seeds = final.participants.map(({ participantId }) => participantId);
  const known = new Set<string>(OPTIONS_OF_FORMAT[final.format]);
  const options = Object.fromEntries(Object.entries(final.options).filter(([key]) => known.has(key)));
  const drawn = generate(final.format, options, seeds, final.randomSeed);
  let bracket: Bracket = { ...drawn, participants: final.participants };
  for (const stage of final.stages) {
    const isSwiss = stage.type === 'swiss';
    const matches = final.matches.filter((match) => match.stage === stage.number);
    const rounds = isSwiss ? [...new Set(matches.map(({ round }) => round))] : [0];
    if (isSwiss) rounds.push((rounds.at(-1) ?? 0) + 1);
    for (const round of rounds) {
      // Those who left in the same round leave at once: nobody is drawn for the next one in between.
      const leaving = final.departures.filter((one) => one.stage === stage.number && one.round === round);
      if (leaving.length > 0) bracket = settle({ ...bracket, departures: [...bracket.departures, ...leaving] });
      for (const match of matches) {
        if (isReported(match) && (!isSwiss || match.round === round)) bracket = enter(bracket, match);
      }
    }
  }
  return bracket;
}

function enter(bracket: Bracket, match: Match): Bracket {
  const current = bracket.matches.find(({ number }) => number === match.number);
  if (current?.status === 'ready') {
    return apply(bracket, { type: 'result', match: match.number, result: resultIn(match) }).bracket;
  }
  const correction = correct(bracket, match.number, resultIn(match));
  if (!correction.allowed) throw new Error(`match ${match.number} is refused: ${correction.reason}`);
  return correction.bracket;
}

function resultIn(match: Match) {
  const result = reportedResult(match);
  if (!result) throw new Error(`match ${match.number} has no reported result`);
  return result;
}
