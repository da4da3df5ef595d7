import { BracketError } from '@/domain/brackets/bracket-error';
import { completeOptions, validateOptions } from '@/domain/brackets/options';
import { settle } from '@/domain/brackets/play/settle';
import type {
  Bracket,
  CompleteOptions,
  Format,
  FormatOptions,
  Group,
  Match,
  Origin,
  Stage,
  StageType,
} from '@/domain/brackets/types';
import { bestOfFor } from './best-of';
import { assignGroups, gslRound, gslTree, knockoutEntries } from './groups';
import { knockoutMatches } from './knockout';
import { roundRobinRounds } from './round-robin';
import { emptySlot, newMatch, placeTree } from './tree';

/** Most participants a tournament can have. */
export const MAX_PARTICIPANTS = 1024;

/**
 * Draws a bracket: its stages and matches, with byes played through and the first Swiss round drawn.
 *
 * `seeds` are participant ids in seed order, the first being seed 1. The same arguments always give the same bracket;
 * `randomSeed` decides only what nothing else does (Swiss pairings of equals, the tie-break `random`).
 *
 * Throws a BracketError: NOT_ENOUGH_PARTICIPANTS, INVALID_SEEDING (an id twice, or too many), INVALID_OPTIONS.
 */
export function generate(
  format: Format,
  options: FormatOptions,
  seeds: readonly string[],
  randomSeed: string,
): Bracket {
  checkSeeds(seeds);
  const [issue] = validateOptions(format, options, seeds.length);
  if (issue) throw new BracketError('INVALID_OPTIONS', `${issue.path}: ${issue.message}`);
  const complete = completeOptions(format, options, seeds.length);
  const { stages, matches } = plan(format, complete, seeds);
  return settle({
    format,
    options: complete,
    randomSeed,
    participants: seeds.map((participantId, at) => ({ participantId, seed: at + 1 })),
    stages,
    matches,
    departures: [],
  });
}

/** Throws unless there are 2 to 1,024 different participants. */
export function checkSeeds(seeds: readonly string[]) {
  if (seeds.length < 2) throw new BracketError('NOT_ENOUGH_PARTICIPANTS', 'A bracket needs at least two participants');
  if (seeds.length > MAX_PARTICIPANTS) throw new BracketError('INVALID_SEEDING', 'At most 1,024 participants can play');
  if (new Set(seeds).size < seeds.length) throw new BracketError('INVALID_SEEDING', 'A participant is seeded twice');
}

export function newStage(number: number, type: StageType, groups: readonly Group[] = []): Stage {
  return { number, type, groups, endedEarly: null };
}

function plan(format: Format, options: CompleteOptions, seeds: readonly string[]) {
  const everyone: Group = { number: 1, participantIds: seeds, ruling: null };
  switch (format) {
    case 'single_elimination':
    case 'double_elimination': {
      const entries = seeds.map((_, at): Origin => ({ type: 'seed', seed: at + 1 }));
      const matches = knockoutMatches(options, { type: format, stage: 1, firstNumber: 1, entries });
      return { stages: [newStage(1, format)], matches };
    }
    case 'round_robin':
      return {
        stages: [newStage(1, 'round_robin', [everyone])],
        matches: roundRobinMatches(options, [everyone], seeds),
      };
    case 'swiss': {
      const swiss = newStage(1, 'swiss', [everyone]);
      return { stages: options.playoffs > 0 ? [swiss, newStage(2, options.knockoutFormat)] : [swiss], matches: [] };
    }
    case 'groups_to_knockout':
      return groupsToKnockout(options, seeds);
  }
}

function groupsToKnockout(options: CompleteOptions, seeds: readonly string[]) {
  const groups = assignGroups(seeds, options);
  const isGsl = options.groupFormat === 'gsl';
  for (const { participantIds } of groups) {
    if (isGsl ? participantIds.length !== 4 : participantIds.length < Math.max(2, options.advancePerGroup)) {
      throw new BracketError(
        'INVALID_OPTIONS',
        isGsl ? 'groupAssignments: GSL needs groups of exactly four' : 'groupAssignments: A group is too small',
      );
    }
  }
  const first = isGsl ? gslMatches(options, groups, seeds) : roundRobinMatches(options, groups, seeds);
  const knockout = knockoutMatches(options, {
    type: options.knockoutFormat,
    stage: 2,
    firstNumber: first.length + 1,
    entries: knockoutEntries(groups.length, options.advancePerGroup),
  });
  return {
    stages: [newStage(1, isGsl ? 'gsl' : 'round_robin', groups), newStage(2, options.knockoutFormat)],
    matches: [...first, ...knockout],
  };
}

/** Matches of all groups, round by round. */
function roundRobinMatches(options: CompleteOptions, groups: readonly Group[], seeds: readonly string[]): Match[] {
  const seedOf = new Map(seeds.map((id, at) => [id, at + 1]));
  const unnumbered = groups.flatMap(({ number: group, participantIds }) => {
    const rounds = roundRobinRounds(participantIds.length, options.legs);
    return rounds.flatMap((pairs, at) =>
      pairs.map((pair) => {
        const slot = (place: number) => emptySlot({ type: 'seed', seed: seedOf.get(participantIds[place] ?? '') ?? 0 });
        const round = at + 1;
        const bestOf = bestOfFor(options, { bracket: 'group', round, rounds: rounds.length });
        const slots = [slot(pair[0]), slot(pair[1])] as const;
        return newMatch({ number: 0, stage: 1, group, round, bracket: 'group', bestOf, slots });
      }),
    );
  });
  return unnumbered.sort((a, b) => a.round - b.round).map((match, at) => ({ ...match, number: at + 1 }));
}

function gslMatches(options: CompleteOptions, groups: readonly Group[], seeds: readonly string[]): Match[] {
  const seedOf = new Map(seeds.map((id, at) => [id, at + 1]));
  const tree = gslTree();
  return groups.flatMap(({ number, participantIds }, at) =>
    placeTree(tree, {
      stage: 1,
      group: number,
      firstNumber: at * tree.length + 1,
      entry: (place) => ({ type: 'seed', seed: seedOf.get(participantIds[place - 1] ?? '') ?? 0 }),
      bestOf: (match) => bestOfFor(options, { bracket: 'group', round: gslRound(match), rounds: 3 }),
    }),
  );
}
