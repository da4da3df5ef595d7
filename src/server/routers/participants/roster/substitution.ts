import { newId } from '@/domain/ids';
import { isBeingPlayed } from '@/domain/matches/play';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { record } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { requireRoom } from '@/server/limits/take-quota';
import { recountPlayers } from '@/server/routers/matches/stats/data-claims';
import { lockForParticipants, noSuchParticipant, requireAllowed } from '@/server/routers/participants/data';
import { participantEvent } from '@/server/routers/participants/data-events';
import { invitationOf, type ManagedRow, managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { decide, staffActions } from '@/server/routers/participants/rules';
import { managedParticipant, substituteInput } from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { agreedPlayers, findRostered, holdAgreements, leaveUnaccepted, wasNamedElsewhere } from './data';
import { findReplaced, withAccounts } from './rules';

/**
 * Checks that a player can join a roster of the tournament. The captain owns the registration, so only a player who has
 * agreed to play for the team can become it: an organizer could make any stranger the registrant otherwise.
 * @param team.agreed whether the player is a member of the team
 * @throws VALIDATION_FAILED for an unknown or suspended player and for a captain from outside, ALREADY_ON_ROSTER,
 *   ALREADY_REGISTERED
 */
async function checkSubstitute(
  tx: Tx,
  tournamentId: string,
  userId: string,
  team: { before: ManagedRow; agreed: boolean; asCaptain: boolean },
): Promise<void> {
  const { before, agreed, asCaptain } = team;
  const user = await tx.user.findUnique({
    where: { id: userId, suspendedAt: null },
    select: {
      name: true,
      participations: { where: { tournamentId, id: { not: before.id } }, select: { id: true } },
    },
  });
  if (!user) {
    const issues = [{ path: 'substituteUserId', message: 'There is no such player.' }];
    throw refuse('VALIDATION_FAILED', { issues });
  }
  const own = before.roster.find((member) => member.userId === userId);
  // A player can have only one registration in a tournament, and one that they cancelled is one too.
  if (asCaptain && (own?.acceptedAt || agreed) && user.participations.length > 0) {
    const message = `${user.name} has a registration of their own in this tournament. Remove it first.`;
    throw refuse('ALREADY_REGISTERED', { message });
  }
  if (asCaptain && own?.acceptedAt) return;
  const rostered = await findRostered(tx, { tournamentId, userIds: [userId], except: before.id });
  if ((own && !asCaptain) || rostered.has(userId)) {
    throw refuse('ALREADY_ON_ROSTER', { message: `${user.name} is already on a roster of this tournament.` });
  }
  if (asCaptain && !agreed) {
    const message =
      'A captain can only be replaced by a member of the team or a player of the roster who has accepted.';
    throw refuse('VALIDATION_FAILED', { issues: [{ path: 'substituteUserId', message }] });
  }
}

/**
 * Whether a player has agreed to play for the team of a participant: as a member of it, or of one that its captain
 * leads, who has agreed too. Otherwise staff who name a known captain could name the captain's whole team.
 */
async function hasAgreed(
  tx: Tx,
  { teamId, userId: captainId, acceptedAt }: ManagedRow,
  userId: string,
): Promise<boolean> {
  if (captainId && acceptedAt && (await agreedPlayers(tx, captainId, [userId])).has(userId)) return true;
  if (!teamId) return false;
  const member = await tx.teamMember.findUnique({
    where: { teamId_userId: { teamId, userId }, team: { disbandedAt: null } },
    select: { userId: true },
  });
  return member !== null;
}

/**
 * A result counts for the roster that played it, so nobody is replaced between the start of a match and its result.
 * @throws ROSTER_LOCKED
 */
async function requireNoMatchInPlay(tx: Tx, participantId: string): Promise<void> {
  const sides = [{ participantAId: participantId }, { participantBId: participantId }];
  const open = await tx.match.findMany({
    where: { OR: sides, status: { in: ['in_progress', 'disputed'] } },
    select: { number: true, status: true, report: true, startedAt: true },
  });
  const playing = open.find(isBeingPlayed);
  if (!playing) return;
  const message = `This team plays match ${playing.number} now. Substitute the player when it is decided.`;
  throw refuse('ROSTER_LOCKED', { message });
}

export const substitute = tournamentProcedure(staffActions.substitute)
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/{participantId}/substitute',
      tags: ['Participants'],
      summary: 'Substitute a player of a team',
      description:
        'Replaces a player with someone else, who takes over the role and leaves a roster of another team on which its captain put them and which they have not accepted. Anyone else who is on a roster of the tournament is refused. Works after rosters are locked, but not while a match of the team is being played or disputed; a report alone does not count as that. A player who is replaced without having accepted has then played nothing. A substitute who is not a member of the team is asked to accept. A substitute for the captain takes over the registration, and has to be a member of the team, who is asked to accept it, or a player of the roster who has accepted.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_A_TEAM',
      'NOT_APPROVED',
      'INVALID_STATE',
      'ALREADY_ON_ROSTER',
      'ALREADY_REGISTERED',
      'ROSTER_LOCKED',
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
      await holdAgreements(tx, { id, tournamentId, joining: inUserId });
      const before = await tx.participant.findUnique({ where: { id, tournamentId }, select: managedSelect });
      if (!before) throw noSuchParticipant();
      if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
      requireAllowed(decide('substitute', before, facts));
      await requireNoMatchInPlay(tx, id);
      const { member, issue } = findReplaced(withAccounts(before.roster), input.replacedUserId);
      if (!member) throw refuse('VALIDATION_FAILED', { issues: [issue] });
      const { userId: outUserId, role } = member;
      const outAccepted = !invitationOf(before, outUserId).mustAccept;
      const own = before.roster.find((one) => one.userId === inUserId);
      const asCaptain = role === 'captain';
      const agreed = await hasAgreed(tx, before, inUserId);
      await checkSubstitute(tx, tournamentId, inUserId, { before, agreed, asCaptain });
      requireRoom('substitutions', id, await tx.rosterChange.count({ where: { participantId: id } }));

      const leaving = { tournamentId, userIds: [inUserId], except: id };
      const wasNamed = await wasNamedElsewhere(tx, leaving);
      const left = wasNamed ? await leaveUnaccepted(tx, ctx.by, tournament.projectId, leaving) : [];
      const joining = { participantId: id, userId: { in: [outUserId, inUserId] } };
      await tx.rosterMember.deleteMany({ where: joining });
      const acceptedAt = agreed || asCaptain ? now : null;
      await tx.rosterMember.create({
        data: {
          ...{ participantId: id, userId: inUserId, tournamentId, role, acceptedAt },
          ...{ addedById: ctx.actingUser.id, addedByStaff: true },
        },
        select: { userId: true },
      });
      const people = { outUserId, outAccepted, inUserId, inWasOn: own !== undefined, actorId: ctx.actingUser.id };
      const change = { tournamentId, participantId: id, role, reason, ...people };
      await tx.rosterChange.create({ data: { id: newId('rch'), ...change, createdAt: now }, select: { id: true } });
      if (!facts.beforeStart) {
        await recountPlayers(tx, tournamentId, [
          ...(wasNamed ? [{ userId: inUserId, participantIds: left }] : []),
          ...(outAccepted ? [] : [{ userId: outUserId, participantIds: [id] }]),
        ]);
      }
      // A member of the team has agreed to play for it, and not that the staff of this tournament learn their address.
      const hasAccepted = inUserId === ctx.actingUser.id || (own?.acceptedAt != null && own.addedById === null);
      const registrant = { userId: inUserId, acceptedAt: hasAccepted ? now : null };
      const row = await tx.participant.update({
        where: { id },
        data: { ...(asCaptain ? registrant : {}), version: { increment: 1 } },
        select: managedSelect,
      });
      const { projectId } = tournament;
      const details = { reason, outUserId, inUserId };
      await record(tx, ctx.by, [participantEvent('participant.substituted', projectId, row, before, details)], {
        projectId,
        action: 'participant.substitute',
        targetType: 'participant',
        targetId: id,
        details: { tournamentId, ...details },
      });
      return toManaged(row, { userId: ctx.actingUser.id, role: ctx.scope.role, facts, place: null });
    });
  });
