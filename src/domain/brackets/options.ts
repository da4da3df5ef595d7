import {
  type BestOfOverride,
  type CompleteOptions,
  type Format,
  type FormatOptions,
  TIEBREAKERS,
  type TiebreakerName,
} from './types';

/** Most matches of a tournament: a draw and every page of it are made in one piece, while other requests wait. */
export const MAX_MATCHES = 6 * 1024;

/** A problem with an option. `path` leads to the value, as in `bestOfOverrides.0.bestOf`. */
export interface OptionIssue {
  readonly path: string;
  readonly message: string;
}

const KNOCKOUT_RESET = ['bestOf', 'bestOfOverrides', 'grandFinalReset'] as const;
const TABLE = ['pointsForWin', 'pointsForDraw', 'pointsForLoss', 'tiebreakers'] as const;

/** The options each format knows. */
export const OPTIONS_OF_FORMAT: Record<Format, readonly (keyof CompleteOptions)[]> = {
  single_elimination: ['bestOf', 'bestOfOverrides', 'thirdPlace'],
  double_elimination: KNOCKOUT_RESET,
  round_robin: ['bestOf', 'bestOfOverrides', 'legs', ...TABLE],
  swiss: [
    ...KNOCKOUT_RESET,
    'thirdPlace',
    'rounds',
    'winsToAdvance',
    'lossesToEliminate',
    'playoffs',
    'knockoutFormat',
    ...TABLE,
  ],
  groups_to_knockout: [
    ...KNOCKOUT_RESET,
    'thirdPlace',
    'legs',
    'groups',
    'groupAssignments',
    'advancePerGroup',
    'groupFormat',
    'knockoutFormat',
    ...TABLE,
  ],
};

const ROUND_ROBIN_TIEBREAKERS: readonly TiebreakerName[] = [
  'points',
  'head_to_head',
  'game_difference',
  'score_difference',
  'scores_for',
  'seed',
];
const SWISS_TIEBREAKERS: readonly TiebreakerName[] = [
  'points',
  'buchholz',
  'opponent_match_win_percentage',
  'head_to_head',
  'game_difference',
  'seed',
];
/** Counter-Strike Major rules: record, difficulty, initial seed. */
const MAJOR_TIEBREAKERS: readonly TiebreakerName[] = ['wins', 'difficulty', 'seed'];

/** The tie-breaks a table uses when the organizer orders none. */
export function defaultTiebreakers(format: Format, options: FormatOptions): readonly TiebreakerName[] {
  if (format !== 'swiss') return ROUND_ROBIN_TIEBREAKERS;
  return isMajor(options) ? MAJOR_TIEBREAKERS : SWISS_TIEBREAKERS;
}

function isMajor(options: FormatOptions): boolean {
  return typeof options.winsToAdvance === 'number' && typeof options.lossesToEliminate === 'number';
}

/** Groups of about four unless the organizer says how many. */
function defaultGroups(participants: number, options: FormatOptions): number {
  if (options.groupFormat === 'gsl') return Math.max(1, Math.ceil(participants / 4));
  return participants < 6 ? 1 : Math.max(2, Math.round(participants / 4));
}

/** Every option with its default for this many participants. Options the format does not know keep their defaults. */
export function completeOptions(format: Format, options: FormatOptions, participants: number): CompleteOptions {
  const known = new Set<string>(OPTIONS_OF_FORMAT[format]);
  const given: FormatOptions = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => known.has(key) && value !== undefined),
  );
  const { winsToAdvance = null, lossesToEliminate = null } = given;
  const major = isMajor(given) ? (winsToAdvance ?? 0) + (lossesToEliminate ?? 0) - 1 : null;
  return {
    bestOf: 1,
    bestOfOverrides: [],
    thirdPlace: false,
    grandFinalReset: true,
    legs: 1,
    groups: defaultGroups(participants, given),
    groupAssignments: [],
    advancePerGroup: 2,
    groupFormat: 'round_robin',
    knockoutFormat: 'single_elimination',
    playoffs: 0,
    pointsForWin: 3,
    pointsForDraw: 1,
    pointsForLoss: 0,
    tiebreakers: defaultTiebreakers(format, given),
    ...given,
    rounds: major ?? given.rounds ?? Math.max(1, Math.ceil(Math.log2(Math.max(participants, 2)))),
    winsToAdvance,
    lossesToEliminate,
  };
}

/**
 * Everything that is wrong with the options of a format; an empty list when they can be played. With `participants`
 * also what depends on their number, as at the start of a tournament.
 */
