import { gamesOfWalkover } from '@/domain/brackets/draw/best-of';
import { isDecided } from '@/domain/brackets/play/match-state';
import type { CompleteOptions, Match, Participant, SlotIndex } from '@/domain/brackets/types';

/** One decided match as one of its participants saw it. */
export interface Encounter {
  /** Null: a bye. */
  readonly opponentId: string | null;
  readonly result: 'win' | 'loss' | 'draw';
  readonly gamesWon: number;
  readonly gamesLost: number;
  readonly gamesDrawn: number;
  readonly scoresFor: number;
  readonly scoresAgainst: number;
}

export interface TableRow {
  readonly participantId: string;
  readonly seed: number;
  readonly lot: string;
  readonly encounters: readonly Encounter[];
  /** Matches decided, byes and forfeits included. */
  readonly played: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  readonly gamesWon: number;
  readonly gamesLost: number;
  readonly gamesDrawn: number;
  /** What was scored within the games. */
  readonly scoresFor: number;
  readonly scoresAgainst: number;
  readonly points: number;
}

export interface Table {
  readonly rows: ReadonlyMap<string, TableRow>;
  /** The rows of everyone a participant met, byes left out; twice when they met twice. */
  readonly opponents: ReadonlyMap<string, readonly TableRow[]>;
  readonly pointsForWin: number;
  readonly pointsForDraw: number;
  readonly pointsForLoss: number;
  readonly randomSeed: string;
}

type Points = Pick<CompleteOptions, 'pointsForWin' | 'pointsForDraw' | 'pointsForLoss'>;

/** Points of a single result. */
export function pointsFor(result: Encounter['result'], points: Points): number {
  if (result === 'win') return points.pointsForWin;
  return result === 'draw' ? points.pointsForDraw : points.pointsForLoss;
}

/** The table of these participants over the decided ones of these matches. */
export function buildTable(
  participants: readonly Participant[],
  matches: readonly Match[],
  points: Points,
  randomSeed: string,
): Table {
  const encounters = new Map<string, Encounter[]>(participants.map(({ participantId }) => [participantId, []]));
  for (const match of matches) {
    if (!isDecided(match)) continue;
    for (const slot of [0, 1] as const) {
      const id = match.slots[slot].participantId;
      if (id !== null) encounters.get(id)?.push(encounterOf(match, slot));
    }
  }
  const rows = new Map<string, TableRow>();
  for (const participant of participants) {
    const { participantId } = participant;
    rows.set(participantId, rowOf(participant, encounters.get(participantId) ?? [], points));
  }
  const opponents = new Map<string, TableRow[]>();
  for (const row of rows.values()) {
    const met: TableRow[] = [];
    for (const { opponentId } of row.encounters) {
      const opponent = opponentId === null ? undefined : rows.get(opponentId);
      if (opponent) met.push(opponent);
    }
    opponents.set(row.participantId, met);
  }
  const { pointsForWin, pointsForDraw, pointsForLoss } = points;
  return {
    rows,
    opponents,
    pointsForWin,
    pointsForDraw,
    pointsForLoss,
    randomSeed,
  };
}

/** A bye and a forfeit count as won by ceil(bestOf / 2) games to none; two forfeits are a loss for both. */
function encounterOf(match: Match, slot: SlotIndex): Encounter {
  const other = slot === 0 ? 1 : 0;
  const { participantId, result, score } = match.slots[slot];
  const opponent = match.slots[other];
  const outcome = match.winnerId === participantId ? 'win' : result === 'draw' ? 'draw' : 'loss';
  const walkover = match.decidedBy !== 'result';
  const games = (won: boolean, reported: number | null) =>
    walkover ? (won ? gamesOfWalkover(match.bestOf) : 0) : (reported ?? 0);
  const sum = (side: SlotIndex) => match.games.reduce((total, game) => total + (game.scores?.[side] ?? 0), 0);
  return {
    opponentId: opponent.participantId,
    result: outcome,
    gamesWon: games(outcome === 'win', score),
    gamesLost: games(match.winnerId !== null && outcome === 'loss', opponent.score),
    gamesDrawn: match.games.filter(({ winner }) => winner === null).length,
    scoresFor: sum(slot),
    scoresAgainst: sum(other),
  };
}

function rowOf(participant: Participant, encounters: readonly Encounter[], points: Points): TableRow {
  const { participantId, seed, lot = participantId } = participant;
  const count = { win: 0, draw: 0, loss: 0 };
  let [gamesWon, gamesLost, gamesDrawn, scoresFor, scoresAgainst] = [0, 0, 0, 0, 0];
  for (const encounter of encounters) {
    count[encounter.result]++;
    gamesWon += encounter.gamesWon;
    gamesLost += encounter.gamesLost;
    gamesDrawn += encounter.gamesDrawn;
    scoresFor += encounter.scoresFor;
    scoresAgainst += encounter.scoresAgainst;
  }
  const { win: wins, draw: draws, loss: losses } = count;
  return {
    participantId,
    seed,
    lot,
    encounters,
    played: encounters.length,
    wins,
    draws,
    losses,
    gamesWon,
    gamesLost,
    gamesDrawn,
    scoresFor,
    scoresAgainst,
    points: wins * points.pointsForWin + draws * points.pointsForDraw + losses * points.pointsForLoss,
  };
}
