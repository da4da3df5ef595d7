import { inWords } from '@/domain/tournaments/rules';
import { checkInWindow, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';
import type { TournamentUpdateInput } from '@/generated/prisma/models';
import type { Context } from '@/server/context';
import { refuse } from '@/server/errors';
import { audit, emit, type NewEvent, type Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import {
  type DetailRow,
  detailSelect,
  lockTournament,
  readDetail,
  recordRegistrationChange,
  tournamentEvent,
  triggerSchedule,
  updatedEvent,
} from './data';
import { tournamentProcedure } from './gate';
import { statusAfter, type Trigger } from './rules';
import { tournamentDetail, tournamentIdInput } from './schema';

type Gate = { ctx: Context & { tournamentId: string; by: Origin } };
type Change = { data: TournamentUpdateInput; event?: (row: DetailRow) => NewEvent };

/**
 * One guarded change: lock, decide, write, announce, emit, audit, commit; then wake the schedule.
 * `decide` gets the row as it is under the lock and the database's clock.
 */
async function changeTournament({ ctx }: Gate, action: string, decide: (row: DetailRow, now: Date) => Change) {
  const row = await ctx.db.$transaction(async (tx) => {
    const { row: before, now } = await lockTournament(tx, ctx.tournamentId, detailSelect);
    const version = expectedVersion(ctx.ifMatch);
    if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
    const { data, event } = decide(before, now);
    const changed = await tx.tournament.update({
      where: { id: before.id },
      data: { ...data, version: { increment: 1 } },
      select: detailSelect,
    });
    const announced = await recordRegistrationChange(tx, changed, now);
    await emit(tx, ctx.by, ...(event ? [event(changed)] : []), ...announced);
    await audit(tx, ctx.by, {
      projectId: changed.projectId,
      action,
      targetType: 'tournament',
      targetId: changed.id,
    });
    return changed;
  });
  await triggerSchedule(row);
  return readDetail(ctx.db, row.id, true);
}

function move(trigger: Trigger, row: DetailRow) {
  const status = statusAfter(trigger, row.status);
  if (!status) throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(row.status)}.` });
  return status;
}

/** Windows open and close by hand only while the tournament is published and its start lies ahead. */
function beforeStart(row: DetailRow, now: Date): void {
  if (row.status !== 'PUBLISHED') {
    throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(row.status)}, not published.` });
  }
  if (row.startDate <= now) {
    throw refuse('INVALID_STATE', { message: 'The start has passed. Move the start first.' });
  }
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
  .mutation((gate) =>
    changeTournament(gate, 'tournament.publish', (row, now) => {
      const status = move('publish', row);
      if (row.startDate <= now) {
        throw refuse('INVALID_STATE', { message: 'The start has passed. Move the start, then publish.' });
      }
      return {
        data: { status, publishedAt: now },
        event: (changed) => tournamentEvent('tournament.published', changed),
      };
    }),
  );

export const cancel = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/cancel',
      tags,
      summary: 'Call a tournament off',
      description: 'From any status but completed. It stays readable and nothing in it can change any more.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation((gate) =>
    changeTournament(gate, 'tournament.cancel', (row, now) => ({
      data: { status: move('cancel', row), cancelledAt: now },
      event: (changed) => tournamentEvent('tournament.cancelled', changed),
    })),
  );

export const openRegistration = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registration/open',
      tags,
      summary: 'Open registration now',
      description: 'Moves the opening to this moment. A closing time that has passed is dropped: the start closes it.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation((gate) =>
    changeTournament(gate, 'tournament.registration_open', (row, now) => {
      beforeStart(row, now);
      const phase = phaseOf(registrationWindow(row), now.getTime());
      if (phase === 'open') throw refuse('INVALID_STATE', { message: 'Registration is open already.' });
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
  .mutation((gate) =>
    changeTournament(gate, 'tournament.registration_close', (row, now) => {
      beforeStart(row, now);
      if (phaseOf(registrationWindow(row), now.getTime()) !== 'open') {
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
      description: 'Moves the opening to this moment. A closing time that has passed is dropped: the start closes it.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation((gate) =>
    changeTournament(gate, 'tournament.check_in_open', (row, now) => {
      beforeStart(row, now);
      const phase = phaseOf(checkInWindow(row), now.getTime());
      if (phase === 'open') throw refuse('INVALID_STATE', { message: 'Check-in is open already.' });
      if (phase === 'after') {
        return {
          data: { checkInClosesAt: null, ...(row.checkInOpensAt ? {} : { checkInOpensAt: now }) },
          event: (changed) => updatedEvent(changed, ['checkInClosesAt']),
        };
      }
      return { data: { checkInOpensAt: now }, event: (changed) => updatedEvent(changed, ['checkInOpensAt']) };
    }),
  );

export const closeCheckIn = organizerProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/check-in/close',
      tags,
      summary: 'Close check-in now',
      description: 'Entrants can no longer check themselves in; organizers still can.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation((gate) =>
    changeTournament(gate, 'tournament.check_in_close', (row, now) => {
      beforeStart(row, now);
      if (phaseOf(checkInWindow(row), now.getTime()) !== 'open') {
        throw refuse('INVALID_STATE', { message: 'Check-in is not open.' });
      }
      return { data: { checkInClosesAt: now }, event: (changed) => updatedEvent(changed, ['checkInClosesAt']) };
    }),
  );
