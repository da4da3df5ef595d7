import { isBeingPlayed } from '@/domain/matches/play';
import { minute } from '@/domain/time/durations';
import { refuse } from '@/server/errors';
import { saveChange, withoutReport } from '@/server/routers/matches/data-changes';
import { moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { changeMatch } from '@/server/routers/matches/results/data-change-match';
import { auditMatch } from '@/server/routers/matches/results/data-results';
import { requireOpen } from '@/server/routers/matches/rules';
import { match } from '@/server/routers/matches/schema';
import { queueCallEmails } from './data-call-emails';
import { callInput } from './schema';

export const callPlayers = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/call',
      tags: ['Stations'],
      summary: 'Call the participants of a match',
      description:
        'Tells the players to come to their station, by email too. They have until `showUpBy`, which is `noShowGraceMinutes` later; then the match can be forfeited. A report that nobody has answered is taken off.',
    },
    errors: ['INVALID_STATE', 'MATCH_NOT_READY', 'MATCH_ALREADY_DECIDED', 'VERSION_MISMATCH'],
    wholeDraw: true,
  })
  .input(callInput)
  .output(match)
  .mutation(async ({ ctx, input }) => {
    return changeMatch({ ctx }, input.version, async (tx, play, row) => {
      requireOpen(row);
      if (isBeingPlayed(row)) throw refuse('INVALID_STATE', { message: 'This match is being played.' });
      if (input.called === (row.calledAt !== null)) {
        throw refuse('INVALID_STATE', {
          message: input.called
            ? 'The participants have already been called. To call them again, take the call back first.'
            : 'The participants have not been called.',
        });
      }
      const calledAt = input.called ? play.now.toISOString() : null;
      const graceMs = play.tournament.noShowGraceMinutes * minute;
      const showUpBy = input.called ? new Date(play.now.getTime() + graceMs).toISOString() : null;
      // Who is called is to play now; taking a call back says nothing about a report.
      const reported = input.called ? withoutReport(row) : {};
      const columns = new Map([[row.number, { ...reported, calledAt, showUpBy }]]);
      const after = await saveChange(tx, ctx.by, play, null, { columns });
      await auditMatch(tx, ctx.by, play, row, input.called ? 'call' : 'call_back', {
        stationId: row.stationId,
        showUpBy,
      });
      if (input.called) await queueCallEmails(tx, after, row.number);
      return after;
    });
  });
