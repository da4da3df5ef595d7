import { isOver } from '@/components/brackets/match-words';
import type { BracketMatch, BracketRound, BracketStage } from '@/components/brackets/types';

/** Widths in rem. Heights are counted in rows, one row for each match, so that styles decide how tall a row is. */
export const cardWidth = 15;
export const columnGap = 2.5;
/** Width of a folded round. */
export const foldedWidth = 2.25;
/** Space for the name of a round, in rows. */
const headRows = 0.5;
/** Space between the winners' and the losers' bracket, in rows. */
const blockGap = 0.4;

export type PlacedMatch = {
  match: BracketMatch;
  /** Top of the card in rows. */
  y: number;
};

export type Column = {
  key: string;
  block: Block;
  round: BracketRound;
  /** Number of the column within its block, from 1. */
  position: number;
  /** Left edge in rem. */
  x: number;
  /** Top edge and height in rows, the name of the round included. */
  top: number;
  height: number;
  /** Empty when folded. */
  matches: PlacedMatch[];
  folded: boolean;
};

export type Line = {
  from: number;
  to: number;
  /** Corners in rem and rows: out of the card, to the elbow, up or down, into the next card. */
  points: [x: number, y: number][];
  /** Who advanced along the line; null while undecided. */
  participantId: string | null;
};

export type BracketLayout = {
  columns: Column[];
  lines: Line[];
  /** In rem. */
  width: number;
  /** In rows. */
  height: number;
};

/** Parts of a knockout that are drawn apart: the tree, the losers' bracket, the finals after both, third place. */
export type Block = 'tree' | 'losers' | 'finals' | 'third';

/** How many rounds are folded at the start of a block. */
export type Folded = Partial<Record<Block, number>>;

/** Whether the match decides something only if the one before it goes a certain way, and that has not happened. */
export function isUnusedReset(stage: Pick<BracketStage, 'type'>, match: BracketMatch): boolean {
  if (stage.type !== 'double_elimination' || match.bracket !== 'final' || match.round === 1) return false;
  return match.slots.some(({ participantId }) => participantId === null);
}

/** The rounds that are shown, in order, by block. */
export function blocksOf(stage: BracketStage): { block: Block; rounds: BracketRound[] }[] {
  const shown = stage.rounds
    .map((round) => ({ ...round, matches: round.matches.filter((match) => !isUnusedReset(stage, match)) }))
    .filter(({ matches }) => matches.length > 0);
  const side = (name: BracketMatch['bracket']) => shown.filter(({ bracket }) => bracket === name);
  const winners = [...side('group'), ...side('winners')];
  const losers = side('losers');
  const isDouble = stage.type === 'double_elimination' || losers.length > 1;
  const blocks: { block: Block; rounds: BracketRound[] }[] = isDouble
    ? [
        { block: 'tree', rounds: winners },
        { block: 'losers', rounds: losers },
        { block: 'finals', rounds: side('final') },
      ]
    : [
        { block: 'tree', rounds: [...winners, ...side('final')] },
        { block: 'third', rounds: losers },
      ];
  return blocks.filter(({ rounds }) => rounds.length > 0);
}

const keyOf = ({ bracket, number }: BracketRound) => `${bracket}-${number}`;

/**
 * Gives each match of the rounds a height: a match stands between those that feed it, the first ones one below the
 * other.
 */
function placeRows(rounds: BracketRound[]): Map<number, number> {
  const matches = rounds.flatMap((round) => round.matches);
  const shown = new Map(matches.map((match) => [match.number, match]));
  const feeders = new Map<number, BracketMatch[]>();
  const roots: BracketMatch[] = [];
  for (const match of matches) {
    const next = match.winnerTo && shown.has(match.winnerTo.match) ? match.winnerTo.match : null;
    if (next === null) roots.push(match);
    else feeders.set(next, [...(feeders.get(next) ?? []), match]);
  }
  const rows = new Map<number, number>();
  let nextRow = 0;
  function place(match: BracketMatch): number {
    const below = (feeders.get(match.number) ?? []).sort(
      (a, b) => (a.winnerTo?.slot ?? 0) - (b.winnerTo?.slot ?? 0) || a.number - b.number,
    );
    const heights = below.map(place);
    const row = heights.length > 0 ? ((heights[0] ?? 0) + (heights.at(-1) ?? 0)) / 2 : nextRow++;
    rows.set(match.number, row);
    return row;
  }
  for (const root of roots.sort((a, b) => a.number - b.number)) place(root);
  return rows;
}

type Placed = { columns: Column[]; right: number; bottom: number };

/** Places the rounds of a block from `left` (rem) and `top` (rows) on. */
function placeBlock(block: Block, rounds: BracketRound[], folded: number, left: number, top: number): Placed {
  const open = rounds.slice(folded);
  const rows = placeRows(open);
  const height = headRows + Math.max(1, ...[...rows.values()].map((row) => row + 1));
  let x = left;
  const columns = rounds.map((round, index): Column => {
    const isFolded = index < folded;
    const column: Column = {
      key: keyOf(round),
      block,
      round,
      position: index + 1,
      x,
      top,
      height,
      folded: isFolded,
      matches: isFolded
        ? []
        : round.matches.map((match) => ({ match, y: top + headRows + (rows.get(match.number) ?? 0) })),
    };
    x += isFolded ? foldedWidth + 0.5 : cardWidth + columnGap;
    return column;
  });
  return { columns, right: x, bottom: top + height };
}

