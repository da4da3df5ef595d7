import { type Correction, correct as correctResult, reopen as reopenMatch } from '@/domain/brackets/play/correction';
import { findMatch } from '@/domain/brackets/play/progress';
import { isReportRemovable } from '@/domain/matches/play';
import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { takeNow } from '@/server/limits/take-now';
import { type LockedPlay, type MatchRow, matchRow, withBracket } from '@/server/routers/matches/data-bracket';
import { saveChange, withoutReport } from '@/server/routers/matches/data-changes';
import { matchOf, toCorrection } from '@/server/routers/matches/data-views';
import { moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { inBracket, playedResult } from '@/server/routers/matches/rules';
import {
  type CorrectionOutput,
  correctInput,
  correction,
  match,
  reopenInput,
  undoInput,
} from '@/server/routers/matches/schema';
import { changeMatch } from './data-change-match';
import { saveCorrection } from './data-corrections';
import { auditMatch } from './data-results';
import { undoLastCorrection } from './data-undo';

type Gate = {
  ctx: Pick<Context, 'db' | 'ifMatch'> & {
    by: Origin;
    actingUser: { id: string };
    match: { id: string; tournamentId: string };
  };
};
type Given = { action: 'correct' | 'reopen'; preview: boolean; reason?: string; version?: number };

/** Takes off what the players reported, so that the match is to be played as before. */
async function removeReport(tx: Tx, by: Origin, play: LockedPlay, row: MatchRow, reason: string | null) {
  const columns = new Map([[row.number, withoutReport(row)]]);
  const after = await saveChange(tx, by, play, null, { columns, reason });
  await auditMatch(tx, by, play, row, 'remove_report', { reason });
  return after;
}

/** Previews a correction, or writes it with everything that follows from it. */
async function changeResult(
  { ctx }: Gate,
  { action, preview, reason, version }: Given,
  decide: (play: LockedPlay, row: MatchRow) => Correction,
): Promise<CorrectionOutput> {
  const { id, tournamentId } = ctx.match;
  const expected = expectedVersion(ctx.ifMatch, version);
  await takeNow('heavyCalls', ctx.actingUser.id);
  return ctx.db.$transaction(async (tx) => {
    const play = await withBracket(tx, tournamentId, { orCompleted: true });
    const row = matchRow(play, id);
    if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
    if (action === 'reopen' && isReportRemovable(row)) {
      const noOther: CorrectionOutput = { allowed: true, affected: [] };
      if (preview) return noOther;
      const after = await removeReport(tx, ctx.by, play, row, reason ?? null);
      return { ...noOther, match: matchOf(after, matchRow(after, id)) };
    }
    const decided = inBracket(() => decide(play, row));
    if (preview) return toCorrection(play, decided);
    if (!decided.allowed) throw refuse(decided.reason);
    const after = await saveCorrection(tx, ctx.by, play, decided, {
      number: row.number,
      action,
      reason: reason ?? null,
    });
    return toCorrection(play, decided, { play: after, row: matchRow(after, id) });
  });
}

const errors = [
  'INVALID_STATE',
  'MATCH_NOT_READY',
  'MATCH_NOT_DECIDED',
  'VERSION_MISMATCH',
  'AFFECTED_MATCH_IN_PROGRESS',
  'PLAYED_PAST',
] as const;

export const correct = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/correct',
      tags: ['Matches'],
      summary: 'Correct a result',
      description:
        'Also of a match that was played past: later matches that depend on it lose their results. With `preview` it only tells which. Refused while one of them is being played or disputed; a report alone that nobody has answered is taken off. Reopening a disputed match takes off its report, too.',
    },
    errors: [...errors, 'INVALID_RESULT'],
    quotas: ['heavyCalls', 'bulkEvents'],
    wholeDraw: true,
  })
  .input(correctInput)
  .output(correction)
  .mutation(({ ctx, input }) =>
    changeResult({ ctx }, { ...input, action: 'correct' }, ({ bracket }, { number }) =>
      correctResult(bracket, number, playedResult(findMatch(bracket, number), input)),
    ),
  );

export const reopen = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/reopen',
      tags: ['Matches'],
      summary: 'Reopen a match',
      description:
        'Takes its result back, so that it is played again; later matches follow as in a correction. Of a match that nobody has decided, it takes off a report that is unanswered or disputed. Send the `version` of the match that you looked at: the report may be confirmed meanwhile.',
    },
    errors,
    quotas: ['heavyCalls', 'bulkEvents'],
    wholeDraw: true,
  })
  .input(reopenInput)
  .output(correction)
  .mutation(({ ctx, input }) =>
    changeResult({ ctx }, { ...input, action: 'reopen' }, ({ bracket }, { number }) => reopenMatch(bracket, number)),
  );

export const undoCorrection = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/correct/undo',
      tags: ['Matches'],
      summary: 'Undo a correction',
      description:
        'Takes the last correction or reopening back, once, while staff have decided nothing else in the match; what its sides have agreed on since is lost. Later matches that lost their results get them back where the same participants meet.',
    },
    errors,
    quotas: ['heavyCalls', 'bulkEvents'],
    wholeDraw: 'with games and rounds',
  })
  .input(undoInput)
  .output(match)
  .mutation(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    return changeMatch({ ctx }, input.version, (tx, play, row) => undoLastCorrection(tx, ctx.by, play, row));
  });
