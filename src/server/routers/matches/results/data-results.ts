import { isSame } from '@/domain/brackets/play/match-state';
import { apply, decideMatch, findMatch } from '@/domain/brackets/play/progress';
import type { PlayedResult } from '@/domain/brackets/play/results';
import type { MatchAuditAction } from '@/domain/projects/audit-actions';
import { minute } from '@/domain/time/durations';
import { lastMoment } from '@/domain/time/time';
import { afterCommit, db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin, systemActor } from '@/server/events/emit';
import { projectTurnSql, turnOfProject } from '@/server/events/project-turn';
import type { RelayedJob } from '@/server/events/relay';
import { sendAfterCommit } from '@/server/jobs/client';
import { matchReported } from '@/server/jobs/events';
import { runningSince } from '@/server/jobs/running-since';
import { requireTaken, takeQuotas, takeRates } from '@/server/limits/take-quota';
import {
  findPlay,
  type LockedPlay,
  type MatchRow,
  matchRow,
  type StoredReport,
} from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { matchEvent } from '@/server/routers/matches/data-events';
import { addLines, lineResult } from '@/server/routers/matches/data-lines';
import { inBracket, playedResult, requireOpen } from '@/server/routers/matches/rules';
import { claimScreenshots } from '@/server/routers/matches/thread/data-thread';
import { countReportsAgainst, maxReportEmails, readSide, silenceCountsFrom } from './data-report-emails';

type GivenResult = Parameters<typeof playedResult>[1];

/** What an event about a match is about. */
export function subjectOf(play: LockedPlay, rows: ReadonlyMap<number, MatchRow>, number: number) {
  const row = rows.get(number);
  if (!row) throw new Error(`no match ${number}`);
  const stage = play.stages.find(({ id }) => id === row.stageId)?.name ?? '';
  return { projectId: play.tournament.projectId, row, stage };
}

/** The side of a match that a caller plays on, by the ids of the participants they play for; null: on none. */
export function sideOf(row: MatchRow, mine: readonly string[]): string | null {
  return [row.participantAId, row.participantBId].find((id) => id !== null && mine.includes(id)) ?? null;
}

function toResult({ games, winnerId }: StoredReport): PlayedResult {
  return { type: 'played', games, winnerId };
}

/** The columns of a match whose report is disputed: it has been played, at the latest when that was reported. */
function disputed({ startedAt }: MatchRow, { firstReportedAt }: StoredReport) {
  return { status: 'disputed', confirmBy: null, startedAt: startedAt ?? firstReportedAt } as const;
}

/** What the thread says when a report is confirmed. */
function confirmationOf(row: MatchRow, report: StoredReport) {
  return { kind: 'confirmation', details: { result: lineResult(row, report) } } as const;
}

/** Which player answers in a match, for which of its sides. */
type Answering = { matchId: string; side: string; userId: string };

const countsOf = ({ matchId, side, userId }: Answering) =>
  [
    { name: 'matchAnswers', subject: `${matchId} ${userId}`, count: 1 },
    // Apart from messages, so that a side that has used those up can still report.
    { name: 'matchLines', subject: `${matchId} ${side} answers`, count: 1 },
  ] as const;

/**
 * Counts a report, a dispute or a proposal of a player, made or withdrawn: each wakes every page that shows the bracket, and stays
 * in the thread.
 * @throws QUOTA_EXCEEDED
 */
export function takeAnswer(tx: Tx, answering: Answering): Promise<void> {
  return takeQuotas(tx, ...countsOf(answering));
}

/**
 * Counts a report as `takeAnswer`, and against a side whose silence may confirm it: who organizes a tournament and plays in it can draw
 * again, which gives matches new ids, and report again without an end.
 * @param against the side; null where silence confirms the report in no case, which must not use up what reports of others need
 * @returns whether silence may confirm it: the side has had fewer such reports within the hour
 * @throws QUOTA_EXCEEDED
 */
