import { completeOptions, validateOptions } from './options';
import type { CompleteOptions, Format, FormatOptions } from './types';

/** What a format comes to for a number of participants: a sentence, or why it cannot be played. */
export type Plan = { sentence: string; problem: null } | { sentence: null; problem: string };

const count = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const matches = (n: number) => count(n, 'match', 'matches');
const roundsOf = (n: number) => Math.ceil(Math.log2(n));

/** Matches of a knockout of `n`, without a reset of its grand final. */
function knockoutMatches(n: number, format: CompleteOptions['knockoutFormat'], thirdPlace: boolean): number {
  if (format === 'double_elimination') return 2 * n - 2;
  return n - 1 + (thirdPlace && n >= 4 ? 1 : 0);
}

/** `32 matches`, or `32 or 33 matches` where a grand final may be played twice. */
function total(n: number, mayReset: boolean): string {
  return mayReset ? `${n.toLocaleString('en')} or ${matches(n + 1)}` : matches(n);
}

function describeKnockout(n: number, options: CompleteOptions): string {
  const byes = 2 ** roundsOf(n) - n;
  const bye = byes > 0 ? `, ${byes === 1 ? 'seed 1 has' : `the best ${byes} have`} a bye in the first` : '';
  const third = options.thirdPlace && n >= 4 ? ', with a match for third place' : '';
  const played = matches(knockoutMatches(n, 'single_elimination', options.thirdPlace));
  return `a knockout of ${count(roundsOf(n), 'round', 'rounds')}${bye}${third}, ${played}`;
}

function describeGroups(n: number, options: CompleteOptions): string {
  const { groups, advancePerGroup, groupFormat, knockoutFormat, thirdPlace, legs, grandFinalReset } = options;
  const small = Math.floor(n / groups);
  const large = n - small * groups;
  const size = large === 0 ? String(small) : `${small} or ${small + 1}`;
  const pairs = (players: number) => (players * (players - 1)) / 2;
  const inGroups =
    groupFormat === 'gsl' ? groups * 5 : legs * ((groups - large) * pairs(small) + large * pairs(small + 1));
  const advancing = groups * advancePerGroup;
  const mayReset = knockoutFormat === 'double_elimination' && grandFinalReset && advancing > 2;
  const played = total(inGroups + knockoutMatches(advancing, knockoutFormat, thirdPlace), mayReset);
  const kind = knockoutFormat === 'double_elimination' ? 'double-elimination bracket' : 'knockout';
  const what = `${count(groups, 'group', 'groups')} of ${size}${groupFormat === 'gsl' ? ' (GSL)' : ''}`;
  const best = advancePerGroup === 1 ? 'the first goes' : `the best ${advancePerGroup} go`;
  return `${what}, ${best} on to a ${kind} of ${advancing}, ${played}`;
}

function describeSwiss(n: number, options: CompleteOptions): string {
  const { winsToAdvance, lossesToEliminate, rounds, playoffs, knockoutFormat, thirdPlace, grandFinalReset } = options;
  const isDouble = knockoutFormat === 'double_elimination';
  const kind = isDouble ? 'double-elimination bracket' : 'knockout';
  if (winsToAdvance !== null && lossesToEliminate !== null) {
    const ends = `${count(winsToAdvance, 'win advances', 'wins advance')}, ${count(lossesToEliminate, 'loss eliminates', 'losses eliminate')}`;
    return `up to ${count(rounds, 'Swiss round', 'Swiss rounds')}, ${ends}${playoffs > 0 ? `, and those who advance play a ${kind}` : ''}`;
  }
  const swiss = rounds * Math.floor(n / 2);
  if (playoffs === 0) return `${count(rounds, 'Swiss round', 'Swiss rounds')}, ${matches(swiss)}`;
  const mayReset = isDouble && grandFinalReset && playoffs > 2;
  const played = total(swiss + knockoutMatches(playoffs, knockoutFormat, thirdPlace), mayReset);
  return `${count(rounds, 'Swiss round', 'Swiss rounds')}, the best ${playoffs} go on to a ${kind}, ${played}`;
}

function describeFormat(format: Format, n: number, options: CompleteOptions): string {
  switch (format) {
    case 'single_elimination':
      return describeKnockout(n, options);
    case 'double_elimination':
      return `an upper and a lower bracket, out after two losses, ${total(2 * n - 2, options.grandFinalReset)}`;
    case 'round_robin':
      return `everyone plays everyone ${options.legs === 2 ? 'twice' : 'once'}, ${matches(((n * (n - 1)) / 2) * options.legs)}`;
    case 'swiss':
      return describeSwiss(n, options);
    case 'groups_to_knockout':
      return describeGroups(n, options);
  }
}

/**
 * Says what a tournament with these options comes to: `16 participants: 4 groups of 4, the best 2 go on to a knockout
 * of 8, 31 matches.`
 */
export function describePlan(format: Format, options: FormatOptions, participants: number): Plan {
  const who = count(participants, 'participant', 'participants');
  const [issue] = validateOptions(format, options, participants);
  if (issue) return { sentence: null, problem: `With ${who} this cannot be played: ${issue.message}.` };
  const complete = completeOptions(format, options, participants);
  return { sentence: `${who}: ${describeFormat(format, participants, complete)}.`, problem: null };
}
