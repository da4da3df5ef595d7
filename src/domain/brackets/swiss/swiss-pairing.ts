import { canSpare, enlargeMatching, type Looks, type Matching } from './matching';

/** Somebody to be paired, as the rounds so far left them. */
export interface SwissPlayer {
  readonly participantId: string;
  readonly points: number;
  readonly seed: number;
  readonly hadBye: boolean;
  /** Everyone they have been paired with. */
  readonly met: ReadonlySet<string>;
}

export interface SwissRound {
  /** From the top table down. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Null with an even field. */
  readonly bye: string | null;
  /** Pairs who meet again; 0 whenever that can be avoided. */
  readonly rematches: number;
}

/**
 * Pairs a Swiss round. `players` come in ranking order. Within a score group the upper half meets the lower half;
 * who cannot be paired there floats to the next group. The bye goes to the lowest seed of the lowest score group who had
 * none. Rematches are as few as the field allows. Null: there is no legal pairing, since fewer than two are left or
 * everyone in an odd field has had a bye.
 */
export function pairSwissRound(players: readonly SwissPlayer[]): SwissRound | null {
  if (players.length < 2) return null;
  if (players.length % 2 === 0) return pairEven(players, null);
  const bye = chooseBye(players);
  return bye && pairEven(without(players, bye), bye.participantId);
}

const without = (players: readonly SwissPlayer[], left: SwissPlayer) => players.filter((player) => player !== left);

/**
 * The first candidate who leaves the others the fewest rematches. No bye makes them fewer than a largest matching
 * of all players does, and a player that such a matching can spare leaves exactly those.
 */
function chooseBye(players: readonly SwissPlayer[]): SwissPlayer | null {
  const canPair = compatibility(players);
  const everyone = players.map((_, index) => index);
  const matching: Matching = new Int32Array(players.length).fill(-1);
  enlargeMatching(matching, everyone, canPair);
  const indexOf = new Map(players.map((player, index) => [player, index]));
  const candidates = byeCandidates(players);
  const spared = candidates.find((one) => canSpare(matching, everyone, canPair, indexOf.get(one) ?? -1));
  return spared ?? candidates[0] ?? null;
}

/** Who may have the bye: the lowest score group first, within it the lowest seed. */
export function byeCandidates(players: readonly SwissPlayer[]): SwissPlayer[] {
  return players.filter(({ hadBye }) => !hadBye).sort((a, b) => a.points - b.points || b.seed - a.seed);
}

function pairEven(players: readonly SwissPlayer[], bye: string | null): SwissRound {
  const matching: Matching = new Int32Array(players.length).fill(-1);
  const canPair = compatibility(players);
  let floaters: number[] = [];
  const looks = { left: GROUP_LOOKS };
  for (const group of scoreGroups(players)) floaters = pairGroup(matching, [...floaters, ...group], canPair, looks);
  if (floaters.length > 0) {
    const everyone = players.map((_, index) => index);
    enlargeMatching(matching, everyone, canPair);
  }
  const rematches = pairLeftovers(matching);
  bringCloser(players, matching, canPair);
  const pairs: (readonly [string, string])[] = [];
  for (const [index, player] of players.entries()) {
    const opponent = players[matching[index] ?? -1];
    if (opponent && (matching[index] ?? -1) > index) pairs.push([player.participantId, opponent.participantId]);
  }
  return { pairs, bye, rematches };
}

/** A lookup of who has not met yet, by index. */
function compatibility(players: readonly SwissPlayer[]): (a: number, b: number) => boolean {
  const indexOf = new Map(players.map(({ participantId }, index) => [participantId, index]));
  const met = players.map((player) => {
    const indexes = new Set<number>();
    for (const id of player.met) {
      const index = indexOf.get(id);
      if (index !== undefined) indexes.add(index);
    }
    return indexes;
  });
  return (a, b) => a !== b && !met[a]?.has(b);
}

function scoreGroups(players: readonly SwissPlayer[]): number[][] {
  const groups: number[][] = [];
  for (const [index, player] of players.entries()) {
    const group = groups.at(-1);
    if (group && players[index - 1]?.points === player.points) group.push(index);
    else groups.push([index]);
  }
  return groups;
}

/** How many choices of a floater are tried before the group's largest matching decides who floats. */
const FLOATER_CHOICES = 8;
/**
 * How many looks at players the groups of a round take at most. It bounds fields where hardly anybody is left to meet: their
 * groups leave more floaters, and the largest matching of everyone pairs those.
 */
const GROUP_LOOKS = 50_000;