async function takeReport(tx: Tx, answering: Answering, against: string | null): Promise<boolean> {
  const own = countsOf(answering);
  const ofOther = against === null ? [] : [{ name: 'matchAnswers', subject: against, count: 1 } as const];
  const taken = await takeRates(tx, [...own, ...ofOther]);
  own.forEach((one, at) => {
    requireTaken(one, taken[at]);
  });
  return taken.every(({ granted }) => granted === 1);
}

/** Decides a match by a played result. */
export async function decide(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  result: PlayedResult,
): Promise<LockedPlay> {
  const change = inBracket(() => apply(play.bracket, { type: 'result', match: row.number, result }));
  return saveChange(tx, by, play, change);
}

export type EntryDetails = Record<string, string | number | boolean | null | string[]>;

/** The audit entry of a staff decision about a match. */
export function matchEntry(play: LockedPlay, row: MatchRow, action: MatchAuditAction, details: EntryDetails = {}) {
  const { id: tournamentId, projectId } = play.tournament;
  return {
    projectId,
    action: `match.${action}`,
    targetType: 'match',
    targetId: row.id,
    details: { tournamentId, number: row.number, ...details },
  } as const;
}

/** Writes the audit entry of a staff decision about a match. */
export function auditMatch(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  action: MatchAuditAction,
  details: EntryDetails = {},
): Promise<void> {
  return audit(tx, by, matchEntry(play, row, action, details));
}

/**
 * A player's report: the first one waits for the opponent, whose equal report confirms it and whose different one makes a dispute.
 * The side that reported can change it until then.
 * @throws NOT_IN_MATCH, STAFF_RESULTS_ONLY, MATCH_NOT_READY, MATCH_ALREADY_DECIDED, INVALID_RESULT
 */
export async function reportResult(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  { mine, userId, given }: { mine: readonly string[]; userId: string; given: GivenResult },
): Promise<LockedPlay> {
  const side = sideOf(row, mine);
  if (side === null) throw refuse('NOT_IN_MATCH');
  if (play.tournament.resultMode === 'staff') throw refuse('STAFF_RESULTS_ONLY');
  requireOpen(row);
  const match = findMatch(play.bracket, row.number);
  const result = playedResult(match, given);
  // Only tries the result: nothing is decided before the opponent agrees.
  const { games, winnerId } = inBracket(() => findMatch(decideMatch(play.bracket, match, result), row.number));
  const now = play.now.toISOString();
  const { report } = row;
  const isFirst = report === null || report.by !== side;
  const firstReportedAt = isFirst ? now : report.firstReportedAt;
  const own: StoredReport = { by: side, userId, games, winnerId, reportedAt: now, firstReportedAt };
  const details = { result: lineResult(row, { games, winnerId }) };
  const line = { matchId: row.id, participantId: side, kind: 'report', details } as const;
  if (report && isFirst) {
    const isEqual = report.winnerId === winnerId && isSame(report.games, games);
    if (isEqual) {
      await addLines(tx, by, { ...line, kind: 'confirmation' });
      return decide(tx, by, play, row, toResult(report));
    }
    await takeAnswer(tx, { matchId: row.id, side, userId });
    await addLines(tx, by, line);
    await addLines(tx, { ...by, actor: systemActor }, { matchId: row.id, kind: 'dispute' });
    const columns = new Map([[row.number, { ...disputed(row, report), counterReport: own }]]);
    return saveChange(tx, by, play, null, {
      columns,
      events: (rows) => [
        matchEvent('match.disputed', subjectOf(play, rows, row.number), {
          reason: 'The two sides reported different results.',
        }),
      ],
    });
  }
  // Sent again, the same report neither counts anew nor gives the opponent more time.
  if (report && report.winnerId === winnerId && isSame(report.games, games)) return play;
  const other = row.participantAId === side ? row.participantBId : row.participantAId;
  // Before the time of the match nobody has to look, so silence says nothing.
  const waitsFrom = Math.max(play.now.getTime(), Date.parse(row.scheduledAt ?? now));
  const endOfWait = new Date(
    Math.min(waitsFrom + play.tournament.autoConfirmMinutes * minute, lastMoment),
  ).toISOString();
  const changes = report ? (report.changes ?? 0) + 1 : 0;
  // An opponent who agreed with the first report may have stopped looking, so silence confirms neither another winner nor what no email
  // of its own tells them about.
  const isUnexpected = report !== null && (report.winnerId !== winnerId || changes + 1 >= maxReportEmails);
  // Each report has raised the version, so a lower one needs no look at the thread.
  const isOneTooMany =
    other !== null &&
    row.version > maxReportEmails &&
    (await countReportsAgainst(tx, row.id, other)) >= maxReportEmails;
  const needsAnswer = isUnexpected || isOneTooMany || (report !== null && row.confirmBy === null);
  const isOneOfFew = await takeReport(tx, { matchId: row.id, side, userId }, needsAnswer ? null : other);
  await addLines(tx, by, line);
  const columns = {
    status: 'in_progress',
    report: report ? { ...own, changes } : own,
    confirmBy: needsAnswer || !isOneOfFew ? null : endOfWait,
    proposal: null,
  } as const;
  return saveChange(tx, by, play, null, {
    columns: new Map([[row.number, columns]]),
    events: (rows) =>
      row.status === 'in_progress' ? [] : [matchEvent('match.started', subjectOf(play, rows, row.number), {})],
  });
}

