import { isDecided } from '@/domain/brackets/play/match-state';
import { refuse } from '@/server/errors';
import { saveChange } from '@/server/routers/matches/data-changes';
import { moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { changeMatch } from '@/server/routers/matches/results/data-change-match';
import { auditMatch } from '@/server/routers/matches/results/data-results';
import { match } from '@/server/routers/matches/schema';
import { assignInput } from './schema';

export const assign = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/station',
      tags: ['Stations'],
      summary: 'Assign a match to a station',
      description:
        'Where something is played already, the match waits for the station. `null` takes it off its station.',
    },
    errors: ['INVALID_STATE', 'MATCH_ALREADY_DECIDED', 'VERSION_MISMATCH'],
    wholeDraw: true,
  })
  .input(assignInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, input.version, async (tx, play, row) => {
      const { stationId } = input;
      if (isDecided(row)) throw refuse('MATCH_ALREADY_DECIDED');
      const station = play.stations.find(({ id }) => id === stationId);
      if (stationId !== null && !station) throw refuse('NOT_FOUND', { message: 'There is no such station.' });
      const after = await saveChange(tx, ctx.by, play, null, { columns: new Map([[row.number, { stationId }]]) });
      await auditMatch(tx, ctx.by, play, row, station ? 'assign' : 'unassign', {
        stationId,
        station: station?.name ?? null,
      });
      return after;
    }),
  );
