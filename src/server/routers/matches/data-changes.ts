import { isDecided } from '@/domain/brackets/play/match-state';
import { isComplete } from '@/domain/brackets/play/outcomes';
import type { Change } from '@/domain/brackets/play/patch';
import type { Match } from '@/domain/brackets/types';
import { newId } from '@/domain/ids';
import { isOnlyReported, isReportRemovable, waitingStatus } from '@/domain/matches/play';
import { fillStations } from '@/domain/matches/stations';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { emit, type NewEvent, notifyPages, type Origin, requireRight } from '@/server/events/emit';
import { type ParticipantEventRow, participantEvent } from '@/server/routers/participants/data-events';
import { tournamentEvent, updatedEvent } from '@/server/routers/tournaments/data-events';
import { engineColumns, type LockedPlay, type MatchRow, stageIdOf } from './data-bracket';
import { matchEvent } from './data-events';
import { addLines, lineResult, type NewLine } from './data-lines';
import { recordStats } from './data-stats';
import { uncountFeeds } from './stats/data-feed';

/** What a change of play comes with beyond what the bracket engine decided. */
export type ChangeContext = {
  /** Columns that the procedure sets, by the match's number. */
  columns?: ReadonlyMap<number, Partial<MatchRow>>;
  /** Numbers of the matches whose decision is reported as a correction instead of a result. */
  corrected?: readonly number[];
  /** Why somebody forfeits, or a report is taken off; goes into the event or the thread. */
  reason?: string | null;
  /** Further events, made of the rows as they are then. */
  events?: (rows: ReadonlyMap<number, MatchRow>) => NewEvent[];
};

const nothing: Change['patch'] = {
  removed: [],
  added: [],
  changed: [],
  stages: [],
  departures: null,
  eliminated: [],
  restored: [],
};

/** A change that leaves a bracket as it is; writing it ends a tournament in which nothing is left to play. */
export function unchanged(bracket: Change['bracket']): Change {
  return { bracket, patch: nothing };
}

const unreported = { report: null, counterReport: null, confirmBy: null };

/** The columns of a match once the report that staff can remove is taken off; none where there is none. */
export function withoutReport(row: MatchRow): Partial<MatchRow> {
  if (!isReportRemovable(row)) return {};
  // A dispute starts a match that nobody had started, when it was first reported.
  const isStarted = row.startedAt !== null && row.startedAt !== row.report?.firstReportedAt;
  return {
    ...unreported,
    ...(isStarted ? { status: 'in_progress' } : { status: waitingStatus(row), startedAt: null }),
  };
}

/** What a match forgets when it is to be played again, or by others. */
const unplayed = {
  ...unreported,
  proposal: null,
  calledAt: null,
  showUpBy: null,
  startedAt: null,
  completedAt: null,
};

/** The row of a match after the bracket engine has decided on it. */
function rowAfter(before: MatchRow, match: Match, now: string): MatchRow {
  const row = { ...before, ...engineColumns(match) };
  const isSame = before.participantAId === row.participantAId && before.participantBId === row.participantBId;
  if (!isDecided(match)) {
    // A time that was set before its participants were known is still the time.
    const status = row.status === 'ready' ? waitingStatus(row) : row.status;
    if (!isSame || isDecided(before)) return { ...row, ...unplayed, status };
    return { ...row, status: isOnlyReported(before) ? before.status : status };
  }
  // A corrected match was played when it was: statistics ask who was on the rosters then.
  const wasCompletedAt = isSame && isDecided(before) ? before.completedAt : null;
  const completedAt = match.decidedBy === 'bye' ? null : (wasCompletedAt ?? now);
  const startedAt =
    match.decidedBy === 'result'
      ? (before.startedAt ?? before.report?.firstReportedAt ?? completedAt)
      : before.startedAt;
  const calledAt = isSame ? before.calledAt : null;
  return { ...row, ...unplayed, streamPosition: null, calledAt, startedAt, completedAt };
}