/**
 * Confirms what the other side reported; staff may confirm in place of a side.
 * @throws NOT_IN_MATCH, NOTHING_TO_CONFIRM, STAFF_RESULTS_ONLY, MATCH_ALREADY_DECIDED
 */
export async function confirmReport(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  { mine, isStaff }: { mine: readonly string[]; isStaff: boolean },
): Promise<LockedPlay> {
  requireOpen(row);
  if (!row.report) throw refuse('NOTHING_TO_CONFIRM');
  const side = sideOf(row, mine);
  if (!isStaff && side === null) throw refuse('NOT_IN_MATCH');
  if (!isStaff && side === row.report.by) {
    throw refuse('NOTHING_TO_CONFIRM', { message: 'Your opponent has to confirm what you reported.' });
  }
  // The organizer may have taken results over since it was reported.
  if (!isStaff && play.tournament.resultMode === 'staff') throw refuse('STAFF_RESULTS_ONLY');
  await addLines(tx, by, { matchId: row.id, participantId: isStaff ? null : side, ...confirmationOf(row, row.report) });
  return decide(tx, by, play, row, toResult(row.report));
}

/**
 * Disputes what the other side reported, or anybody for staff; a moderator has to decide then. Those who could dispute their own report
 * would keep staff from everything that waits for the end of the match.
 * @throws NOT_IN_MATCH, NOTHING_TO_CONFIRM, MATCH_ALREADY_DECIDED, INVALID_STATE when it is disputed already
 */
export async function disputeReport(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  {
    mine,
    isStaff,
    userId,
    reason,
    mediaFileIds,
  }: { mine: readonly string[]; isStaff: boolean; userId: string; reason: string; mediaFileIds: string[] },
): Promise<LockedPlay> {
  requireOpen(row);
  if (!row.report) throw refuse('NOTHING_TO_CONFIRM');
  const { projectId, id: tournamentId } = play.tournament;
  const participantId = sideOf(row, mine);
  if (!isStaff && participantId === null) throw refuse('NOT_IN_MATCH');
  if (participantId === row.report.by) {
    throw refuse('NOTHING_TO_CONFIRM', { message: 'You reported this result. Report the right one instead.' });
  }
  if (participantId !== null) await takeAnswer(tx, { matchId: row.id, side: participantId, userId });
  await claimScreenshots(tx, { ids: mediaFileIds, projectId, tournamentId, matchId: row.id, userId, isStaff });
  await addLines(tx, by, { matchId: row.id, participantId, kind: 'dispute', text: reason, mediaFileIds });
  return saveChange(tx, by, play, null, {
    columns: new Map([[row.number, disputed(row, row.report)]]),
    events: (rows) => [matchEvent('match.disputed', subjectOf(play, rows, row.number), { reason })],
  });
}

