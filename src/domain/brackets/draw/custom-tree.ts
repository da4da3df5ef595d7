import { BracketError } from '@/domain/brackets/bracket-error';
import { completeOptions, validateOptions } from '@/domain/brackets/options';
import { settle } from '@/domain/brackets/play/settle';
import type { Bracket, BracketSide, FormatOptions } from '@/domain/brackets/types';
import { bestOfFor } from './best-of';
import { checkSeeds, newStage } from './generate';
import { placeTree, type TreeMatch, type TreeRef } from './tree';

/** A match of a bracket given as edges. */
export interface CustomMatch {
  /** Unique in the tree. */
  readonly key: string;
  /** Each slot takes a seed, or the winner or loser of another match by its key. */
  readonly slots: readonly [TreeRef, TreeRef];
  /** Default: `final` for the match whose winner and loser both leave with the best places, `winners` otherwise. */
  readonly bracket?: BracketSide;
  /** Default: the longest way to the match, from 1, within its bracket. */
  readonly round?: number;
  /** Final place of the winner or the loser, where they leave here. Default: counted back from the final. */
  readonly winnerRank?: number;
  readonly loserRank?: number;
}

/**
 * Draws a bracket whose tree is given as edges: regions with play-ins, placement matches, anything without a cycle.
 * Matches are numbered in the order given, but after the matches that feed them. `options` are those of a single
 * elimination that make sense (bestOf, bestOfOverrides). Seeds that no slot names do not play.
 *
 * Throws a BracketError INVALID_TREE when a key is used twice or unknown, a seed or an outcome is used twice, or
 * matches wait for each other; and what `generate` throws about seeds.
 */
export function generateCustom(
  tree: readonly CustomMatch[],
  options: Pick<FormatOptions, 'bestOf' | 'bestOfOverrides'>,
  seeds: readonly string[],
  randomSeed: string,
): Bracket {
  checkSeeds(seeds);
  checkRefs(tree, seeds.length);
  const [issue] = validateOptions('single_elimination', options);
  if (issue) throw new BracketError('INVALID_OPTIONS', `${issue.path}: ${issue.message}`);
  const complete = completeOptions('single_elimination', options, seeds.length);
  const nodes = withPlaces(inPlayingOrder(tree));
  const rounds = new Map<BracketSide, number>();
  for (const { bracket, round } of nodes) rounds.set(bracket, Math.max(round, rounds.get(bracket) ?? 0));
  return settle({
    format: 'single_elimination',
    options: complete,
    randomSeed,
    participants: seeds.map((participantId, at) => ({ participantId, seed: at + 1 })),
    stages: [newStage(1, 'custom')],
    matches: placeTree(nodes, {
      stage: 1,
      group: null,
      firstNumber: 1,
      entry: (seed) => ({ type: 'seed', seed }),
      bestOf: ({ bracket, round }) => bestOfFor(complete, { bracket, round, rounds: rounds.get(bracket) ?? 1 }),
    }),
    departures: [],
  });
}

function sourceKey(ref: TreeRef): string | null {
  if ('winner' in ref) return ref.winner;
  return 'loser' in ref ? ref.loser : null;
}

function checkRefs(tree: readonly CustomMatch[], seeds: number) {
  const keys = new Set(tree.map(({ key }) => key));
  if (tree.length === 0 || keys.size < tree.length)
    throw new BracketError('INVALID_TREE', 'Every match needs a key of its own');
  const used = new Set<string>();
  for (const ref of tree.flatMap(({ slots }) => slots)) {
    if ('bye' in ref) continue;
    const source = sourceKey(ref);
    if (source !== null && !keys.has(source)) throw new BracketError('INVALID_TREE', `There is no match ${source}`);
    if ('seed' in ref && (!Number.isInteger(ref.seed) || ref.seed < 1 || ref.seed > seeds)) {
      throw new BracketError('INVALID_TREE', `There is no seed ${ref.seed}`);
    }
    const name = JSON.stringify(ref);
    if (used.has(name)) throw new BracketError('INVALID_TREE', `${name} is used twice`);
    used.add(name);
  }
}

/** The tree with every match behind those that feed it, otherwise in the order given. */
function inPlayingOrder(tree: readonly CustomMatch[]): CustomMatch[] {
  const byKey = new Map(tree.map((match) => [match.key, match]));
  const ordered = new Set<CustomMatch>();
  const open = new Set<CustomMatch>();
  const place = (match: CustomMatch) => {
    if (ordered.has(match)) return;
    if (open.has(match)) throw new BracketError('INVALID_TREE', 'Some matches wait for each other');
    open.add(match);
    for (const ref of match.slots) {
      const source = byKey.get(sourceKey(ref) ?? '');
      if (source) place(source);
    }
    ordered.add(match);
  };
  for (const match of tree) place(match);
  return [...ordered];
}

/** The place of who leaves so many steps before the end: behind the champion and all who leave later. */
function placesByDistance(exits: readonly number[]): (steps: number) => number {
  const leaving: number[] = [];
  for (const steps of exits) leaving[steps] = (leaving[steps] ?? 0) + 1;
  const places = [2];
  for (let steps = 0; steps < leaving.length; steps += 1) {
    places.push((places[steps] ?? 2) + (leaving[steps] ?? 0));
  }
  return (steps) => places[steps] ?? places.at(-1) ?? 2;
}

/** Fills in brackets, rounds and final places that were not given. */
function withPlaces(tree: readonly CustomMatch[]): TreeMatch[] {
  const winnerTo = new Map<string, string>();
  const loserTo = new Map<string, string>();
  const round = new Map<string, number>();
  for (const { key, slots } of tree) {
    const sources = slots.map(sourceKey).filter((source) => source !== null);
    round.set(key, 1 + Math.max(0, ...sources.map((source) => round.get(source) ?? 0)));
    for (const ref of slots) {
      if ('winner' in ref) winnerTo.set(ref.winner, key);
      if ('loser' in ref) loserTo.set(ref.loser, key);
    }
  }
  // How many matches lie between a match and the end of its winners' way; places are counted back from the final.
  const distance = new Map<string, number>();
  for (const { key } of tree.toReversed()) {
    const next = winnerTo.get(key);
    distance.set(key, next === undefined ? 0 : 1 + (distance.get(next) ?? 0));
  }
  const final = tree.findLast(
    ({ key, winnerRank }) => winnerRank === 1 || (winnerRank === undefined && !winnerTo.has(key)),
  );
  const exits = tree.filter((match) => !loserTo.has(match.key) && match.loserRank === undefined);
  const placeAt = placesByDistance(exits.map(({ key }) => distance.get(key) ?? 0));
  return tree.map(({ key, slots, bracket, round: givenRound, winnerRank, loserRank }) => ({
    key,
    slots,
    bracket: bracket ?? (key === final?.key ? 'final' : 'winners'),
    round: givenRound ?? (bracket === undefined && key === final?.key ? 1 : (round.get(key) ?? 1)),
    winnerRank: winnerTo.has(key) ? null : (winnerRank ?? (key === final?.key ? 1 : null)),
    loserRank: loserTo.has(key) ? null : (loserRank ?? placeAt(distance.get(key) ?? 0)),
  }));
}
