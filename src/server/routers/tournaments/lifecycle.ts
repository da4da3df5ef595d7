import { inWords } from '@/domain/tournaments/rules';
import { refuse } from '@/server/errors';
import type { SettingsRow } from './data';
import { changeTournament } from './data-changes';
import { tournamentEvent } from './data-events';
import { tournamentProcedure } from './gate';
import { statusAfter, type Trigger } from './rules';
import { tournamentDetail, tournamentIdInput } from './schema';

/** The status after the trigger, or INVALID_STATE. */
function requireTransition(trigger: Trigger, tournament: SettingsRow) {
  const status = statusAfter(trigger, tournament.status);
  if (!status) throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(tournament.status)}.` });
  return status;
}

const tags = ['Tournaments'];
const organizerProcedure = tournamentProcedure('tournaments:write');

export const publish = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/publish',
      tags,
      summary: 'Publish a draft',
      description: 'It becomes visible, and registration opens unless it is scheduled for later.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.publish', (tournament, now) => {
      const status = requireTransition('publish', tournament);
      if (tournament.startDate <= now) {
        throw refuse('INVALID_STATE', { message: 'The start time has passed. Change it, then publish.' });
      }
      return {
        data: { status, publishedAt: now },
        events: (changed) => [tournamentEvent('tournament.published', changed)],
      };
    }),
  );

export const cancel = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/cancel',
      tags,
      summary: 'Cancel a tournament',
      description: 'From any status except completed. The tournament stays readable, and nothing in it can change.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.cancel', (tournament, now) => ({
      data: { status: requireTransition('cancel', tournament), cancelledAt: now },
      events: (changed) => [tournamentEvent('tournament.cancelled', changed)],
    })),
  );
