import { withLots } from '@/domain/brackets/draw/lots';
import type {
  Bracket,
  Departure,
  Game,
  Group,
  Match,
  MatchStatus,
  Slot,
  SlotAddress,
  Stage,
  StageType,
} from '@/domain/brackets/types';
import { isOnlyReported, waitingStatus } from '@/domain/matches/play';
import type { StationFacts } from '@/domain/matches/stations';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { lockTournament } from '@/server/routers/tournaments/data';
import { requireSmallHere } from '@/server/worker/small-here';

/** A result that one side reported, by slot. */
export type StoredReport = {
  /** Id of the participant. */
  by: string;
  userId: string | null;
  games: readonly Game[];
  winnerId: string | null;
  reportedAt: string;
  /** When its side reported for the first time since the match was last without a report. */
  firstReportedAt: string;
  /** How often its side had reported something else before; absent: never. */
  changes?: number;
};

type StoredSlot = Omit<Slot, 'participantId'>;

/** A match as its row has it, times as ISO 8601. */
export type MatchRow = {
  id: string;
  tournamentId: string;
  stageId: string;
  number: number;
  groupNumber: number | null;
  round: number;
  bracket: Match['bracket'];
  bestOf: number;
  status: MatchStatus;
  decidedBy: Match['decidedBy'];
  participantAId: string | null;
  participantBId: string | null;
  slotA: StoredSlot;
  slotB: StoredSlot;
  games: readonly Game[];
  winnerId: string | null;
  winnerTo: SlotAddress | null;
  loserTo: SlotAddress | null;
  winnerRank: number | null;
  loserRank: number | null;
  report: StoredReport | null;
  counterReport: StoredReport | null;
  confirmBy: string | null;
  scheduledAt: string | null;
  proposal: { scheduledAt: string; by: string; userId: string; proposedAt: string } | null;
  calledAt: string | null;
  showUpBy: string | null;
  stationId: string | null;
  streamPosition: number | null;
  streamUrl: string | null;
  startedAt: string | null;
  completedAt: string | null;
  version: number;
};

export type StageRow = {
  id: string;
  number: number;
  type: StageType;
  name: string;
  groups: readonly Group[];
  endedEarly: Stage['endedEarly'];
};

/** A station as matches need to know it. */
export type StationRow = StationFacts & { name: string };

/** A draw as one statement read it. */
export type Play = {
  tournamentId: string;
  format: Bracket['format'];
  version: number;
  bracket: Bracket;
  stages: readonly StageRow[];
  rows: ReadonlyMap<number, MatchRow>;
  /** In their order. */
  stations: readonly StationRow[];
  /** Of participants, by id. */
  names: Readonly<Record<string, string>>;
};

/** A draw as the database returns it. */
export type PlayRow = Pick<Bracket, 'format' | 'options' | 'randomSeed'> & {
  participantIds: string[];
  lots: string[];
  departures: Departure[];
  version: number;
  stages: StageRow[] | null;
  matches: MatchRow[] | null;
  stations: StationRow[] | null;
  names: Record<string, string> | null;
};

export function stageIdOf(stages: readonly StageRow[], number: number): string {
  const stage = stages.find((one) => one.number === number);
  if (!stage) throw new Error(`no stage ${number}`);
  return stage.id;
}

/** Names each field, as do the others: to spread those of six thousand matches takes fifty times as long. */
function slotOf(participantId: string | null, { seed, score, result, source }: StoredSlot): Slot {
  return { participantId, seed, score, result, source };
}

/** A match as the bracket engine knows it. To the engine, one that has only a report is still to be played. */
function toEngine(row: MatchRow, stage: number): Match {
  const { number, groupNumber: group, round, bracket, bestOf, decidedBy, games, winnerId } = row;
  const status = isOnlyReported(row) ? waitingStatus(row) : row.status;
  const slots = [slotOf(row.participantAId, row.slotA), slotOf(row.participantBId, row.slotB)] as const;
  const { winnerTo, loserTo, winnerRank, loserRank } = row;
  return {
    number,
    stage,
    group,
    round,
    bracket,
    bestOf,
    status,
    decidedBy,
    slots,
    games,
    winnerId,
    winnerTo,
    loserTo,
    winnerRank,
    loserRank,
  };
}

const storedSlot = ({ seed, score, result, source }: Slot): StoredSlot => ({ seed, score, result, source });

/** The columns of a match that the bracket engine decides. */
export function engineColumns(match: Match) {
  const { number, group: groupNumber, round, bracket, bestOf, status, decidedBy, slots, games, winnerId } = match;
  const { winnerTo, loserTo, winnerRank, loserRank } = match;
  return {
    number,
    groupNumber,
    round,
    bracket,
    bestOf,
    status,
    decidedBy,
    participantAId: slots[0].participantId,
    participantBId: slots[1].participantId,
    slotA: storedSlot(slots[0]),
    slotB: storedSlot(slots[1]),
    games,
    winnerId,
    winnerTo,
    loserTo,
    winnerRank,
    loserRank,
  };
}

/**
 * Timestamps in JSON come from PostgreSQL with the offset of its session; the API writes UTC. Changes the row, because
 * a draw has hundreds that nobody else has.
 */
