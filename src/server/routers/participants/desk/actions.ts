import { can } from '@/domain/projects/permissions';
import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { waitlistPosition } from '@/server/routers/participants/data';
import {
  type LockedTournament,
  lockForParticipants,
  type TransitionRequest,
  transitionParticipants,
} from '@/server/routers/participants/data-transitions';
import { type ManagedRow, managedSelect, toManaged } from '@/server/routers/participants/data-views';
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

export type StaffRequest = {
  ctx: Context & { scope: TenantScope; tournamentId: string; by: Origin; actingUser: { id: string } };
};

/** An entrant of the tournament, as who manages it sees it now. */
export async function presentManaged(
  tx: Tx,
  { ctx }: StaffRequest,
  row: ManagedRow,
  { facts }: Pick<LockedTournament, 'facts'>,
): Promise<ManagedParticipant> {
  const place = await waitlistPosition(tx, row);
  return toManaged(row, { userId: ctx.actingUser.id, role: ctx.scope.role, facts, place });
}

/** Moves one entrant, or throws why not. @returns it as it is then; one that is gone, as it was */
async function transitionOne(
  gate: StaffRequest & { input: { participantId: string; reason?: string } },
  trigger: TransitionRequest['trigger'],
): Promise<ManagedParticipant> {
  const { ctx, input } = gate;
  const version = expectedVersion(ctx.ifMatch);
  const { participantId: id, reason } = input;
  return ctx.db.$transaction(async (tx) => {
    const locked = await lockForParticipants(tx, ctx.tournamentId);
    const where = { id, tournamentId: ctx.tournamentId };
    const last = trigger === 'remove' ? await tx.participant.findUnique({ where, select: managedSelect }) : null;
    const order = { trigger, ids: [id], staff: true, reason, version };
    const { refused, after } = await transitionParticipants(tx, ctx.by, locked, order);
    if (refused[0]) throw refused[0].refusal;
    if (last) return { ...(await presentManaged(tx, gate, { ...last, waitlistOrder: null }, after)), actions: [] };
    return presentManaged(tx, gate, await tx.participant.findUniqueOrThrow({ where, select: managedSelect }), after);
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
      description: 'The entrant takes a slot; refused when none is free.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'ROSTER_FULL', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'approve'));

export const reject = tournamentProcedure(staffActions.reject)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/reject`,
      tags,
      summary: 'Reject a pending registration',
      description: 'The player is told, with the reason where one is given, and cannot register again.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(rejectInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'reject'));

export const waitlist = tournamentProcedure(staffActions.waitlist)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/waitlist`,
      tags,
      summary: 'Put a registration on the waitlist',
      description:
        'At the end of the queue, from any state before the start. A slot of a full tournament that this frees goes to whoever waits longest.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'waitlist'));

export const promote = tournamentProcedure(staffActions.promote)
  .meta({
    openapi: {
      method: 'PATCH',
      path: `${registrationPath}/promote`,
      tags,
      summary: 'Promote from the waitlist',
      description: 'Out of turn, where a slot is free; refused when none is.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'ROSTER_FULL', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'promote'));

export const checkIn = tournamentProcedure(staffActions.check_in)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/checkin`,
      tags,
      summary: 'Check an entrant in',
      description: 'Organizers may, before the window opens and after it closed, until the tournament starts.',
    },
    errors: ['NOT_FOUND', 'NOT_APPROVED', 'ALREADY_CHECKED_IN', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'check_in'));

export const remove = tournamentProcedure(staffActions.remove)
  .meta({
    openapi: {
      method: 'DELETE',
      path: participantPath,
      tags,
      summary: 'Remove an entrant',
      description:
        'The registration is deleted, its slot goes to whoever waits longest, and the player may register again. Once the tournament has started, disqualify instead. Answers with the entrant as it was.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'remove'));

export const disqualify = tournamentProcedure(staffActions.disqualify)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/disqualify`,
      tags,
      summary: 'Disqualify an entrant',
      description: 'With a reason, which the entrant reads. Before the start the slot goes to whoever waits longest.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(disqualifyInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'disqualify'));

export const reinstate = tournamentProcedure(staffActions.reinstate)
  .meta({
    openapi: {
      method: 'POST',
      path: `${participantPath}/reinstate`,
      tags,
      summary: 'Take a disqualification back',
      description: 'The entrant stands as before; refused when the slot has gone. So is a no-show taken back.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'ROSTER_FULL', 'VERSION_MISMATCH'],
  })
  .input(participantIdInput)
  .output(managedParticipant)
  .mutation((gate) => transitionOne(gate, 'reinstate'));

/** Moves many, all in one transaction; who cannot be moved is named, and stops nobody else. */
async function transitionMany(
  { ctx }: StaffRequest,
  order: Pick<TransitionRequest, 'trigger' | 'reason'> & { ids?: string[] },
) {
  const { done, refused } = await ctx.db.$transaction(async (tx) => {
    const locked = await lockForParticipants(tx, ctx.tournamentId);
    const ids = order.ids ?? (await notCheckedIn(tx, ctx.tournamentId));
    return transitionParticipants(tx, ctx.by, locked, { ...order, ids, staff: true });
  });
  return {
    done,
    refused: refused.map(({ id, refusal }) => ({ id, code: refusal.reason, message: refusal.message })),
  };
}

async function notCheckedIn(tx: Tx, tournamentId: string): Promise<string[]> {
  const rows = await tx.participant.findMany({
    where: { tournamentId, registrationStatus: 'approved', status: 'registered' },
    orderBy: [{ registeredAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** One action on up to 500 entrants, for the desk. Disqualifying needs a reason. */
export const bulk = tournamentProcedure('participants:moderate')
  .meta({ errors: ['VALIDATION_FAILED'] })
  .input(bulkInput)
  .output(batchResult)
  .mutation((gate) => {
    const { action, participantIds: ids, reason } = gate.input;
    if (!can(gate.ctx.scope.role, staffActions[action])) throw refuse('FORBIDDEN');
    return transitionMany(gate, { trigger: action, ids, reason });
  });

/** Marks who did not check in once check-in has closed: they lose their slots to whoever waits. */
export const markNoShows = tournamentProcedure(staffActions.mark_no_show)
  .input(markNoShowsInput)
  .output(batchResult)
  .mutation((gate) => transitionMany(gate, { trigger: 'mark_no_show', ids: gate.input.participantIds }));
