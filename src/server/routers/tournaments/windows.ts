import { inWords } from '@/domain/tournaments/rules';
import { checkInWindow, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';
import { refuse } from '@/server/errors';
import type { SettingsRow } from './data';
import { changeTournament } from './data-changes';
import { updatedEvent } from './data-events';
import { tournamentProcedure } from './gate';
import { tournamentDetail, tournamentIdInput } from './schema';

const tags = ['Tournaments'];
const organizerProcedure = tournamentProcedure('tournaments:write');

/** Registration and check-in are opened and closed by hand only between publication and the start. */
function requireBeforeStart(tournament: SettingsRow, now: Date): void {
  if (tournament.status !== 'PUBLISHED') {
    throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(tournament.status)}, not published.` });
  }
  if (tournament.startDate <= now) {
    throw refuse('INVALID_STATE', { message: 'The start time has passed. Change it first.' });
  }
}

export const openRegistration = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registration/open',
      tags,
      summary: 'Open registration now',
      description:
        'Sets the opening time to now. A closing time in the past is removed: registration then closes at the start.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.registration_open', (tournament, now) => {
      requireBeforeStart(tournament, now);
      const phase = phaseOf(registrationWindow(tournament), now.getTime());
      if (phase === 'open') throw refuse('INVALID_STATE', { message: 'Registration is already open.' });
      return { data: phase === 'after' ? { registrationClosesAt: null } : { registrationOpensAt: now } };
    }),
  );

export const closeRegistration = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registration/close',
      tags,
      summary: 'Close registration now',
      description: 'Nobody can register from now on, whatever the schedule says.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.registration_close', (tournament, now) => {
      requireBeforeStart(tournament, now);
      if (phaseOf(registrationWindow(tournament), now.getTime()) !== 'open') {
        throw refuse('INVALID_STATE', { message: 'Registration is not open.' });
      }
      return { data: { registrationClosesAt: now } };
    }),
  );

export const openCheckIn = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/check-in/open',
      tags,
      summary: 'Open check-in now',
      description:
        'Sets the opening time to now. A closing time in the past is removed: check-in then closes at the start.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.check_in_open', (tournament, now) => {
      requireBeforeStart(tournament, now);
      const phase = phaseOf(checkInWindow(tournament), now.getTime());
      if (phase === 'open') throw refuse('INVALID_STATE', { message: 'Check-in is already open.' });
      if (phase === 'after') {
        return {
          data: { checkInClosesAt: null, ...(tournament.checkInOpensAt ? {} : { checkInOpensAt: now }) },
          events: (changed) => [updatedEvent(changed, ['checkInClosesAt'])],
        };
      }
      return { data: { checkInOpensAt: now }, events: (changed) => [updatedEvent(changed, ['checkInOpensAt'])] };
    }),
  );

export const closeCheckIn = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/check-in/close',
      tags,
      summary: 'Close check-in now',
      description: 'Participants can no longer check in by themselves; organizers can still check them in.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(({ ctx }) =>
    changeTournament(ctx, 'tournament.check_in_close', (tournament, now) => {
      requireBeforeStart(tournament, now);
      if (phaseOf(checkInWindow(tournament), now.getTime()) !== 'open') {
        throw refuse('INVALID_STATE', { message: 'Check-in is not open.' });
      }
      return { data: { checkInClosesAt: now }, events: (changed) => [updatedEvent(changed, ['checkInClosesAt'])] };
    }),
  );
