import { type Correction, changedEntries } from '@/domain/brackets/play/correction';
import { isDecided } from '@/domain/brackets/play/match-state';
import type { Change } from '@/domain/brackets/play/patch';
import type { Bracket } from '@/domain/brackets/types';
import type { Tx } from '@/server/db';
import { audit, type NewEvent, type Origin, takeBulk } from '@/server/events/emit';
import type { LockedPlay, MatchRow } from '@/server/routers/matches/data-bracket';
import { type ChangeContext, saveChange } from '@/server/routers/matches/data-changes';
import { matchEvent } from '@/server/routers/matches/data-events';
import { addLines, type Kept, type LineDetails, lineResult, type NewLine } from '@/server/routers/matches/data-lines';
import { auditMatch, type EntryDetails, subjectOf } from './data-results';

type Allowed = Extract<Correction, { allowed: true }>;
const lostResult = { action: 'match.result_lost', targetType: 'match' } as const;

/** `resolve`: a match that was reopened has its result again. */
type Given = { number: number; action: 'correct' | 'reopen' | 'resolve'; reason: string | null } & Pick<
  ChangeContext,
  'columns'
> &
  Pick<LineDetails, 'undoes'>;

/** A match that is gone, as its last event has it: whoever rebuilds results from events must not find one there. */
function withoutResult(row: MatchRow): MatchRow {
  const cleared = { score: null, result: null };
  const slots = { slotA: { ...row.slotA, ...cleared }, slotB: { ...row.slotB, ...cleared } };
  return { ...row, ...slots, status: 'pending', winnerId: null };
}

/** The numbers of the matches that were decided, and are not any more. */
export function lostForfeits({ matches }: Bracket, { changed, removed }: Change['patch']): number[] {
  const before = new Map(matches.map((match) => [match.number, match]));
  const open = [...changed.filter((match) => !isDecided(match)).map(({ number }) => number), ...removed];
  return open.filter((number) => {
    const match = before.get(number);
    return match && isDecided(match) && match.decidedBy !== 'bye';
  });
}

/**
 * Makes the events of matches whose results are corrected or lost.
 * @param affected the ids of the matches that changed with one, by its number
 */
export function correctedEvents(
  play: LockedPlay,
  numbers: readonly number[],
  affected: Record<number, string[]> = {},
): (rows: ReadonlyMap<number, MatchRow>) => NewEvent[] {
  return (rows) =>
    numbers.flatMap((one): NewEvent[] => {
      const before = play.rows.get(one);
      if (!before) return [];
      const kept = rows.get(one)?.id === before.id ? rows : new Map([[one, withoutResult(before)]]);
      const more = { previousWinnerId: before.winnerId, affectedMatchIds: affected[one] ?? [] };
      return [matchEvent('match.result_corrected', subjectOf(play, kept, one), more)];
    });
}

/**
 * Writes a correction: the corrected match and every match that lost its result get one `match.result_corrected`
 * event and one audit entry each.
 */
export async function saveCorrection(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  decided: Allowed,
  { number, action, reason, columns, undoes }: Given,
): Promise<LockedPlay> {
  const lost = decided.affected.filter(({ losesResult }) => losesResult).map(({ match }) => match);
  const idOf = (one: number) => play.rows.get(one)?.id;
  const affectedMatchIds = decided.affected.flatMap(({ match }) => idOf(match) ?? []);
  const reported = [...new Set(action === 'resolve' ? lost : [number, ...lost])];
  await takeBulk(tx, by, play.tournament.projectId, reported.length + decided.patch.added.length);
  const after = await saveChange(tx, by, play, decided, {
    columns,
    corrected: reported,
    events: correctedEvents(play, reported, { [number]: affectedMatchIds }),
  });
  const corrected = play.rows.get(number);
  const outcome: EntryDetails =
    action === 'resolve' ? { winnerId: after.rows.get(number)?.winnerId ?? null } : { affectedMatchIds };
  if (corrected) await auditMatch(tx, by, play, corrected, action, { reason, ...outcome });
  const { id: tournamentId, projectId } = play.tournament;
  const entries = lost.flatMap((one) => {
    const targetId = idOf(one);
    const details = { tournamentId, number: one, because: idOf(number) ?? null };
    return targetId ? [{ projectId, ...lostResult, targetId, details }] : [];
  });
  if (entries.length > 0) await audit(tx, by, ...entries);
  await writeLines(tx, by, { before: play, after, decided, reported, number, action, reason, undoes });
  return after;
}

type Changed = Pick<Given, 'number'> & { before: LockedPlay; after: LockedPlay; decided: Allowed };
type Written = Given & Changed & { reported: readonly number[] };

/**
 * What a correction deleted, as far as undoing it needs that and no thread is sure to keep it; nothing for most. Swiss rounds and their
 * playoffs may be drawn again once more, and their threads are gone then.
 * @param isAll whether also what threads keep
 */
export function keptOf({ before, after, decided, number }: Changed, isAll: boolean): Kept | undefined {
  const { patch, bracket } = decided;
  const gone = [...patch.removed, ...patch.changed.map((match) => match.number)].filter((one) => one !== number);
  const lost = gone.flatMap((one) => {
    const was = before.rows.get(one);
    if (!was || !isDecided(was) || was.decidedBy === 'bye') return [];
    const isKept = after.rows.get(one)?.id === was.id && was.decidedBy !== 'departure';
    const hasThread = isKept && !isAll && bracket.format !== 'swiss';
    return hasThread ? [] : [{ number: one, previousResult: lineResult(was, was) }];
  });
  const departures = patch.departures === null ? undefined : before.bracket.departures;
  const entries = changedEntries(before.bracket, bracket) ?? undefined;
  return lost.length > 0 || departures || entries ? { lost, departures, entries } : undefined;
}

/** Keeps in the threads what the corrected match and those that lost their results had. */
async function writeLines(tx: Tx, by: Origin, written: Written) {
  const { before, after, reported, number, action, reason, undoes } = written;
  const stays = (one: number) => {
    const was = before.rows.get(one);
    const now = after.rows.get(one);
    return was && now?.id === was.id ? { was, now } : null;
  };
  const corrected = stays(number);
  if (!corrected) return;
  const { was, now } = corrected;
  const kind = ({ correct: 'correction', reopen: 'reopening', resolve: 'ruling' } as const)[action];
  const details = {
    ...(action === 'resolve' ? {} : { previousResult: lineResult(was, was) }),
    ...(action === 'reopen' ? {} : { result: lineResult(now, now) }),
    undoes,
  };
  const kept = action === 'resolve' || undoes ? undefined : keptOf(written, false);
  const [because = ''] = await addLines(tx, by, { matchId: now.id, kind, text: reason ?? '', details, kept });
  const lost = reported.filter((one) => one !== number).flatMap((one) => stays(one) ?? []);
  const lines = lost.map((match): NewLine => {
    const details = { previousResult: lineResult(match.was, match.was), because };
    return { matchId: match.now.id, kind: 'result_lost', details };
  });
  await addLines(tx, by, ...lines);
}