export function validateOptions(format: Format, options: FormatOptions, participants?: number): OptionIssue[] {
  const issues: OptionIssue[] = [];
  const report = (path: string, message: string) => issues.push({ path, message });
  const known = new Set<string>(OPTIONS_OF_FORMAT[format]);
  for (const [key, value] of Object.entries(options)) {
    if (!known.has(key) && value !== undefined) report(key, `${format} has no such option`);
  }
  const integer = (key: keyof FormatOptions, min: number, max: number) => {
    const value = options[key];
    if (value === undefined || value === null || !known.has(key)) return;
    if (!isIntegerWithin(value, min, max)) report(key, `Must be a whole number from ${min} to ${max}`);
  };
  integer('bestOf', 1, 99);
  integer('legs', 1, 2);
  integer('groups', 1, 256);
  integer('advancePerGroup', 1, 256);
  integer('rounds', 1, 100);
  integer('winsToAdvance', 1, 20);
  integer('lossesToEliminate', 1, 20);
  checkKinds(options, known, report);
  if (issues.length > 0) return issues;
  checkBestOf(format, options, report);
  if (format === 'swiss') checkSwiss(options, report);
  if (format === 'groups_to_knockout') checkGroups(options, report);
  if (known.has('tiebreakers')) checkTable(options, report);
  if (participants !== undefined && issues.length === 0) checkField(format, options, participants, report);
  return issues;
}

type Report = (path: string, message: string) => void;

function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

const SWITCHES = ['thirdPlace', 'grandFinalReset'] as const;
const LISTS = ['bestOfOverrides', 'groupAssignments', 'tiebreakers'] as const;
const CHOICES = {
  groupFormat: ['round_robin', 'gsl'],
  knockoutFormat: ['single_elimination', 'double_elimination'],
} as const;

/** Values of the wrong kind, which only untyped callers can give. */
function checkKinds(options: FormatOptions, known: ReadonlySet<string>, report: Report) {
  const given = (key: keyof FormatOptions) => known.has(key) && options[key] !== undefined;
  for (const key of SWITCHES) {
    if (given(key) && typeof options[key] !== 'boolean') report(key, 'Must be true or false');
  }
  for (const key of LISTS) if (given(key) && !Array.isArray(options[key])) report(key, 'Must be a list');
  for (const key of ['groupFormat', 'knockoutFormat'] as const) {
    const choices: readonly string[] = CHOICES[key];
    if (given(key) && !choices.includes(String(options[key]))) report(key, `Must be ${choices.join(' or ')}`);
  }
}

/** Whether matches of this part of a bracket must have a winner, so that their best-of is odd. */
function needsWinner(format: Format, options: FormatOptions, override: BestOfOverride | null): boolean {
  if (format === 'round_robin') return false;
  if (format === 'single_elimination' || format === 'double_elimination') return true;
  if (override) {
    if (override.bracket !== 'group') return true;
    return format === 'swiss' ? isMajor(options) : options.groupFormat === 'gsl';
  }
  return format === 'groups_to_knockout' || isMajor(options) || (options.playoffs ?? 0) > 0;
}

function checkBestOf(format: Format, options: FormatOptions, report: Report) {
  const { bestOf, bestOfOverrides } = options;
  if (bestOf !== undefined && bestOf % 2 === 0 && needsWinner(format, options, null)) {
    report('bestOf', 'Must be odd where a match needs a winner; an override can make group matches even');
  }
  for (const [at, override] of (bestOfOverrides ?? []).entries()) {
    const path = `bestOfOverrides.${at}`;
    if (!isIntegerWithin(override.bestOf, 1, 99)) report(`${path}.bestOf`, 'Must be a whole number from 1 to 99');
    else if (override.bestOf % 2 === 0 && needsWinner(format, options, override)) {
      report(`${path}.bestOf`, 'Must be odd where a match needs a winner');
    }
    if (!['winners', 'losers', 'final', 'group'].includes(override.bracket)) {
      report(`${path}.bracket`, 'Must be winners, losers, final or group');
    }
    if (override.round !== undefined && override.roundsFromEnd !== undefined) {
      report(path, 'Give either round or roundsFromEnd');
    }
    for (const key of ['round', 'roundsFromEnd'] as const) {
      const value = override[key];
      if (value !== undefined && !isIntegerWithin(value, 1, 100)) {
        report(`${path}.${key}`, 'Must be a whole number from 1 to 100');
      }
    }
  }
}

function checkSwiss(options: FormatOptions, report: Report) {
  const { winsToAdvance = null, lossesToEliminate = null, playoffs = 0 } = options;
  if ((winsToAdvance === null) !== (lossesToEliminate === null)) {
    const missing = winsToAdvance === null ? 'winsToAdvance' : 'lossesToEliminate';
    report(missing, 'winsToAdvance and lossesToEliminate are only possible together');
  }
  if (!isIntegerWithin(playoffs, 0, 256) || playoffs === 1 || (playoffs & (playoffs - 1)) !== 0) {
    report('playoffs', 'Must be 0 or a power of two from 2 to 256');
  }
}

