import { findMatch } from '@/domain/brackets/play/progress';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type LockedPlay, type MatchRow, matchRow } from '@/server/routers/matches/data-bracket';
import { addLines, lineResult } from '@/server/routers/matches/data-lines';
import { matchProcedure, moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { playedResult, requireOpen } from '@/server/routers/matches/rules';
import { answerInput, disputeInput, match, reportInput } from '@/server/routers/matches/schema';
import { confirmScreenshots } from '@/server/routers/matches/thread/data-thread';
import { changeMatch } from './data-change-match';
import { auditMatch, confirmReport, decide, disputeReport, reportResult } from './data-results';

const tags = ['Matches'];

const common = ['INVALID_STATE', 'MATCH_NOT_READY', 'MATCH_ALREADY_DECIDED', 'VERSION_MISMATCH'] as const;

/** Staff decides a match at once. */
async function rule(
  tx: Tx,
  by: Parameters<typeof decide>[1],
  play: LockedPlay,
  row: MatchRow,
  given: Parameters<typeof playedResult>[1],
) {
  requireOpen(row, { orDisputed: true });
  const after = await decide(tx, by, play, row, playedResult(findMatch(play.bracket, row.number), given));
  const decided = matchRow(after, row.id);
  await addLines(tx, by, { matchId: row.id, kind: 'ruling', details: { result: lineResult(decided, decided) } });
  return after;
}

export const report = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/report',
      tags,
      summary: 'Report a result',
      description:
        'By a player: the opponent confirms it, by an equal report too, or silence does after `autoConfirmMinutes`; a different report makes a dispute. Until then you can report something else; once you have named another winner, changed it twice, or reported more than three times in all, your opponent or a moderator has to confirm it. By a moderator: decides the match at once.',
    },
    errors: [...common, 'INVALID_RESULT', 'STAFF_RESULTS_ONLY'],
    quotas: ['matchAnswers', 'matchLines'],
    wholeDraw: true,
  })
  .input(reportInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, input.version, async (tx, play, row) => {
      const { mine } = ctx.match;
      if (mine.length > 0)
        return reportResult(tx, ctx.by, play, row, { mine, userId: ctx.actingUser.id, given: input });
      const after = await rule(tx, ctx.by, play, row, input);
      await auditMatch(tx, ctx.by, play, row, 'report');
      return after;
    }),
  );

export const confirm = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/confirm',
      tags,
      summary: 'Confirm a reported result',
      description:
        'By the side that did not report it, or by a moderator. A report can change until then: send the `version` of the match that you looked at.',
    },
    errors: [...common, 'NOTHING_TO_CONFIRM', 'STAFF_RESULTS_ONLY', 'INVALID_RESULT'],
    wholeDraw: true,
  })
  .input(answerInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, input.version, async (tx, play, row) => {
      const isStaff = ctx.canModerate && ctx.match.mine.length === 0;
      const after = await confirmReport(tx, ctx.by, play, row, { mine: ctx.match.mine, isStaff });
      if (isStaff) await auditMatch(tx, ctx.by, play, row, 'confirm');
      return after;
    }),
  );

export const dispute = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/dispute',
      tags,
      summary: 'Dispute a reported result',
      description: 'A moderator has to decide then. The reason begins the thread of the dispute.',
    },
    errors: [...common, 'NOTHING_TO_CONFIRM', 'EMAIL_NOT_CONFIRMED'],
    quotas: ['matchAnswers', 'matchLines', 'screenshotKib'],
    wholeDraw: true,
  })
  .input(disputeInput)
  .output(match)
  .mutation(async ({ ctx, input }) => {
    if (!ctx.actingUser.emailVerified) throw refuse('EMAIL_NOT_CONFIRMED');
    const { reason, mediaFileIds } = input;
    const { id: matchId, tournamentId, projectId, mine } = ctx.match;
    const userId = ctx.actingUser.id;
    const isStaff = ctx.canModerate && mine.length === 0;
    await confirmScreenshots({ ids: mediaFileIds, projectId, tournamentId, matchId, userId, isStaff });
    return changeMatch({ ctx }, undefined, async (tx, play, row) => {
      const after = await disputeReport(tx, ctx.by, play, row, { mine, isStaff, userId, reason, mediaFileIds });
      if (isStaff) await auditMatch(tx, ctx.by, play, row, 'dispute', { reason });
      return after;
    });
  });

export const resolve = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/resolve',
      tags,
      summary: 'Decide a match',
      description: 'A moderator rules, whatever was reported. A decided match is corrected instead.',
    },
    errors: [...common, 'INVALID_RESULT'],
    wholeDraw: true,
  })
  .input(reportInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, input.version, async (tx, play, row) => {
      const after = await rule(tx, ctx.by, play, row, input);
      await auditMatch(tx, ctx.by, play, row, 'resolve', { winnerId: matchRow(after, row.id).winnerId });
      return after;
    }),
  );
