import { type Deleted, handedOn, undo } from '@/domain/brackets/play/correction';
import { isDecided, isReported } from '@/domain/brackets/play/match-state';
import { findMatch } from '@/domain/brackets/play/progress';
import type { GameReport, KeptResult, MatchResult } from '@/domain/brackets/play/results';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin, takeBulk } from '@/server/events/emit';
import type { LockedPlay, MatchRow } from '@/server/routers/matches/data-bracket';
import {
  addLines,
  type Kept,
  type KeptLine,
  type LineDetails,
  type LineResult,
  lineResult,
  type NewLine,
} from '@/server/routers/matches/data-lines';
import { inBracket } from '@/server/routers/matches/rules';
import { keptOf, saveCorrection } from './data-corrections';
import { matchEntry } from './data-results';

const undone = 'The correction was undone.';

const hasSamePlayers = (row: MatchRow, { participantIds }: LineResult) =>
  row.participantAId === participantIds[0] && row.participantBId === participantIds[1];

/** A result that a line kept, as the bracket engine takes it. */
function toResult({ decidedBy, participantIds, games, winnerId, score }: LineResult): MatchResult {
  if (decidedBy === 'forfeit') {
    return {
      type: 'forfeit',
      participantIds: participantIds.filter((id) => id !== null && id !== winnerId) as string[],
    };
  }
  const played = games.map(({ scores, winnerId: id }): GameReport => {
    const side = id === null ? null : participantIds.indexOf(id);
    return { scores, winner: side === 0 || side === 1 ? side : null };
  });
  return { type: 'played', games: played, winnerId, score: score ?? undefined };
}

/** When a match whose result comes back was played, as columns; none where its line has kept no times. */
function timesOf({ startedAt = null, completedAt }: LineResult): Partial<MatchRow> {
  return completedAt === undefined ? {} : { startedAt, completedAt };
}

/**
 * Lines of players, and another time for the match. None keeps staff from undoing a correction: otherwise two players who agree at once,
 * after their match was reopened by mistake, would leave everybody else without the results that were lost with it.
 */
const passedOver = [
  'comment',
  'report',
  'confirmation',
  'report_removed',
  'dispute',
  'proposal',
  'proposal_declined',
  'proposal_withdrawn',
  'rescheduled',
] as const;

/** Of those, the ones that staff can write in place of players, and how they look then. */
const ofEither = ['confirmation', 'rescheduled'] as const;
const byStaff = { participantId: null, authorId: { not: null } };

/**
 * The correction of a match that can be undone: staff have decided nothing after it in its thread. What undid one is none: two moderators
 * who undo at once, or a request that is repeated, would bring back what they undo.
 * @returns `isAgain`: whether the match was reopened and has been decided again
 */
async function findCorrection(tx: Tx, row: MatchRow) {
  const line = await tx.matchMessage.findFirst({
    where: { matchId: row.id, OR: [{ kind: { notIn: [...passedOver] } }, { kind: { in: [...ofEither] }, ...byStaff }] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true, kind: true, details: true, kept: true },
  });
  const { previousResult: previous, undoes } = (line?.details ?? {}) as LineDetails;
  const isCorrection = line?.kind === 'correction' || line?.kind === 'reopening';
  if (!line || !isCorrection || undoes || !previous || !hasSamePlayers(row, previous)) {
    throw refuse('INVALID_STATE', { message: 'There is no correction to undo, or something has happened since.' });
  }
  const isAgain = line.kind === 'reopening' && isDecided(row);
  return { id: line.id, previous, kept: (line.kept as Kept | null) ?? { lost: [] }, isAgain };
}

type Lost = { number: number; matchId: string; details: LineDetails };

/** The results that a correction deleted and their own threads kept, by the numbers of their matches. */
async function findLost(tx: Tx, { rows, tournamentId }: LockedPlay, correctionId: string) {
  const lost = await tx.$queryRaw<Lost[]>`
    SELECT m."number", m."id" AS "matchId", l."details" FROM "match" m JOIN "match_message" l ON l."matchId" = m."id"
    WHERE m."tournamentId" = ${tournamentId} AND l."kind" = 'result_lost' AND l."details"->>'because' = ${correctionId}`;
  // A match that was drawn again is another one.
  return lost.filter(({ number, matchId }) => rows.get(number)?.id === matchId);
}

/**
 * The results that come back where the same two meet, unless their match is being played. A report that nobody answered is taken off,
 * because one player can cause that alone.
 */
function toKept(lost: ReadonlyMap<number, KeptLine>, ruled: ReadonlySet<number>): Map<number, KeptResult> {
  const kept = new Map<number, KeptResult>();
  for (const [number, previous] of lost) {
    const [first, second] = previous.participantIds;
    if (!first || !second || previous.decidedBy === 'departure') continue;
    const givesWay = previous.givesWay || ruled.has(number);
    kept.set(number, { participantIds: [first, second], result: toResult(previous), givesWay });
  }
  return kept;
}

/** Whether staff have decided something with line `l`, in SQL, as `findCorrection` has it. */
const isDecisionSql = Prisma.sql`(l."kind"::text <> ALL(${[...passedOver]}) OR (l."kind"::text = ANY(${[...ofEither]})
  AND l."participantId" IS NULL AND l."authorId" IS NOT NULL))`;

