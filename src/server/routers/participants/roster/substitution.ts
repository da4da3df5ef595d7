import { newId } from '@/domain/ids';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { lockForParticipants, noSuchParticipant, requireAllowed } from '@/server/routers/participants/data';
import { participantEvent } from '@/server/routers/participants/data-events';
import { managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { decide, staffActions } from '@/server/routers/participants/rules';
import { managedParticipant, substituteInput } from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { findReplaced, withAccounts } from './rules';

/**
 * Checks that a player can join a roster of the tournament.
 * @throws VALIDATION_FAILED for an unknown or suspended player, ALREADY_ON_ROSTER, ALREADY_REGISTERED
 */
async function checkSubstitute(tx: Tx, tournamentId: string, userId: string, asCaptain: boolean): Promise<void> {
  const user = await tx.user.findUnique({
    where: { id: userId, suspendedAt: null },
    select: {
      name: true,
      rosterEntries: { where: { tournamentId }, select: { participantId: true } },
      participations: { where: { tournamentId }, select: { id: true } },
    },
  });
  if (!user) {
    const issues = [{ path: 'substituteUserId', message: 'There is no such player.' }];
    throw refuse('VALIDATION_FAILED', { issues });
  }
  if (user.rosterEntries.length > 0) {
    throw refuse('ALREADY_ON_ROSTER', { message: `${user.name} is already on a roster of this tournament.` });
  }
  // The captain owns the registration, and a player can have only one in a tournament.
  if (asCaptain && user.participations.length > 0) {
    throw refuse('ALREADY_REGISTERED', { message: `${user.name} is already registered for this tournament.` });
  }
}

export const substitute = tournamentProcedure(staffActions.substitute)
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/{participantId}/substitute',
      tags: ['Participants'],
      summary: 'Substitute a player of a team',
      description:
        'Replaces a player with someone who is on no roster of the tournament, and keeps the role. Works after rosters are locked. A substitute for the captain takes over the registration.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_A_TEAM',
      'NOT_APPROVED',
      'INVALID_STATE',
      'ALREADY_ON_ROSTER',
      'ALREADY_REGISTERED',
      'VERSION_MISMATCH',
    ],
  })
  .input(substituteInput)
  .output(managedParticipant)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { participantId: id, substituteUserId: inUserId, reason } = input;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      const { tournament, facts, now } = await lockForParticipants(tx, tournamentId);
      const before = await tx.participant.findUnique({ where: { id, tournamentId }, select: managedSelect });
      if (!before) throw noSuchParticipant();
      if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
      requireAllowed(decide('substitute', before, facts));
      const { member, issue } = findReplaced(withAccounts(before.roster), input.replacedUserId);
      if (!member) throw refuse('VALIDATION_FAILED', { issues: [issue] });
      const { userId: outUserId, role } = member;
      await checkSubstitute(tx, tournamentId, inUserId, role === 'captain');

      await tx.rosterMember.delete({
        where: { participantId_userId: { participantId: id, userId: outUserId } },
        select: { userId: true },
      });
      await tx.rosterMember.create({
        data: { participantId: id, userId: inUserId, tournamentId, role },
        select: { userId: true },
      });
      const change = { tournamentId, participantId: id, outUserId, inUserId, role, reason, actorId: ctx.actingUser.id };
      await tx.rosterChange.create({ data: { id: newId('rch'), ...change, createdAt: now }, select: { id: true } });
      const row = await tx.participant.update({
        where: { id },
        data: { ...(role === 'captain' ? { userId: inUserId } : {}), version: { increment: 1 } },
        select: managedSelect,
      });
      const { projectId } = tournament;
      const details = { reason, outUserId, inUserId };
      await emit(tx, ctx.by, participantEvent('participant.substituted', projectId, row, before, details));
      await audit(tx, ctx.by, {
        projectId,
        action: 'participant.substitute',
        targetType: 'participant',
        targetId: id,
        details: { tournamentId, ...details },
      });
      return toManaged(row, { userId: ctx.actingUser.id, role: ctx.scope.role, facts, place: null });
    });
  });
