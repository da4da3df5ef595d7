import { can } from '@/domain/projects/permissions';
import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { findPlay } from '@/server/routers/matches/data-bracket';
import {
  applyDepartures,
  checkDepartures,
  countForfeits,
  mostDepartures,
} from '@/server/routers/matches/data-departures';
import { type LockedTournament, lockForParticipants, noSuchParticipant } from '@/server/routers/participants/data';
import {
  type StaffTrigger,
  type TransitionRequest,
  transitionParticipants,
} from '@/server/routers/participants/data-transitions';
import { managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { staffActions } from '@/server/routers/participants/rules';
import {
  disqualifyInput,
  type ManagedParticipant,
  managedParticipant,
  participantIdInput,
  rejectInput,
} from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import type { TenantScope } from '@/server/trpc';
import { batchResult, bulkInput, markNoShowsInput } from './schema';

const tags = ['Participants'];

type StaffContext = Context & { scope: TenantScope; tournamentId: string; by: Origin; actingUser: { id: string } };

/**
 * Applies a staff action to participants of a locked tournament. What it means for their matches follows in the same
 * transaction: a disqualified participant forfeits the open ones.
 */
async function applyAction(
  tx: Tx,
  ctx: StaffContext,
  locked: LockedTournament,
  request: { trigger: StaffTrigger } & Pick<TransitionRequest, 'ids' | 'reason' | 'version'>,
) {
  const { trigger, reason = null } = request;
  const change = { ...request, staff: true } as const;
  const isDeparture = trigger === 'disqualify' || trigger === 'withdraw' || trigger === 'reinstate';
  const play = isDeparture && !locked.facts.beforeStart ? await findPlay(tx, locked.tournament.id) : null;
  if (!play || !isDeparture) return transitionParticipants(tx, ctx.by, locked, change);
  const ids = [...new Set(request.ids)];
  const most = mostDepartures(play.bracket);
  if (ids.length > most) {
    const message = `At most ${most} ${most === 1 ? 'participant' : 'participants'} can leave or return at once. Choose fewer.`;
    throw refuse('VALIDATION_FAILED', { message, issues: [{ path: 'participantIds', message }] });
  }
  const { possible, refused } = checkDepartures(play, trigger, ids);
  const forfeits = trigger === 'reinstate' ? 0 : countForfeits(play, possible);
  const result = await transitionParticipants(tx, ctx.by, locked, { ...change, ids: possible, forfeits });
  await applyDepartures(tx, ctx.by, play, { trigger, ids: result.done, reason });
  return { ...result, refused: [...result.refused, ...refused] };
}

/** Applies an action to one participant. @returns it as it is afterwards; a removed one as it was */
async function actOnOne(
  ctx: StaffContext,
  { participantId: id, reason }: { participantId: string; reason?: string },
  trigger: StaffTrigger,
): Promise<ManagedParticipant> {
  const version = expectedVersion(ctx.ifMatch);
  const where = { id, tournamentId: ctx.tournamentId };
  return ctx.db.$transaction(async (tx) => {
    const locked = await lockForParticipants(tx, ctx.tournamentId);
    const removed = trigger === 'remove' ? await tx.participant.findUnique({ where, select: managedSelect }) : null;
    const { refused, after } = await applyAction(tx, ctx, locked, { trigger, ids: [id], reason, version });
    if (refused[0]) {
      // The bracket refuses whom it does not know before anybody asks whether the tournament does.
      const known = await tx.participant.findUnique({ where, select: { id: true } });
      throw known ? refused[0].refusal : noSuchParticipant();
    }
    const viewer = { userId: ctx.actingUser.id, role: ctx.scope.role, facts: after.facts };
    if (removed) return { ...toManaged(removed, { ...viewer, place: null }), actions: [] };
    const row = await tx.participant.findUniqueOrThrow({ where, select: managedSelect });
    return toManaged(row, { ...viewer, place: await waitlistPosition(tx, row) });
  });
}

const registrationPath = '/tournaments/{tournamentId}/registrations/{participantId}' as const;
const participantPath = '/tournaments/{tournamentId}/participants/{participantId}' as const;

export const approve = tournamentProcedure(staffActions.approve)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/approve`,
      tags,
      summary: 'Approve a pending registration',
      description: 'The participant gets a slot. Refused when none is free.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'ROSTER_FULL', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'approve'));

export const reject = tournamentProcedure(staffActions.reject)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/reject`,
      tags,
      summary: 'Reject a pending registration',
      description: 'The player gets an email, with the reason if there is one, and cannot register again.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(rejectInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'reject'));

export const waitlist = tournamentProcedure(staffActions.waitlist)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/waitlist`,
      tags,
      summary: 'Put a registration on the waitlist',
      description:
        'Puts the participant at the end of the waitlist. Possible from any state before the start. When the tournament was full, the freed slot goes to the first participant on the waitlist.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'waitlist'));

export const promote = tournamentProcedure(staffActions.promote)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/promote`,
      tags,
      summary: 'Promote from the waitlist',
      description: 'Gives a free slot to this participant, whatever their position. Refused when no slot is free.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'ROSTER_FULL', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'promote'));

export const checkIn = tournamentProcedure(staffActions.check_in)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/checkin`,
      tags,
      summary: 'Check a participant in',
      description: 'Organizers can do this before check-in opens and after it closes, until the tournament starts.',
    },
    errors: ['NOT_FOUND', 'NOT_APPROVED', 'ALREADY_CHECKED_IN', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'check_in'));

export const remove = tournamentProcedure(staffActions.remove)
  .meta({
    openapi: {
      method: 'DELETE',
      path: participantPath,
      tags,
      summary: 'Remove a participant',
      description:
        'Deletes the registration. Its slot goes to the first participant on the waitlist, and the player may register again. Once the tournament has started, disqualify the participant instead. Returns the participant as it was.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'remove'));

export const disqualify = tournamentProcedure(staffActions.disqualify)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/disqualify`,
      tags,
      summary: 'Disqualify a participant',
      description:
        'The participant can read the reason. Before the start, the slot goes to the first participant on the waitlist; in a running tournament they forfeit their open matches.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(disqualifyInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'disqualify'));

export const reinstate = tournamentProcedure(staffActions.reinstate)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/reinstate`,
      tags,
      summary: 'Reinstate a participant',
      description:
        'Undoes a disqualification or a no-show: the participant is as before, without players who are on another roster by now. Refused when no slot is free.',
    },
    errors: [
      'NOT_FOUND',
      'INVALID_STATE',
      'ROSTER_FULL',
      'VERSION_MISMATCH',
      'PLAYED_PAST',
      'AFFECTED_MATCH_IN_PROGRESS',
    ],
    wholeDraw: true,
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'reinstate'));

export const withdraw = tournamentProcedure('participants:moderate')
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/withdraw`,
      tags,
      summary: 'Withdraw a participant from a running tournament',
      description: 'They forfeit their open matches and are paired no more; results that were played stand.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(rejectInput)
  .output(managedParticipant)
  .mutation(({ ctx, input }) => actOnOne(ctx, input, 'withdraw'));

/** Applies an action to many participants in one transaction. Those it is refused for do not stop the others. */
async function actOnMany(ctx: StaffContext, request: { trigger: StaffTrigger; reason?: string; ids?: string[] }) {
  const { done, refused } = await ctx.db.$transaction(async (tx) => {
    const locked = await lockForParticipants(tx, ctx.tournamentId);
    const ids = request.ids ?? (await findNotCheckedIn(tx, ctx.tournamentId));
    return applyAction(tx, ctx, locked, { ...request, ids });
  });
  return {
    done,
    refused: refused.map(({ id, refusal }) => ({ id, code: refusal.reason, message: refusal.message })),
  };
}

async function findNotCheckedIn(tx: Tx, tournamentId: string): Promise<string[]> {
  const rows = await tx.participant.findMany({
    where: { tournamentId, registrationStatus: 'approved', status: 'registered' },
    orderBy: [{ registeredAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** One action on up to 500 participants. Disqualifying needs a reason. */
export const bulk = tournamentProcedure('participants:moderate')
  .meta({ errors: ['VALIDATION_FAILED'], quotas: ['bulkEvents'], wholeDraw: true })
  .input(bulkInput)
  .output(batchResult)
  .mutation(({ ctx, input }) => {
    const { action, participantIds: ids, reason } = input;
    if (!can(ctx.scope.role, staffActions[action])) throw refuse('FORBIDDEN');
    return actOnMany(ctx, { trigger: action, ids, reason });
  });

/** Marks participants who did not check in as no-shows, once check-in has closed. Their slots go to the waitlist. */
export const markNoShows = tournamentProcedure(staffActions.mark_no_show)
  .meta({ quotas: ['bulkEvents'], wholeDraw: true })
  .input(markNoShowsInput)
  .output(batchResult)
  .mutation(({ ctx, input }) => actOnMany(ctx, { trigger: 'mark_no_show', ids: input.participantIds }));
