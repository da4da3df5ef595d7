import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import type { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { type Refusal, refuse } from '@/server/errors';
import { audit, emit, type NewEvent, type Origin } from '@/server/events/emit';
import {
  lockTournament,
  type ParticipantEventRow,
  participantEvent,
  promoteFromWaitlist,
  registrationEvent,
} from '@/server/routers/tournaments/data';
import { factsOf, type TournamentContext, tournamentContextSelect } from './data';
import { decide, type Facts, type RestorableState, type Trigger } from './rules';

/** A tournament whose row is locked until the transaction ends. */
export type LockedTournament = {
  tournament: TournamentContext;
  facts: Facts;
  /** The database's clock. */
  now: Date;
};

/** Locks a tournament; every change of its entrants begins so. */
export async function lockForParticipants(tx: Tx, tournamentId: string): Promise<LockedTournament> {
  const { row: tournament, now } = await lockTournament(tx, tournamentId, tournamentContextSelect);
  return { tournament, facts: factsOf(tournament, now), now };
}

/** Triggers that move entrants between standings; registering and editing have statements of their own. */
export type StateTrigger = Exclude<Trigger, 'register' | 'edit' | 'edit_roster' | 'substitute'>;

export type TransitionRequest = {
  trigger: StateTrigger;
  /** Who is moved, in this order. */
  ids: readonly string[];
  /** Whether staff act: then it is audited. */
  staff: boolean;
  reason?: string | null;
  /** The version that the one entrant must have. */
  version?: number;
  /** Facts that concern the caller alone. */
  facts?: Partial<Facts>;
};

const transitionSelect = {
  id: true,
  tournamentId: true,
  userId: true,
  name: true,
  type: true,
  registrationStatus: true,
  status: true,
  seed: true,
  standingBefore: true,
  version: true,
} as const satisfies Prisma.ParticipantSelect;

type TransitionRow = ParticipantEventRow & { standingBefore: unknown; version: number };
type AppliedTransition = {
  before: TransitionRow;
  to: ParticipantState;
  seed: number | null;
  standingBefore: RestorableState | null;
};

/** Who takes an entrant out keeps what reinstating brings back. */
function isRestorable(trigger: StateTrigger): boolean {
  return trigger === 'disqualify' || trigger === 'mark_no_show';
}

/** What the entrant is told and keeps; other triggers take no reason. */
function reasonOf({ trigger, reason }: TransitionRequest): string | null {
  return trigger === 'reject' || trigger === 'disqualify' ? reason || null : null;
}

function eventOf(
  trigger: StateTrigger,
  { before, to, seed }: AppliedTransition,
  projectId: string,
  reason: string | null,
): NewEvent {
  const row = { ...before, ...to, seed };
  switch (trigger) {
    case 'approve':
    case 'promote':
      return participantEvent('participant.approved', projectId, row, before);
    case 'reject':
      return participantEvent('participant.rejected', projectId, row, before, { reason });
    case 'disqualify':
      return participantEvent('participant.disqualified', projectId, row, before, { reason });
    case 'waitlist':
      return participantEvent('participant.waitlisted', projectId, row, before);
    case 'cancel':
      return participantEvent('participant.withdrawn', projectId, row, before);
    case 'check_in':
    case 'check_in_self':
      return participantEvent('participant.checked_in', projectId, row, before);
    case 'mark_no_show':
      return participantEvent('participant.no_show', projectId, row, before);
    case 'reinstate':
      return participantEvent('participant.reinstated', projectId, row, before);
    case 'remove':
      return participantEvent('participant.removed', projectId, before, before);
    case 'undo_check_in':
      return participantEvent('participant.updated', projectId, row, before, { changes: ['status'] });
    case 'reconsider':
      return participantEvent('participant.updated', projectId, row, before, { changes: ['registrationStatus'] });
  }
}

/** Seeds that reinstated entrants had and someone else has got since. */
async function takenSeeds(tx: Tx, tournamentId: string, rows: TransitionRow[]): Promise<Set<number | null>> {
  const wanted = rows.flatMap(({ standingBefore }) => (standingBefore as RestorableState | null)?.seed ?? []);
  if (wanted.length === 0) return new Set();
  const taken = await tx.participant.findMany({
    where: { tournamentId, seed: { in: wanted } },
    select: { seed: true },
  });
  return new Set(taken.map(({ seed }) => seed));
}

/** Decides about each in turn: the slots that the earlier ones take or free count for the later ones. */
async function decideAll(tx: Tx, { tournament, facts }: LockedTournament, order: TransitionRequest) {
  const { trigger, version } = order;
  const found = await tx.participant.findMany({
    where: { id: { in: [...order.ids] }, tournamentId: tournament.id },
    select: transitionSelect,
  });
  const byId = new Map(found.map((row) => [row.id, row]));
  const taken = trigger === 'reinstate' ? await takenSeeds(tx, tournament.id, found) : new Set<number | null>();
  const moved: AppliedTransition[] = [];
  const refused: { id: string; refusal: Refusal }[] = [];
  let slots = tournament.currentParticipants;
  for (const id of new Set(order.ids)) {
    const before = byId.get(id);
    if (!before) {
      const message = 'There is no such entrant in this tournament.';
      refused.push({ id, refusal: refuse('NOT_FOUND', { message }) });
      continue;
    }
    if (version !== undefined && version !== before.version) {
      refused.push({ id, refusal: refuse('VERSION_MISMATCH') });
      continue;
    }
    const kept = before.standingBefore as RestorableState | null;
    const given = { ...facts, ...order.facts, full: slots >= tournament.maxParticipants };
    const decision = decide(trigger, { ...before, before: kept }, given);
    if (decision.refused !== undefined) {
      refused.push({ id, refusal: refuse(decision.refused, { message: decision.message }) });
      continue;
    }
    slots += decision.slots;
    const keeps = seedAfter(trigger, before, decision.to, facts, taken);
    taken.add(keeps.seed);
    moved.push({ before, to: decision.to, ...keeps });
  }
  return { moved, refused, slots };
}

/** The seed after a move, and what is kept for taking it back. Before the start, who holds no slot has no seed. */
function seedAfter(
  trigger: StateTrigger,
  before: TransitionRow,
  to: ParticipantState,
  { running }: Facts,
  taken: Set<number | null>,
) {
  const { registrationStatus, status, seed } = before;
  const standingBefore = isRestorable(trigger) ? { registrationStatus, status, seed, running } : null;
  if (running) return { seed, standingBefore };
  if (!holdsSlot(to)) return { seed: null, standingBefore };
  const kept = (before.standingBefore as RestorableState | null)?.seed ?? null;
  return { seed: trigger === 'reinstate' && !taken.has(kept) ? kept : seed, standingBefore };
}

/** Writes all moves in one statement, those to the waitlist in their order. */
async function write(tx: Tx, by: Origin, order: TransitionRequest, moved: AppliedTransition[]): Promise<void> {
  const ids = moved.map(({ before }) => before.id);
  if (order.trigger === 'remove') {
    await tx.participant.deleteMany({ where: { id: { in: ids } } });
    return;
  }
  const changes = moved.map(({ before, to, seed, standingBefore }) => ({ id: before.id, ...to, seed, standingBefore }));
  const reason = reasonOf(order);
  const decidedBy = order.staff ? by.actor.id : null;
  await tx.$executeRaw`
    WITH change AS MATERIALIZED (
      SELECT c.*, CASE WHEN c."registrationStatus" = 'waitlisted' THEN nextval('participant_waitlist_order') END AS place
      FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS c("id" text,
        "registrationStatus" "registration_status", "status" "participant_status", "seed" int, "standingBefore" jsonb)
    )
    UPDATE "participant" p SET
      "registrationStatus" = c."registrationStatus", "status" = c."status", "seed" = c."seed", "waitlistOrder" = c.place,
      "standingBefore" = c."standingBefore", "statusReason" = ${reason}, "decidedById" = coalesce(${decidedBy}, p."decidedById"),
      "approvedAt" = CASE WHEN c."registrationStatus" IN ('pending', 'waitlisted') THEN NULL
        WHEN c."registrationStatus" = 'approved' AND p."registrationStatus" <> 'approved' THEN clock_timestamp()
        ELSE p."approvedAt" END,
      "checkedInAt" = CASE c."status" WHEN 'checked_in' THEN coalesce(p."checkedInAt", clock_timestamp())
        WHEN 'registered' THEN NULL ELSE p."checkedInAt" END,
      "cancelledAt" = CASE c."registrationStatus" WHEN 'cancelled' THEN clock_timestamp() END,
      "updatedAt" = clock_timestamp(), "version" = p."version" + 1
    FROM change c WHERE p."id" = c."id"`;
  // Who cancels lets go of their players, who may enter with another team.
  if (order.trigger === 'cancel') await tx.rosterMember.deleteMany({ where: { participantId: { in: ids } } });
}

/**
 * How many of those who wait get a slot. A freed slot goes to whoever waits longest; whom an organizer puts on the waitlist
 * while slots are free moves nobody else.
 */
function promotionsDue(trigger: StateTrigger, freed: number, { beforeStart, full }: Facts): number {
  return beforeStart && (trigger !== 'waitlist' || full) ? Math.max(0, freed) : 0;
}

/**
 * Moves entrants of a locked tournament: decides about each, writes them in one statement, counts the slots, gives freed
 * ones to whoever waits, and tells of it all.
 * @returns the ids that moved, why each other one did not, and the tournament as it is then
 */
export async function transitionParticipants(tx: Tx, by: Origin, locked: LockedTournament, order: TransitionRequest) {
  const { tournament, facts } = locked;
  const { id: tournamentId, projectId } = tournament;
  const { moved, refused, slots } = await decideAll(tx, locked, order);
  if (moved.length === 0) return { done: [], refused, after: locked };
  await write(tx, by, order, moved);

  const change = slots - tournament.currentParticipants;
  if (change !== 0) {
    await tx.tournament.update({
      where: { id: tournamentId },
      data: { currentParticipants: slots },
      select: { id: true },
    });
  }
  const ids = moved.map(({ before }) => before.id);
  const after = { ...tournament, currentParticipants: slots };
  const most = promotionsDue(order.trigger, -change, facts);
  const { promoted, events } = await promoteFromWaitlist(tx, after, {
    most,
    except: order.trigger === 'waitlist' ? ids : [],
  });
  after.currentParticipants += promoted;
  const fills = !facts.full && after.currentParticipants >= after.maxParticipants;
  const told = moved.map((move) => eventOf(order.trigger, move, projectId, reasonOf(order)));
  await emit(tx, by, ...told, ...events, ...(fills ? [registrationEvent('registration.full', after)] : []));
  if (order.staff) await audit(tx, by, ...ids.map((id) => auditOf(id, tournament, order)));
  return { done: ids, refused, after: { ...locked, tournament: after, facts: factsOf(after, locked.now) } };
}

function auditOf(participantId: string, { id: tournamentId, projectId }: TournamentContext, order: TransitionRequest) {
  return {
    projectId,
    action: `participant.${order.trigger}`,
    targetType: 'participant',
    targetId: participantId,
    details: { tournamentId, ...(order.reason ? { reason: order.reason } : {}) },
  };
}
