import { apply } from '@/domain/brackets/play/progress';
import { matchRow } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { addLines, lineResult } from '@/server/routers/matches/data-lines';
import { moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { inBracket, requireGraceOver, requireOpen } from '@/server/routers/matches/rules';
import { forfeitInput, match } from '@/server/routers/matches/schema';
import { changeMatch } from './data-change-match';
import { auditMatch } from './data-results';

export const forfeit = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/forfeit',
      tags: ['Matches'],
      summary: 'Forfeit a match for one side or both',
      description:
        'The other side advances. If both forfeit, nobody does, and the next match has a bye. Participants who were called have until `showUpBy` to appear.',
    },
    errors: [
      'GRACE_NOT_OVER',
      'INVALID_STATE',
      'MATCH_NOT_READY',
      'MATCH_ALREADY_DECIDED',
      'VERSION_MISMATCH',
      'INVALID_RESULT',
    ],
    wholeDraw: true,
  })
  .input(forfeitInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, undefined, async (tx, play, row) => {
      requireOpen(row, { orDisputed: true });
      const { participantIds, reason = null } = input;
      requireGraceOver(row, play.now);
      const change = inBracket(() =>
        apply(play.bracket, { type: 'result', match: row.number, result: { type: 'forfeit', participantIds } }),
      );
      const after = await saveChange(tx, ctx.by, play, change, { reason });
      const decided = matchRow(after, row.id);
      const details = { result: lineResult(decided, decided) };
      await addLines(tx, ctx.by, { matchId: row.id, kind: 'ruling', text: reason ?? '', details });
      await auditMatch(tx, ctx.by, play, row, 'forfeit', { participantIds, reason });
      return after;
    }),
  );