/** The row of a match that has come into being. Two objects spread into one take thirty times as long for a large draw. */
export function newRow(match: Match, ids: Pick<MatchRow, 'id' | 'tournamentId' | 'stageId'>, now: string): MatchRow {
  return Object.assign(engineColumns(match), unplayed, ids, {
    scheduledAt: null,
    stationId: null,
    streamPosition: null,
    streamUrl: null,
    completedAt: isDecided(match) && match.decidedBy !== 'bye' ? now : null,
    version: 1,
  });
}

const columnTypes =
  Prisma.raw(`"id" text, "tournamentId" text, "stageId" text, "number" int, "groupNumber" int, "round" int,
  "bracket" "match_bracket", "bestOf" int, "status" "match_status", "decidedBy" "match_decision", "participantAId" text,
  "participantBId" text, "slotA" jsonb, "slotB" jsonb, "games" jsonb, "winnerId" text, "winnerTo" jsonb, "loserTo" jsonb,
  "winnerRank" int, "loserRank" int, "report" jsonb, "counterReport" jsonb, "confirmBy" timestamptz, "scheduledAt" timestamptz,
  "proposal" jsonb, "calledAt" timestamptz, "showUpBy" timestamptz,
  "stationId" text, "streamPosition" int, "startedAt" timestamptz, "completedAt" timestamptz`);

/** Writes new matches in one statement. */
export async function insertMatches(tx: Tx, rows: readonly MatchRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO "match" ("id", "tournamentId", "stageId", "number", "groupNumber", "round", "bracket", "bestOf", "status",
      "decidedBy", "participantAId", "participantBId", "slotA", "slotB", "games", "winnerId", "winnerTo", "loserTo",
      "winnerRank", "loserRank", "report", "counterReport", "confirmBy", "scheduledAt", "stationId", "startedAt",
      "completedAt", "updatedAt")
    SELECT r."id", r."tournamentId", r."stageId", r."number", r."groupNumber", r."round", r."bracket", r."bestOf", r."status",
      r."decidedBy", r."participantAId", r."participantBId", r."slotA", r."slotB", r."games", r."winnerId", r."winnerTo",
      r."loserTo", r."winnerRank", r."loserRank", r."report", r."counterReport", r."confirmBy", r."scheduledAt",
      r."stationId", r."startedAt", r."completedAt", clock_timestamp()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(${columnTypes})`;
}

async function updateMatches(tx: Tx, rows: readonly MatchRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE "match" m SET "bestOf" = r."bestOf", "status" = r."status", "decidedBy" = r."decidedBy",
      "participantAId" = r."participantAId", "participantBId" = r."participantBId", "slotA" = r."slotA", "slotB" = r."slotB",
      "games" = r."games", "winnerId" = r."winnerId", "winnerTo" = r."winnerTo", "loserTo" = r."loserTo",
      "winnerRank" = r."winnerRank", "loserRank" = r."loserRank", "report" = r."report",
      "counterReport" = r."counterReport", "confirmBy" = r."confirmBy", "scheduledAt" = r."scheduledAt",
      "proposal" = r."proposal", "calledAt" = r."calledAt", "showUpBy" = r."showUpBy",
      "stationId" = r."stationId", "streamPosition" = r."streamPosition", "startedAt" = r."startedAt", "completedAt" = r."completedAt",
      "version" = m."version" + 1, "updatedAt" = clock_timestamp()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(${columnTypes}) WHERE m."id" = r."id"`;
}

/**
 * Sets who is out and who is in again, in one statement. Staff decisions about a participant stay.
 * @returns the events about them
 */