/** Pairs a group as far as it goes and returns who floats down; in an odd group the lowest who can be spared. */
function pairGroup(
  matching: Matching,
  members: readonly number[],
  canPair: (a: number, b: number) => boolean,
  looks: Looks,
): number[] {
  if (members.length % 2 === 1 && members.length > 1) {
    for (const floater of members.toReversed().slice(0, FLOATER_CHOICES)) {
      if (looks.left <= 0) break;
      const rest = members.filter((member) => member !== floater);
      if (slide(matching, rest, canPair, looks) === 0) return [floater];
      for (const member of rest) matching[member] = -1;
    }
  }
  slide(matching, members, canPair, looks);
  return members.filter((member) => matching[member] === -1);
}

/** Pairs the upper half with the lower half, then repairs what is left over; returns how many stay single. */
function slide(
  matching: Matching,
  members: readonly number[],
  canPair: (a: number, b: number) => boolean,
  looks: Looks,
): number {
  const half = Math.ceil(members.length / 2);
  const size = members.length - half;
  for (const [at, member] of members.slice(0, half).entries()) {
    const isFree = (place: number) => {
      const other = members[half + place];
      return other !== undefined && matching[other] === -1 && canPair(member, other);
    };
    // The opponent in order, then further down, then further up.
    let place = at;
    while (place < size && !isFree(place)) place++;
    if (place >= size) for (place = Math.min(at, size) - 1; place >= 0 && !isFree(place); ) place--;
    const opponent = members[half + place];
    if (place < 0) continue;
    if (opponent === undefined) continue;
    matching[member] = opponent;
    matching[opponent] = member;
  }
  return enlargeMatching(matching, members, canPair, looks);
}

/** Pairs those who are left: all of them have met each other, since nobody could be added to the largest matching. */
function pairLeftovers(matching: Matching): number {
  const single = [...matching.keys()].filter((index) => matching[index] === -1);
  for (let at = 0; at + 1 < single.length; at += 2) {
    const [a, b] = [single[at] ?? 0, single[at + 1] ?? 0];
    matching[a] = b;
    matching[b] = a;
  }
  return single.length / 2;
}

/** How many exchanges are considered at most; it bounds fields where hardly anybody is left to meet. */
const EXCHANGES = 400_000;

/**
 * Exchanges partners between a pair of different scores and one or two other pairs while that brings scores closer, that
 * is, lowers the sum of squared differences.
 */
function bringCloser(players: readonly SwissPlayer[], matching: Matching, canPair: (a: number, b: number) => boolean) {
  let left = EXCHANGES;
  const partner = (index: number) => matching[index] ?? -1;
  const gap = (a: number, b: number) => ((players[a]?.points ?? 0) - (players[b]?.points ?? 0)) ** 2;
  const pair = (a: number, b: number) => {
    matching[a] = b;
    matching[b] = a;
  };
  /** a–b, c–d becomes a–c, b–d. */
  const exchangeTwo = (a: number, c: number): boolean => {
    const [b, d] = [partner(a), partner(c)];
    if (left-- <= 0 || c === a || c === b) return false;
    if (gap(a, c) + gap(b, d) >= gap(a, b) + gap(c, d) || !canPair(a, c) || !canPair(b, d)) return false;
    pair(a, c);
    pair(b, d);
    return true;
  };
  /** a–b, c–d, e–f becomes a–c, b–e, d–f. */
  const exchangeThree = (a: number, c: number, e: number): boolean => {
    const [b, d, f] = [partner(a), partner(c), partner(e)];
    if (left-- <= 0 || e === a || e === b || e === c || e === d) return false;
    if (gap(a, c) + gap(b, e) + gap(d, f) >= gap(a, b) + gap(c, d) + gap(e, f)) return false;
    if (!canPair(b, e) || !canPair(d, f)) return false;
    pair(a, c);
    pair(b, e);
    pair(d, f);
    return true;
  };
  const everyone = [...players.keys()];
  const isApart = (a: number) => left > 0 && gap(a, partner(a)) > 0;
  const improveByTwo = (a: number) => isApart(a) && everyone.some((c) => exchangeTwo(a, c));
  const improveByThree = (a: number) => {
    const choices = (c: number) => c !== a && c !== partner(a) && canPair(a, c);
    return isApart(a) && everyone.some((c) => left > 0 && choices(c) && everyone.some((e) => exchangeThree(a, c, e)));
  };
  while (everyone.some(improveByTwo) || everyone.some(improveByThree)) {
    // Each exchange lowers the sum, so this ends.
  }
}
