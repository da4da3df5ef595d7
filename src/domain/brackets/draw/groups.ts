import { BracketError } from '@/domain/brackets/bracket-error';
import type { CompleteOptions, Group, Origin } from '@/domain/brackets/types';
import { bracketSize, standardOrder } from './seed-order';
import type { TreeMatch } from './tree';

/** Group A is number 1. */
export function groupName(number: number): string {
  const letter = String.fromCharCode(65 + ((number - 1) % 26));
  return number <= 26 ? letter : `${groupName(Math.floor((number - 1) / 26))}${letter}`;
}

/**
 * Spreads participants, given in seed order, over groups: assigned ones as assigned, the others by snake (A B C D,
 * D C B A, …), skipping a group that already has its share.
 */
export function assignGroups(
  participantIds: readonly string[],
  options: Pick<CompleteOptions, 'groups' | 'groupAssignments'>,
): Group[] {
  const members: string[][] = Array.from({ length: options.groups }, () => []);
  const assigned = new Map(options.groupAssignments.map(({ participantId, group }) => [participantId, group]));
  for (const id of participantIds) {
    const group = assigned.get(id);
    if (group !== undefined) members[group - 1]?.push(id);
  }
  const rest = participantIds.filter((id) => !assigned.has(id));
  for (let lap = 0; rest.length > 0; lap++) {
    const order = lap % 2 === 0 ? members : members.toReversed();
    for (const group of order) {
      if (group.length > lap) continue;
      const next = rest.shift();
      if (next !== undefined) group.push(next);
    }
  }
  const seedOf = new Map(participantIds.map((id, at) => [id, at]));
  return members.map((ids, at) => ({
    number: at + 1,
    participantIds: ids.toSorted((a, b) => (seedOf.get(a) ?? 0) - (seedOf.get(b) ?? 0)),
    ruling: null,
  }));
}

/** A dual tournament of four: two openers, winners' match, losers' match and decider; ranks are places in the group. */
export function gslTree(): TreeMatch[] {
  const match = (
    key: string,
    bracket: 'winners' | 'losers',
    round: number,
    slots: TreeMatch['slots'],
    winnerRank: number | null,
    loserRank: number | null,
  ): TreeMatch => ({ key, bracket, round, slots, winnerRank, loserRank });
  return [
    match('W1-0', 'winners', 1, [{ seed: 1 }, { seed: 4 }], null, null),
    match('W1-1', 'winners', 1, [{ seed: 2 }, { seed: 3 }], null, null),
    match('W2', 'winners', 2, [{ winner: 'W1-0' }, { winner: 'W1-1' }], 1, null),
    match('L1', 'losers', 1, [{ loser: 'W1-0' }, { loser: 'W1-1' }], null, 4),
    match('L2', 'losers', 2, [{ loser: 'W2' }, { winner: 'L1' }], 2, 3),
  ];
}

/** The round of a GSL match as overrides of the bracket `group` count it: openers, winners' and losers' match, decider. */
export function gslRound(match: Pick<TreeMatch, 'bracket' | 'round'>): number {
  return match.bracket === 'winners' ? match.round : match.round + 1;
}

/**
 * Which place of which group takes each seed of the knockout, index 0 being seed 1. With two advancing from a power of
 * two of groups: A1–B2, C1–D2, … in the upper half and B1–A2, D1–C2, … in the lower. Otherwise seeds go by place, then
 * group, moved within a place so that members of a group meet as late as possible.
 */
export function knockoutEntries(groups: number, advancePerGroup: number): Origin[] {
  const size = bracketSize(groups * advancePerGroup);
  const lines = standardOrder(size);
  const lineOf = new Map(lines.map((seed, line) => [seed, line]));
  const lineOfSeed = (seed: number) => {
    const line = lineOf.get(seed);
    if (line === undefined) throw new BracketError('INVALID_SEEDING', `The knockout has no seed ${seed}`);
    return line;
  };
  if (advancePerGroup === 2 && groups > 1 && groups * 2 === size) {
    const origins: Origin[] = [];
    for (const first of [0, 1]) {
      for (let group = 1; group <= groups; group += 2) {
        origins.push({ type: 'group', group: group + first, rank: 1 });
        origins.push({ type: 'group', group: group + 1 - first, rank: 2 });
      }
    }
    return lines.map((_, seed) => origins[lineOfSeed(seed + 1)]).filter((origin) => origin !== undefined);
  }
  const groupOfSeed: number[] = [];
  for (let rank = 1; rank <= advancePerGroup; rank++) {
    const order = Array.from({ length: groups }, (_, at) => (rank % 2 === 1 ? at + 1 : groups - at));
    groupOfSeed.push(...spread(order, groupOfSeed, lineOfSeed));
  }
  return groupOfSeed.map((group, at) => ({ type: 'group', group, rank: Math.floor(at / groups) + 1 }));
}

/** Order of the groups for the next seeds, improved by swaps until members of a group are as far apart as swaps get. */
function spread(order: number[], above: readonly number[], lineOf: (seed: number) => number): number[] {
  const matesOf = new Map<number, number[]>();
  for (const [at, group] of above.entries()) matesOf.set(group, [...(matesOf.get(group) ?? []), lineOf(at + 1)]);
  const lines = order.map((_, place) => lineOf(above.length + place + 1));
  // What a group costs in each place; swaps ask for it hundreds of times.
  const placed = order.map((group) => {
    const mates = matesOf.get(group) ?? [];
    return { group, costs: lines.map((line) => mates.reduce((sum, mate) => sum + meetingCost(line, mate), 0)) };
  });
  for (let improved = true; improved; ) {
    improved = false;
    for (let a = 0; a < placed.length; a++) {
      for (let b = a + 1; b < placed.length; b++) {
        const [one, two] = [placed[a], placed[b]];
        if (one === undefined || two === undefined) continue;
        const swapped = (one.costs[b] ?? 0) + (two.costs[a] ?? 0);
        if (swapped < (one.costs[a] ?? 0) + (two.costs[b] ?? 0) - 1e-12) {
          placed[a] = two;
          placed[b] = one;
          improved = true;
        }
      }
    }
  }
  return placed.map(({ group }) => group);
}

/** By leading zeros of what two lines' numbers differ in: an early meeting costs far more than a late one. */
const meetingCosts = Array.from({ length: 33 }, (_, zeros) => 16 ** (zeros - 31));

/** Two lines whose numbers first differ in bit k meet in round k + 1. */
const meetingCost = (line: number, other: number): number => meetingCosts[Math.clz32(line ^ other)] ?? 0;
