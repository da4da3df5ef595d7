import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { emit, type Origin } from '@/server/events/emit';
import { recountPlayers } from '@/server/routers/matches/stats/data-claims';
import { type LockedTournament, type ParticipantRow, participantSelect } from '@/server/routers/participants/data';
import { participantEvent } from '@/server/routers/participants/data-events';
import { transitionParticipants } from '@/server/routers/participants/data-transitions';
import { invitationOf, mayLeave, toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { moveToGuest } from '@/server/routers/participants/guests/data-claims';
import { lockOwnParticipant } from '@/server/routers/participants/registration/data';
import { leftRegistration, registration } from '@/server/routers/participants/schema';
import { tournamentIdInput } from '@/server/routers/tournaments/schema';
import { userProcedure } from '@/server/trpc';
import { takeOffRoster } from './data';
import { acceptPlace } from './data-acceptance';

const tags = ['Participants'];

export const acceptMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registrations/me/accept',
      tags,
      summary: 'Accept being on a roster',
      description:
        'For players whom a captain or an organizer named. Until then they get no email about the registration, cannot report results for a team of somebody else or become captain, and their email address is not shown. Accepting again changes nothing. Checking in accepts as well, and so does reporting, confirming or disputing a result, or proposing or answering a time of a match.',
    },
    errors: ['NOT_FOUND', 'NOT_REGISTERED', 'EMAIL_NOT_CONFIRMED'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    return ctx.db.$transaction(async (tx) => {
      const { participant: before, facts, now } = await lockOwnParticipant(tx, input.tournamentId, ctx.actingUser);
      if (!before) throw refuse('NOT_REGISTERED');
      const view = { userId, place: await waitlistPosition(tx, before), facts };
      const { id } = before;
      if (!(await acceptPlace(tx, ctx.by, { participantId: id, userId }))) return toRegistration(before, view, now);
      const row = await tx.participant.findUniqueOrThrow({ where: { id }, select: participantSelect });
      return toRegistration(row, view, now);
    });
  });

/** Takes a player off the roster of a team, if they may still leave it. */
async function leaveRoster(
  tx: Tx,
  by: Origin,
  { tournament, facts }: LockedTournament,
  before: ParticipantRow,
  userId: string,
): Promise<void> {
  if (!mayLeave(before, userId, facts)) {
    throw refuse('ROSTER_LOCKED', { message: 'Rosters are locked. Ask the organizer to substitute you.' });
  }
  const { addedById } = invitationOf(before, userId);
  if (addedById !== null) {
    // A captain who names them again at once would keep them from every other team that names them.
    const refusal = { tournamentId: tournament.id, userId, namedById: addedById };
    await tx.rosterRefusal.createMany({ data: [refusal], skipDuplicates: true });
  }
  await takeOffRoster(tx, by, { projectId: tournament.projectId, before, userId });
  // A captain may name anybody, so what a team plays must not stay with a player who never agreed.
  if (!facts.beforeStart) await recountPlayers(tx, tournament.id, [{ userId, participantIds: [before.id] }]);
}

/** Takes a registration that can no longer be cancelled from an account that never agreed to it. */
async function leaveToGuest(
  tx: Tx,
  by: Origin,
  { tournament: { id: tournamentId, projectId }, facts }: LockedTournament,
  before: ParticipantRow,
  userId: string,
): Promise<void> {
  const row = await moveToGuest(tx, before, userId);
  if (!facts.beforeStart) await recountPlayers(tx, tournamentId, [{ userId, participantIds: [before.id] }]);
  await emit(tx, by, participantEvent('participant.updated', projectId, row, before, { changes: ['userId'] }));
}

export const leaveMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registrations/me/leave',
      tags,
      summary: 'Leave a roster',
      description:
        'Players who have not accepted can leave at any time, also once the tournament is over: what the team has played then no longer counts for them. Those who have accepted can leave until rosters are locked, and those whom somebody else put on the roster after that or less than a day before, because they belong to its team, until the start. A player or captain who has not accepted the registration, because an organizer or somebody else with their account made it, cancels it by leaving. Once play has begun, or the organizer has rejected or disqualified it, it stays in the tournament as a participant without an account instead, and registering again is refused while it is rejected or disqualified. Everyone else who registered cancels.',
    },
    errors: ['NOT_FOUND', 'NOT_REGISTERED', 'EMAIL_NOT_CONFIRMED', 'INVALID_STATE', 'ROSTER_LOCKED'],
  })
  .input(tournamentIdInput)
  .output(leftRegistration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    return ctx.db.$transaction(async (tx) => {
      const { participant, ...locked } = await lockOwnParticipant(tx, input.tournamentId, ctx.actingUser);
      if (!participant || participant.registrationStatus === 'cancelled') throw refuse('NOT_REGISTERED');
      const { id: participantId } = participant;
      if (participant.userId !== userId) {
        await leaveRoster(tx, ctx.by, locked, participant, userId);
        return { participantId, left: true as const };
      }
      if (!mayLeave(participant, userId, locked.facts)) {
        throw refuse('INVALID_STATE', { message: 'This is your own registration. Cancel it instead.' });
      }
      // The organizer may not allow cancelling, but this player never agreed to take part.
      const request = { trigger: 'cancel', ids: [participantId], staff: false, facts: { allowCancel: true } } as const;
      const { refused } = await transitionParticipants(tx, ctx.by, locked, request);
      if (refused.length > 0) await leaveToGuest(tx, ctx.by, locked, participant, userId);
      return { participantId, left: true as const };
    });
  });