async function moveParticipants(tx: Tx, projectId: string, out: readonly string[], back: readonly string[]) {
  if (out.length + back.length === 0) return [];
  const rows = await tx.$queryRaw<ParticipantEventRow[]>`
    UPDATE "participant" p SET
      "status" = CASE WHEN p."id" = ANY(${[...out]}) THEN 'eliminated' ELSE 'active' END::"participant_status",
      "version" = p."version" + 1, "updatedAt" = clock_timestamp()
    WHERE (p."id" = ANY(${[...out]}) AND p."status" = 'active') OR (p."id" = ANY(${[...back]}) AND p."status" = 'eliminated')
    RETURNING p."id", p."tournamentId", p."userId", p."name", p."type", p."registrationStatus", p."status", p."seed"`;
  rows.sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0));
  return rows.map((row): NewEvent => {
    const { registrationStatus } = row;
    return row.status === 'eliminated'
      ? participantEvent('participant.eliminated', projectId, row, { registrationStatus, status: 'active' })
      : participantEvent(
          'participant.updated',
          projectId,
          row,
          { registrationStatus, status: 'eliminated' },
          { changes: ['status'] },
        );
  });
}

/** Ends the tournament with its last match, and goes on with it when a correction opens one. */
async function followCompletion(
  tx: Tx,
  play: LockedPlay,
  bracket: Change['bracket'],
): Promise<{ status: LockedPlay['tournament']['status']; events: NewEvent[] }> {
  const { tournament, now } = play;
  const isOver = isComplete(bracket);
  if (isOver === (tournament.status === 'COMPLETED')) return { status: tournament.status, events: [] };
  const status = isOver ? 'COMPLETED' : 'IN_PROGRESS';
  await tx.tournament.update({
    where: { id: tournament.id },
    data: { status, completedAt: isOver ? now : null, version: { increment: 1 } },
    select: { id: true },
  });
  const row = { ...tournament, status } as const;
  return { status, events: [isOver ? tournamentEvent('tournament.completed', row) : updatedEvent(row, ['status'])] };
}

/** The events of what became of a match. */
function eventsOf(
  play: LockedPlay,
  before: MatchRow | undefined,
  row: MatchRow,
  { corrected = [], reason = null }: ChangeContext,
): NewEvent[] {
  const stage = play.stages.find(({ id }) => id === row.stageId)?.name ?? '';
  const about = { projectId: play.tournament.projectId, row, stage };
  if (row.decidedBy === 'bye') return [];
  // Where many leave at once, a round may be drawn and forfeited in one change.
  const created = before ? [] : [matchEvent('match.created', about, {})];
  // What is corrected is the match that was there: one that is drawn anew under its number is decided for the first time.
  if ((before && corrected.includes(row.number)) || !isDecided(row)) return created;
  if (before && isDecided(before) && before.decidedBy === row.decidedBy && before.winnerId === row.winnerId) return [];
  if (row.decidedBy === 'result') return [...created, matchEvent('match.completed', about, {})];
  const forfeitedBy = [
    ...(row.slotA.result === 'forfeit' && row.participantAId ? [row.participantAId] : []),
    ...(row.slotB.result === 'forfeit' && row.participantBId ? [row.participantBId] : []),
  ];
  return [...created, matchEvent('match.forfeited', about, { forfeitedBy, reason })];
}

/** Says in the threads of matches that are still to be played which report is no longer there. */
function linesOfLostReports(play: LockedPlay, changed: readonly MatchRow[], reason: string | null = null): NewLine[] {
  return changed.flatMap((row): NewLine[] => {
    const before = play.rows.get(row.number);
    if (!before?.report || row.report || isDecided(row)) return [];
    const details = { previousResult: lineResult(before, before.report) };
    return [{ matchId: row.id, kind: 'report_removed', text: reason ?? '', details }];
  });
}