/** The numbers of the matches in which staff have decided something after a correction. They mean it to stand. */
async function findRuled(tx: Tx, { tournamentId }: LockedPlay, correctionId: string): Promise<Set<number>> {
  const ruled = await tx.$queryRaw<{ number: number }[]>`
    SELECT DISTINCT m."number" FROM "match_message" was
    JOIN "match" m ON m."tournamentId" = ${tournamentId} JOIN "match_message" l ON l."matchId" = m."id"
    WHERE was."id" = ${correctionId} AND (l."createdAt", l."id") > (was."createdAt", was."id")
      AND l."kind" <> 'result_lost' AND ${isDecisionSql}`;
  return new Set(ruled.map(({ number }) => number));
}

type Standing = { id: string; kept: Kept | null };

/** The first correction or reopening in the tournament after one that still stands: neither undone nor followed by a decision of staff. */
async function findNext(tx: Tx, { tournamentId }: LockedPlay, id: string): Promise<Standing | undefined> {
  const [next] = await tx.$queryRaw<Standing[]>`
    SELECT c."id", c."kept" FROM "match_message" was
    JOIN "match" m ON m."tournamentId" = ${tournamentId} JOIN "match_message" c ON c."matchId" = m."id"
    WHERE was."id" = ${id} AND (c."createdAt", c."id") > (was."createdAt", was."id")
      AND c."kind" IN ('correction', 'reopening') AND c."details"->>'undoes' IS NULL
      AND NOT EXISTS (SELECT FROM "match_message" l WHERE l."matchId" = c."matchId"
        AND (l."createdAt", l."id") > (c."createdAt", c."id") AND ${isDecisionSql})
    ORDER BY c."createdAt", c."id" LIMIT 1`;
  return next;
}

function asDeleted({ lost, departures, entries }: Kept): Deleted<KeptLine> {
  const kept = new Map(lost.map(({ number, previousResult }) => [number, previousResult]));
  return { kept, departures: departures ?? null, entries: entries ?? null };
}

/** Leaves what an undone correction could not bring back to the next that is undone; without one, it is lost. */
async function handOn(tx: Tx, play: LockedPlay, undone: { id: string } & Deleted<KeptLine>, byUndoing?: Kept) {
  const next = await findNext(tx, play, undone.id);
  if (!next) return;
  const none = { lost: [] };
  const all = handedOn(play.bracket, undone, asDeleted(next.kept ?? none), asDeleted(byUndoing ?? none));
  const kept: Kept = {
    lost: [...all.kept].map(([number, previousResult]) => ({ number, previousResult })),
    departures: all.departures ?? undefined,
    entries: all.entries ?? undefined,
  };
  await tx.$executeRaw`UPDATE "match_message" SET "kept" = ${JSON.stringify(kept)}::jsonb WHERE "id" = ${next.id}`;
}

/**
 * Takes the last correction or reopening of a match back: its result is again what it was, and the matches that had
 * lost theirs get them back where the same participants meet and staff have decided nothing since.
 * @throws INVALID_STATE when there is nothing to undo, AFFECTED_MATCH_IN_PROGRESS, QUOTA_EXCEEDED
 */
export async function undoLastCorrection(tx: Tx, by: Origin, play: LockedPlay, row: MatchRow): Promise<LockedPlay> {
  const { id, previous, kept, isAgain } = await findCorrection(tx, row);
  const inThreads = await findLost(tx, play, id);
  const lost = new Map<number, KeptLine>(kept.lost.map(({ number, previousResult }) => [number, previousResult]));
  const onlyInThreads = inThreads.filter(({ number }) => !lost.has(number));
  await takeBulk(tx, by, play.tournament.projectId, onlyInThreads.length + lost.size);
  for (const { number, details } of onlyInThreads) if (details.previousResult) lost.set(number, details.previousResult);
  const { number } = row;
  const ruled = await findRuled(tx, play, id);
  // What a departure decided follows from the departure, as long as that stands.
  const result = previous.decidedBy === 'departure' ? null : toResult(previous);
  const { departures = null, entries = null } = kept;
  const decided = inBracket(() =>
    undo(play.bracket, { number, result, kept: toKept(lost, ruled), departures, entries, isAgain }),
  );
  if (!decided.allowed) throw refuse(decided.reason);

  const changed = [...decided.patch.changed, ...decided.patch.added];
  const back = changed.filter((match) => {
    const was = lost.get(match.number);
    const isSame = match.slots.every(({ participantId }, at) => participantId === was?.participantIds[at]);
    return isSame && match.decidedBy === was?.decidedBy;
  });
  const columns = new Map(
    back.flatMap((match) => {
      const was = lost.get(match.number);
      return was ? [[match.number, timesOf(was)] as const] : [];
    }),
  );
  const now = findMatch(decided.bracket, number);
  if (isDecided(now)) columns.set(number, timesOf(previous));
  const action = isDecided(row) ? (isDecided(now) ? 'correct' : 'reopen') : 'resolve';
  const after = await saveCorrection(tx, by, play, decided, { number, action, reason: undone, columns, undoes: id });
  const rows = back.filter(isReported).flatMap((match) => after.rows.get(match.number) ?? []);
  const lines = rows.map((one): NewLine => {
    return { matchId: one.id, kind: 'ruling', text: undone, details: { result: lineResult(one, one) } };
  });
  await addLines(tx, by, ...lines);
  // After these lines, which end what could be undone in their matches.
  const byUndoing = keptOf({ before: play, after, decided, number }, true);
  await handOn(tx, after, { id, kept: lost, departures, entries }, byUndoing);
  const audited = rows.map((one) => matchEntry(after, one, 'resolve', { winnerId: one.winnerId, reason: undone }));
  if (audited.length > 0) await audit(tx, by, ...audited);
  return after;
}
