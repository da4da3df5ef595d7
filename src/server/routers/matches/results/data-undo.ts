import { correct, reopen } from '@/domain/brackets/play/correction';
import { isDecided } from '@/domain/brackets/play/match-state';
import { changeTo } from '@/domain/brackets/play/patch';
import { apply, findMatch } from '@/domain/brackets/play/progress';
import { type KeptResult, restoreResults } from '@/domain/brackets/play/restore';
import type { GameReport, MatchResult } from '@/domain/brackets/play/results';
import type { Bracket } from '@/domain/brackets/types';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin, takeBulk } from '@/server/events/emit';
import type { LockedPlay, MatchRow } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import {
  addLines,
  type LineDetails,
  type LineResult,
  lineResult,
  type NewLine,
} from '@/server/routers/matches/data-lines';
import { inBracket } from '@/server/routers/matches/rules';
import { saveCorrection } from './data-corrections';
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

/** Lines that settle nothing, which players can write alone. They keep nobody from undoing a correction. */
const beforeAgreement = [
  'comment',
  'report',
  'report_removed',
  'dispute',
  'proposal',
  'proposal_declined',
  'proposal_withdrawn',
] as const;

/** The correction of a match that can be undone: nothing that both sides agreed to, or staff decided, has come after it in its thread. */
async function findCorrection(tx: Tx, row: MatchRow): Promise<{ id: string; previous: LineResult }> {
  const line = await tx.matchMessage.findFirst({
    where: { matchId: row.id, kind: { notIn: [...beforeAgreement] } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true, kind: true, details: true },
  });
  const previous = (line?.details as LineDetails | undefined)?.previousResult;
  const isCorrection = line?.kind === 'correction' || line?.kind === 'reopening';
  if (!line || !isCorrection || !previous || !hasSamePlayers(row, previous)) {
    throw refuse('INVALID_STATE', { message: 'There is no correction to undo, or something has happened since.' });
  }
  return { id: line.id, previous };
}

type Lost = { number: number; matchId: string; details: LineDetails };

/** The results that a correction deleted, in the order of their matches. */
async function findLost(tx: Tx, tournamentId: string, correctionId: string) {
  return tx.$queryRaw<Lost[]>`
    SELECT m."number", m."id" AS "matchId", l."details" FROM "match" m JOIN "match_message" l ON l."matchId" = m."id"
    WHERE m."tournamentId" = ${tournamentId} AND l."kind" = 'result_lost' AND l."details"->>'because' = ${correctionId}
    ORDER BY m."number"`;
}

/**
 * Takes the last correction or reopening of a match back: its result is again what it was, and the matches that had
 * lost theirs get them back where the same participants meet and nothing new was reported.
 * @throws INVALID_STATE when there is nothing to undo, AFFECTED_MATCH_IN_PROGRESS, QUOTA_EXCEEDED
 */
export async function undoLastCorrection(tx: Tx, by: Origin, play: LockedPlay, row: MatchRow): Promise<LockedPlay> {
  const { id, previous } = await findCorrection(tx, row);
  const lost = await findLost(tx, play.tournamentId, id);
  await takeBulk(tx, by, play.tournament.projectId, lost.length);
  const { number } = row;
  const own = new Map([[number, timesOf(previous)]]);
  if (!isDecided(row)) {
    const result = toResult(previous);
    const { bracket } = inBracket(() => apply(play.bracket, { type: 'result', match: number, result }));
    return restore(tx, by, play, { bracket, own, lost });
  }
  // What a departure decided follows from the departure, as long as that stands.
  const isOfDeparture = previous.decidedBy === 'departure';
  const decided = inBracket(() =>
    isOfDeparture ? reopen(play.bracket, number) : correct(play.bracket, number, toResult(previous)),
  );
  if (!decided.allowed) throw refuse(decided.reason);
  const action = isDecided(findMatch(decided.bracket, number)) ? 'correct' : 'reopen';
  const columns = action === 'correct' ? own : undefined;
  const after = await saveCorrection(tx, by, play, decided, { number, action, reason: undone, columns });
  return restore(tx, by, after, { bracket: after.bracket, own: new Map(), lost });
}

/**
 * Gives open matches the results that they lost, all in one change: in a large draw, thousands may come back.
 * @param given the bracket, in which the matches `own` have results that are not saved yet, with their columns, and the
 * results that were lost
 */
async function restore(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  { bracket, own, lost }: { bracket: Bracket; own: ReadonlyMap<number, Partial<MatchRow>>; lost: readonly Lost[] },
): Promise<LockedPlay> {
  const kept = new Map<number, KeptResult>();
  const times = new Map(own);
  for (const { number, matchId, details } of lost) {
    const row = play.rows.get(number);
    const previous = details.previousResult;
    // A match that was drawn again is another one, and what was reported since stays.
    if (!previous || row?.id !== matchId || row.report) continue;
    const [first = null, second = null] = previous.participantIds;
    kept.set(number, { participantIds: [first, second], result: toResult(previous) });
    times.set(number, timesOf(previous));
  }
  const result = inBracket(() => restoreResults(bracket, kept));
  const back = [...own.keys(), ...result.restored];
  if (back.length === 0) return play;
  const columns = new Map(back.map((number) => [number, times.get(number) ?? {}]));
  const after = await saveChange(tx, by, play, changeTo(play.bracket, result.bracket), { columns });
  const rows = back.flatMap((number) => after.rows.get(number) ?? []);
  const lines = rows.map((row): NewLine => {
    return { matchId: row.id, kind: 'ruling', text: undone, details: { result: lineResult(row, row) } };
  });
  await addLines(tx, by, ...lines);
  const entries = rows.map((row) => matchEntry(after, row, 'resolve', { winnerId: row.winnerId, reason: undone }));
  await audit(tx, by, ...entries);
  return after;
}