/**
 * When silence can confirm a report at the soonest, in milliseconds: while this process did not run, perhaps nobody could answer, so what
 * was reported before it began waits for the whole time again.
 */
function soonestSilence({ reportedAt }: StoredReport, autoConfirmMinutes: number): number {
  return Date.parse(reportedAt) < runningSince ? runningSince + autoConfirmMinutes * minute : 0;
}

/**
 * Confirms a report whose time for an answer has passed, unless the tournament has ended, only staff decide by now, or nobody could
 * answer, as where the other side is a guest, no email can reach it, or its email has failed or was left to a digest. Where an email was
 * sent late, or still waits for a mail server, the time for an answer begins with it: another run confirms the report then.
 * Any process may run it at any time: the row's lock decides.
 */
export async function confirmSilently(matchId: string, by: Origin): Promise<boolean> {
  const match = await db.match.findUnique({ where: { id: matchId }, select: { tournamentId: true, confirmBy: true } });
  if (!match?.confirmBy) return false;
  return db.$transaction(async (tx) => {
    const play = await findPlay(tx, match.tournamentId);
    const row = [...(play?.rows.values() ?? [])].find(({ id }) => id === matchId);
    if (!play || !row?.report || row.confirmBy === null) return false;
    const other = row.participantAId === row.report.by ? row.participantBId : row.participantAId;
    const silentFrom = await silenceCountsFrom(tx, row.id, row.report, await readSide(tx, other));
    const { status, resultMode, autoConfirmMinutes } = play.tournament;
    if (status !== 'IN_PROGRESS' || resultMode === 'staff' || silentFrom === null) {
      // Nothing but staff confirms it any more, and all whose time has passed are looked for again and again.
      await saveChange(tx, by, play, null, { columns: new Map([[row.number, { confirmBy: null }]]) });
      return false;
    }
    const confirmBy = Math.max(
      Date.parse(row.confirmBy),
      soonestSilence(row.report, autoConfirmMinutes),
      // What a mail server has not taken yet, it takes now at the earliest.
      Math.min(silentFrom, play.now.getTime()) + autoConfirmMinutes * minute,
    );
    if (confirmBy > play.now.getTime()) {
      if (confirmBy === Date.parse(row.confirmBy)) return false;
      const columns = { confirmBy: new Date(confirmBy).toISOString() };
      const postponed = await saveChange(tx, by, play, null, { columns: new Map([[row.number, columns]]) });
      afterCommit(tx, () => void triggerConfirmation(postponed, matchId));
      return false;
    }
    await addLines(tx, by, { matchId: row.id, ...confirmationOf(row, row.report) });
    await decide(tx, by, play, row, toResult(row.report));
    return true;
  });
}

type Unanswered = { matchId: string; projectId: string; turn: string; confirmBy: string };

/** Reports that silence should have confirmed by now. */
export const missedConfirmations: RelayedJob<Unanswered> = {
  name: 'confirmations',
  overdue: `
    SELECT m."id", t."projectId",
      jsonb_build_object('matchId', m."id", 'projectId', t."projectId", 'turn', ${projectTurnSql('t."projectId"')},
        'confirmBy', m."confirmBy") AS "data"
    FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
    WHERE m."confirmBy" <= now() - $1::interval`,
  events: (due) => due.map(({ data }) => matchReported.create(data)),
};

/**
 * Wakes the function that asks the other side about a report, and confirms it when nobody answers. If that fails, the relay still has
 * it confirmed.
 */
export async function triggerConfirmation(play: LockedPlay, matchId: string): Promise<void> {
  const { status, report, confirmBy, version } = matchRow(play, matchId);
  if (!report || status === 'disputed') return;
  const { projectId } = play.tournament;
  const { owner: turn } = await turnOfProject(projectId);
  const data = { matchId, projectId, turn, confirmBy };
  await sendAfterCommit(matchReported.create(data, { id: `confirm:${matchId}:${version}` }));
}