function checkGroups(options: FormatOptions, report: Report) {
  const { groups, groupAssignments = [], advancePerGroup = 2, groupFormat, legs } = options;
  if (groups !== undefined && groups * advancePerGroup < 2) {
    report('advancePerGroup', 'At least two participants must advance to the knockout');
  }
  if (groupFormat === 'gsl') {
    if (advancePerGroup > 2) report('advancePerGroup', 'At most two advance from a GSL group');
    if (legs === 2) report('legs', 'A GSL group has one leg');
  }
  const assigned = new Set<string>();
  for (const [at, { participantId, group }] of groupAssignments.entries()) {
    const path = `groupAssignments.${at}`;
    if (!isIntegerWithin(group, 1, groups ?? 256)) report(`${path}.group`, 'There is no such group');
    if (assigned.has(participantId)) report(`${path}.participantId`, 'Is assigned twice');
    assigned.add(participantId);
  }
}

function checkTable(options: FormatOptions, report: Report) {
  const { pointsForWin = 3, pointsForDraw = 1, pointsForLoss = 0, tiebreakers } = options;
  for (const [key, value] of Object.entries({ pointsForWin, pointsForDraw, pointsForLoss })) {
    if (!Number.isFinite(value) || value < 0 || value > 1000) report(key, 'Must be a number from 0 to 1000');
  }
  if (pointsForWin <= 0 || pointsForWin < pointsForDraw || pointsForDraw < pointsForLoss) {
    report('pointsForWin', 'A win must earn points, at least as many as a draw, and a draw at least as many as a loss');
  }
  for (const [at, name] of (tiebreakers ?? []).entries()) {
    if (!TIEBREAKERS.includes(name)) report(`tiebreakers.${at}`, 'Is not a tie-break');
    if (tiebreakers?.indexOf(name) !== at) report(`tiebreakers.${at}`, 'Is listed twice');
  }
}

function checkField(format: Format, options: FormatOptions, participants: number, report: Report) {
  const complete = completeOptions(format, options, participants);
  if (format === 'swiss' && complete.playoffs > participants) {
    report('playoffs', `Only ${participants} participants can reach the playoffs`);
  }
  const size = matchesBeforeKnockout(format, complete, participants);
  if (size > MAX_MATCHES) {
    const path = format === 'groups_to_knockout' ? 'groups' : format === 'swiss' ? 'rounds' : 'legs';
    const [total, most] = [size, MAX_MATCHES].map((number) => number.toLocaleString('en'));
    report(path, `${participants} participants would play ${total} matches, and at most ${most} are possible`);
  }
  if (format !== 'groups_to_knockout') return;
  const { groups, advancePerGroup, groupFormat, groupAssignments } = complete;
  if (groups * advancePerGroup < 2) report('advancePerGroup', 'At least two participants must advance to the knockout');
  if (groupFormat === 'gsl') {
    if (participants !== groups * 4) report('groups', 'GSL needs groups of exactly four');
  } else if (Math.floor(participants / groups) < Math.max(2, advancePerGroup)) {
    report('groups', `${participants} participants are too few for ${groups} groups`);
  }
  const sizes = new Map<number, number>();
  for (const { group } of groupAssignments) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const largest = groupFormat === 'gsl' ? 4 : participants;
  if ([...sizes].some(([group, size]) => size > largest || group > groups)) {
    report('groupAssignments', groupFormat === 'gsl' ? 'GSL needs groups of exactly four' : 'There is no such group');
  }
}

/** How many participants each group gets: those assigned to it, and the others where there are fewest. */
function groupSizes({ groups, groupAssignments }: CompleteOptions, participants: number): number[] {
  const sizes = Array.from({ length: groups }, () => 0);
  for (const { group } of groupAssignments) sizes[group - 1] = (sizes[group - 1] ?? 0) + 1;
  let rest = participants - groupAssignments.length;
  for (let lap = 0; rest > 0; lap++) {
    for (const [at, size] of sizes.entries()) {
      if (size > lap || rest === 0) continue;
      sizes[at] = size + 1;
      rest--;
    }
  }
  return sizes;
}

/** Matches of the rounds that every format but a knockout begins with. */
function matchesBeforeKnockout(format: Format, options: CompleteOptions, participants: number): number {
  const { legs, groupFormat, rounds } = options;
  if (format === 'swiss') return rounds * Math.floor(participants / 2);
  if (format !== 'round_robin' && (format !== 'groups_to_knockout' || groupFormat === 'gsl')) return 0;
  const sizes = format === 'round_robin' ? [participants] : groupSizes(options, participants);
  return sizes.reduce((sum, size) => sum + (legs * size * (size - 1)) / 2, 0);
}

/** A number of matches that a draw does not exceed: those before a knockout, and a knockout of everybody. */
export function matchesAtMost(format: Format, options: FormatOptions, participants: number): number {
  const complete = completeOptions(format, options, participants);
  const isDouble = format === 'double_elimination' || complete.knockoutFormat === 'double_elimination';
  return matchesBeforeKnockout(format, complete, participants) + (isDouble ? 2 : 1) * participants;
}