export function readMatchRow(row: MatchRow): MatchRow {
  for (const column of ['confirmBy', 'scheduledAt', 'calledAt', 'showUpBy', 'startedAt', 'completedAt'] as const) {
    const value = row[column];
    if (value !== null) row[column] = new Date(value).toISOString();
  }
  return row;
}

/** The columns of a `PlayRow`, of the table `b`. */
export const playColumns = `b."format", b."options", b."randomSeed", b."participantIds", b."lots", b."departures", b."version",
  (SELECT json_agg(s ORDER BY s."number") FROM "stage" s WHERE s."tournamentId" = b."tournamentId") AS stages,
  (SELECT json_agg(m ORDER BY m."number") FROM "match" m WHERE m."tournamentId" = b."tournamentId") AS matches,
  (SELECT json_agg(json_build_object('id', x."id", 'name', x."name", 'streamUrl', x."streamUrl", 'autoAssign', x."autoAssign")
    ORDER BY x."position", x."id") FROM "station" x WHERE x."tournamentId" = b."tournamentId") AS stations,
  (SELECT json_object_agg(p."id", p."name") FROM "participant" p WHERE p."id" = ANY(b."participantIds")) AS names`;

/** A draw from its row. Throws OVERLOADED when it has become large (`requireSmallHere`). The engine's bracket is made when it is first asked for: most readers only show the rows. */
export function toPlay(tournamentId: string, row: PlayRow): Play {
  const stages = row.stages ?? [];
  requireSmallHere(row.matches?.length ?? 0);
  const matches = (row.matches ?? []).map(readMatchRow);
  const rows = new Map(matches.map((match) => [match.number, match]));
  let bracket: Bracket | undefined;
  return {
    tournamentId,
    format: row.format,
    version: row.version,
    stages,
    rows,
    stations: row.stations ?? [],
    names: row.names ?? {},
    get bracket() {
      bracket ??= toBracket(row, stages, matches);
      return bracket;
    },
  };
}

function toBracket(row: PlayRow, stages: readonly StageRow[], matches: readonly MatchRow[]): Bracket {
  const numberOf = new Map(stages.map(({ id, number }) => [id, number]));
  return {
    format: row.format,
    options: row.options,
    randomSeed: row.randomSeed,
    participants: withLots(row.participantIds, row.lots),
    stages: stages.map(({ number, type, groups, endedEarly }) => ({ number, type, groups, endedEarly })),
    matches: matches.map((match) => toEngine(match, numberOf.get(match.stageId) ?? 0)),
    departures: row.departures,
  };
}

/**
 * Reads the whole draw of a tournament in one statement.
 * @returns null when it has not started
 */
export async function readPlay(tx: Tx, tournamentId: string): Promise<Play | null> {
  const [row] = await tx.$queryRaw<PlayRow[]>`
    SELECT ${Prisma.raw(playColumns)} FROM "bracket" b WHERE b."tournamentId" = ${tournamentId}`;
  return row ? toPlay(tournamentId, row) : null;
}

/** What changes of play need to know of the tournament. */
const playSelect = {
  id: true,
  projectId: true,
  slug: true,
  name: true,
  status: true,
  gameId: true,
  format: true,
  startDate: true,
  maxParticipants: true,
  currentParticipants: true,
  resultMode: true,
  autoConfirmMinutes: true,
  noShowGraceMinutes: true,
  version: true,
} as const;

export type LockedPlay = Play & {
  tournament: Awaited<ReturnType<typeof lockPlayed>>['row'];
  /** The database's clock. */
  now: Date;
};

function lockPlayed(tx: Tx, tournamentId: string) {
  return lockTournament(tx, tournamentId, playSelect);
}

/** Locks a tournament and reads its draw; null when it has none. */
export async function findPlay(tx: Tx, tournamentId: string): Promise<LockedPlay | null> {
  const { row: tournament, now } = await lockPlayed(tx, tournamentId);
  const play = await readPlay(tx, tournament.id);
  return play && { ...play, tournament, now };
}

/**
 * Locks a tournament and reads its draw; every change of play begins so.
 * @throws INVALID_STATE unless it is being played; with `orCompleted` also when it is over
 */
export async function withBracket(tx: Tx, tournamentId: string, { orCompleted = false } = {}): Promise<LockedPlay> {
  const { row: tournament, now } = await lockPlayed(tx, tournamentId);
  const isOpen = tournament.status === 'IN_PROGRESS' || (orCompleted && tournament.status === 'COMPLETED');
  if (!isOpen) {
    const over = tournament.status === 'COMPLETED' || tournament.status === 'CANCELLED';
    throw refuse('INVALID_STATE', { message: over ? 'The tournament is over.' : 'The tournament has not started.' });
  }
  const play = await readPlay(tx, tournament.id);
  if (!play) throw refuse('BRACKET_NOT_AVAILABLE');
  return { ...play, tournament, now };
}

/** The row of a match in a locked draw. */
export function matchRow(play: Play, matchId: string): MatchRow {
  for (const row of play.rows.values()) if (row.id === matchId) return row;
  throw refuse('NOT_FOUND', { message: 'There is no such match.' });
}