/** The rows as a decision leaves them, and among them those to write; free stations have taken what is ready then. */
function rowsAfter(play: LockedPlay, patch: Change['patch'], context: ChangeContext) {
  const now = play.now.toISOString();
  const decided = new Map(patch.changed.map((match) => [match.number, match]));
  const changed = new Map<number, MatchRow>();
  const isAdded = new Set(patch.added.map(({ number }) => number));
  for (const number of new Set([...decided.keys(), ...(context.columns?.keys() ?? [])])) {
    const before = play.rows.get(number);
    if (!before || isAdded.has(number)) continue;
    const match = decided.get(number);
    const settled = match ? rowAfter(before, match, now) : before;
    changed.set(number, { ...settled, ...context.columns?.get(number) });
  }
  const added = new Map(
    patch.added.map((match): [number, MatchRow] => {
      const stageId = stageIdOf(play.stages, match.stage);
      const row = newRow(match, { id: newId('mat'), tournamentId: play.tournamentId, stageId }, now);
      return [match.number, Object.assign(row, context.columns?.get(match.number))];
    }),
  );
  const after = new Map([...play.rows, ...changed, ...added]);
  for (const number of patch.removed) if (!added.has(number)) after.delete(number);
  // A station does not take back at once what staff has just taken off it.
  const free = [...after.values()].filter(({ number }) => context.columns?.get(number)?.stationId !== null);
  for (const [number, stationId] of fillStations(free, play.stations, play.now.getTime())) {
    const row = after.get(number);
    if (!row) continue;
    after.set(number, { ...row, stationId });
    (added.has(number) ? added : changed).set(number, { ...row, stationId });
  }
  for (const [number, row] of changed) after.set(number, { ...row, version: row.version + 1 });
  return { after, changed: [...changed.values()], added: [...added.values()] };
}

/**
 * Writes a decision of the bracket engine, and only what it changes: matches, stages, departures, the states of
 * participants, the tournament's end, statistics and every event, in a few statements whatever its size.
 * @param change null where only columns of the procedure change
 * @returns the draw as it is then
 */
export async function saveChange(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  change: Change | null,
  context: ChangeContext = {},
): Promise<LockedPlay> {
  const patch = change?.patch ?? nothing;
  const bracket = change?.bracket ?? play.bracket;
  const { id: tournamentId, projectId } = play.tournament;
  const { after, changed, added } = rowsAfter(play, patch, context);

  const removed = patch.removed.flatMap((number) => play.rows.get(number)?.id ?? []);
  if (removed.length > 0) await uncountFeeds(tx, play.tournament, removed);
  if (removed.length > 0) await tx.match.deleteMany({ where: { id: { in: removed } } });
  await insertMatches(tx, added);
  // Who reported reads why the report is gone, also when somebody else plays in the match from now on.
  await addLines(tx, by, ...linesOfLostReports(play, changed, context.reason));
  await updateMatches(tx, changed);
  for (const { number, groups, endedEarly } of patch.stages) {
    const where = { tournamentId_number: { tournamentId, number } };
    const data = { groups: JSON.parse(JSON.stringify(groups)), endedEarly };
    await tx.stage.update({ where, data, select: { id: true } });
  }
  const departures = patch.departures && { departures: JSON.parse(JSON.stringify(patch.departures)) };
  const data = { version: { increment: 1 }, ...departures };
  await tx.bracket.update({ where: { tournamentId }, data, select: { version: true } });

  const participants = await moveParticipants(tx, projectId, patch.eliminated, patch.restored);
  const rows = [...changed.map(({ number }) => number), ...added.map(({ number }) => number)];
  const own = rows.flatMap((number) => {
    const row = after.get(number);
    const isNew = !row || row.id !== play.rows.get(number)?.id;
    return row ? eventsOf(play, isNew ? undefined : play.rows.get(number), row, context) : [];
  });
  await recordStats(tx, play, after, bracket);
  const { status, events: ending } = change
    ? await followCompletion(tx, play, bracket)
    : { status: play.tournament.status, events: [] };
  const events = [...(context.events?.(after) ?? []), ...own, ...participants, ...ending];
  if (events.length > 0) await emit(tx, by, ...events);
  else {
    await requireRight(tx, by);
    // A report that waits for its answer is no event, and still has to appear on the opponent's page.
    notifyPages(tx, { type: 'match.changed', projectId, tournamentId, matchId: changed[0]?.id });
  }
  return { ...play, tournament: { ...play.tournament, status }, bracket, rows: after, version: play.version + 1 };
}