/** Places the finals at the height between the matches that lead to them. */
function placeFinals(rounds: BracketRound[], before: Column[], left: number): Placed {
  const numbers = new Set(rounds.flatMap((round) => round.matches.map(({ number }) => number)));
  const feeding = before
    .flatMap(({ matches }) => matches)
    .filter(({ match }) => match.winnerTo && numbers.has(match.winnerTo.match));
  const heights = feeding.map(({ y }) => y);
  const y = heights.length > 0 ? (Math.min(...heights) + Math.max(...heights)) / 2 : headRows;
  const columns = rounds.map((round, index): Column => {
    const x = left + index * (cardWidth + columnGap);
    const matches = round.matches.map((match, at) => ({ match, y: y + at }));
    const height = headRows + matches.length;
    return {
      key: keyOf(round),
      block: 'finals',
      round,
      position: index + 1,
      x,
      top: y - headRows,
      height,
      matches,
      folded: false,
    };
  });
  const last = columns.at(-1);
  return { columns, right: left + rounds.length * (cardWidth + columnGap), bottom: last ? last.top + last.height : 0 };
}

function linesBetween(columns: Column[]): Line[] {
  const placed = new Map(
    columns.flatMap((column) => column.matches.map(({ match, y }) => [match.number, { x: column.x, y }] as const)),
  );
  return columns.flatMap(({ matches, x }) =>
    matches.flatMap(({ match, y }): Line[] => {
      const to = match.winnerTo && placed.get(match.winnerTo.match);
      // A reset has both of the grand final's participants, so a line would say nothing.
      if (!(match.winnerTo && to) || to.x <= x) return [];
      const elbow = to.x - columnGap / 2;
      const start: [number, number] = [x + cardWidth, y + 0.5];
      const end: [number, number] = [to.x, to.y + 0.5];
      const points: Line['points'] =
        start[1] === end[1] ? [start, end] : [start, [elbow, start[1]], [elbow, end[1]], end];
      return [{ from: match.number, to: match.winnerTo.match, points, participantId: match.winnerId }];
    }),
  );
}

/** Where every round, match and line of a knockout stage is drawn. Pure: the same stage gives the same layout. */
export function layoutKnockout(stage: BracketStage, folded: Folded = {}): BracketLayout {
  const columns: Column[] = [];
  let right = 0;
  let bottom = 0;
  for (const { block, rounds } of blocksOf(stage)) {
    let placed: Placed;
    if (block === 'finals') placed = placeFinals(rounds, columns, right);
    else if (block === 'third') {
      const last = columns.at(-1);
      const below = last?.matches.at(-1)?.y ?? headRows;
      placed = placeBlock(block, rounds, 0, last?.x ?? 0, below + 1 + blockGap);
    } else {
      const fold = Math.min(folded[block] ?? 0, rounds.length - 1);
      placed = placeBlock(block, rounds, fold, 0, block === 'losers' && bottom > 0 ? bottom + blockGap : 0);
    }
    columns.push(...placed.columns);
    right = Math.max(right, placed.right);
    bottom = Math.max(bottom, placed.bottom);
  }
  return { columns, lines: linesBetween(columns), width: Math.max(0, right - columnGap), height: bottom };
}

export function isRoundOver(round: BracketRound): boolean {
  return round.matches.every(isOver);
}

/** How many rounds of each block are over, the last one left open: what `Fold finished rounds` folds. */
export function finishedRounds(stage: BracketStage): Folded {
  const folded: Folded = {};
  for (const { block, rounds } of blocksOf(stage)) {
    if (block === 'finals' || block === 'third') continue;
    const open = rounds.findIndex((round) => !isRoundOver(round));
    folded[block] = open < 0 ? 0 : Math.min(open, rounds.length - 1);
  }
  return folded;
}

/** Numbers of the matches on the participant's path, those played and the next one. */
export function pathOf(stage: BracketStage, participantId: string): Set<number> {
  const matches = stage.rounds.flatMap((round) => round.matches);
  return new Set(
    matches
      .filter(({ slots }) => slots.some((slot) => slot.participantId === participantId))
      .map(({ number }) => number),
  );
}

export type Champion = { participantId: string; match: number };

/** Who won the stage's last match, and which one that was; null while it is open and where a table decides. */
export function championOf(stage: BracketStage): Champion | null {
  const last = blocksOf(stage)
    .filter(({ block }) => block === 'finals' || block === 'tree')
    .at(-1)
    ?.rounds.at(-1)?.matches;
  const [final, ...others] = last ?? [];
  if (!final || others.length > 0 || final.bracket !== 'final' || !isOver(final) || !final.winnerId) return null;
  return { participantId: final.winnerId, match: final.number };
}
