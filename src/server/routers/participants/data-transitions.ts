import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import type { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { type Refusal, refuse } from '@/server/errors';
import { emit, type NewEvent, type Origin, record, takeBulk } from '@/server/events/emit';
import { registrationEvent } from '@/server/routers/tournaments/data-events';
import { factsOf, type LockedTournament, noSuchParticipant, type TournamentContext } from './data';
import { type ParticipantEventRow, participantEvent } from './data-events';
import { countPromotions, promoteFromWaitlist } from './data-waitlist';
import { decide, type Facts, type RestorableState, type Trigger } from './rules';

/** Triggers that only change the state. Registering, editing and substituting write more and are elsewhere. */
export type StateTrigger = Exclude<Trigger, 'register' | 'edit' | 'edit_roster' | 'substitute'>;

/** Those that staff have; each is an action of the audit log. */
export type StaffTrigger = Exclude<StateTrigger, 'cancel' | 'check_in_self'>;

export type TransitionRequest = ({ staff: true; trigger: StaffTrigger } | { staff: false; trigger: StateTrigger }) & {
  /** The participants, in the order in which free slots are given. */
  ids: readonly string[];
  reason?: string | null;
  /** How many matches they forfeit by it. */
  forfeits?: number;
  /** The version that every one of them must have. */
  version?: number;
  /** Facts about the caller that override those of the tournament. */
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
  registeredAt: true,
  approvedAt: true,
  version: true,
} as const satisfies Prisma.ParticipantSelect;

type TransitionRow = ParticipantEventRow & {
  standingBefore: unknown;
  registeredAt: Date;
  approvedAt: Date | null;
  version: number;
};
type AppliedTransition = {
  before: TransitionRow;
  to: ParticipantState;
  seed: number | null;
  restorable: RestorableState | null;
};

/** Why participants were rejected or disqualified; other triggers store no reason. */
function reasonOf({ trigger, reason }: TransitionRequest): string | null {
  return trigger === 'reject' || trigger === 'disqualify' || trigger === 'withdraw' ? reason || null : null;
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
    case 'withdraw':
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

/** The seeds, of those that reinstated participants had, that someone else has now. */
async function takenSeeds(tx: Tx, tournamentId: string, rows: TransitionRow[]): Promise<Set<number | null>> {
  const wanted = rows.flatMap(({ standingBefore }) => (standingBefore as RestorableState | null)?.seed ?? []);
  if (wanted.length === 0) return new Set();
  const taken = await tx.participant.findMany({
    where: { tournamentId, seed: { in: wanted } },
    select: { seed: true },
  });
  return new Set(taken.map(({ seed }) => seed));
}

/** Decides for one participant after the other: a slot that one takes or frees counts for the next. */
async function decideAll(tx: Tx, { tournament, facts }: LockedTournament, request: TransitionRequest) {
  const { trigger, version } = request;
  const found = await tx.participant.findMany({
    where: { id: { in: [...request.ids] }, tournamentId: tournament.id },
    select: transitionSelect,
  });
  const byId = new Map(found.map((row) => [row.id, row]));
  const taken = trigger === 'reinstate' ? await takenSeeds(tx, tournament.id, found) : new Set<number | null>();
  const applied: AppliedTransition[] = [];
  const refused: { id: string; refusal: Refusal }[] = [];
  let slots = tournament.currentParticipants;
  for (const id of new Set(request.ids)) {
    const before = byId.get(id);
    if (!before) {
      refused.push({ id, refusal: noSuchParticipant() });
      continue;
    }
    if (version !== undefined && version !== before.version) {
      refused.push({ id, refusal: refuse('VERSION_MISMATCH') });
      continue;
    }
    const subject = { ...before, before: before.standingBefore as RestorableState | null };
    const decision = decide(trigger, subject, {
      ...facts,
      ...request.facts,
      full: slots >= tournament.maxParticipants,
    });
    if (decision.denial) {
      refused.push({ id, refusal: refuse(decision.denial.reason, { message: decision.denial.message }) });
      continue;
    }
    slots += decision.slots;
    const seed = seedAfter(trigger, before, decision.to, facts, taken);
    taken.add(seed);
    const { registrationStatus, status } = before;
    const restorable =
      trigger === 'disqualify' || trigger === 'mark_no_show'
        ? { registrationStatus, status, seed: before.seed, running: facts.running || facts.completed === true }
        : null;
    applied.push({ before, to: decision.to, seed, restorable });
  }
  return { applied, refused, slots };
}

/** The seed after a transition: before the start, participants without a slot have none. */
function seedAfter(
  trigger: StateTrigger,
  before: TransitionRow,
  to: ParticipantState,
  { running, completed }: Facts,
  taken: ReadonlySet<number | null>,
): number | null {
  if (running || completed) return before.seed;
  if (!holdsSlot(to)) return null;
  const restored = (before.standingBefore as RestorableState | null)?.seed ?? null;
  return trigger === 'reinstate' && !taken.has(restored) ? restored : before.seed;
}

/** Writes all transitions in one statement, keeping their order on the waitlist. */
async function write(tx: Tx, by: Origin, request: TransitionRequest, applied: AppliedTransition[]): Promise<void> {
  const ids = applied.map(({ before }) => before.id);
  if (request.trigger === 'remove') {
    await tx.participant.deleteMany({ where: { id: { in: ids } } });
    return;
  }
  const changes = applied.map(({ before, to, seed, restorable }) => ({
    ...{ id: before.id, ...to, seed },
    standingBefore: restorable,
  }));
  const reason = reasonOf(request);
  const decidedBy = request.staff ? by.actor.id : null;
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
      -- A player who cancelled has not agreed to take part again.
      "acceptedAt" = CASE WHEN p."registrationStatus" = 'cancelled' AND p."userId" IS DISTINCT FROM ${decidedBy} THEN NULL
        ELSE p."acceptedAt" END,
      "cancelledAt" = CASE c."registrationStatus" WHEN 'cancelled' THEN clock_timestamp() END,
      -- Whoever never agreed to a roster that somebody else chose may still register with another one.
      "cancelledRoster" = CASE WHEN c."registrationStatus" = 'cancelled' AND p."acceptedAt" IS NOT NULL THEN ARRAY(
          SELECT m."userId" FROM "roster_member" m WHERE m."participantId" = p."id" AND m."userId" IS NOT NULL)
        ELSE p."cancelledRoster" END,
      "updatedAt" = clock_timestamp(), "version" = p."version" + 1
    FROM change c WHERE p."id" = c."id"`;
  // Players of a team that cancelled may register with another team.
  if (request.trigger === 'cancel') await tx.rosterMember.deleteMany({ where: { participantId: { in: ids } } });
}

/**
 * How many participants to promote for the slots that were freed. Moving someone to the waitlist of a tournament that
 * has free slots frees nothing that others wait for.
 */
function promotionsDue(trigger: StateTrigger, freed: number, { beforeStart, full }: Facts): number {
  return beforeStart && (trigger !== 'waitlist' || full) ? Math.max(0, freed) : 0;
}

/**
 * Applies one trigger to participants of a locked tournament: decides for each, writes the new states and the number of
 * taken slots, promotes from the waitlist, and emits the events.
 * @returns the ids it was applied to, why it was refused for the others, and the tournament as it is afterwards
 * @throws QUOTA_EXCEEDED before anything is written, where staff change too many
 */
export async function transitionParticipants(tx: Tx, by: Origin, locked: LockedTournament, request: TransitionRequest) {
  const { tournament, facts } = locked;
  const { id: tournamentId, projectId } = tournament;
  const { applied, refused, slots } = await decideAll(tx, locked, request);
  if (applied.length === 0) return { done: [], refused, after: locked };
  const ids = applied.map(({ before }) => before.id);
  const due = promotionsDue(request.trigger, tournament.currentParticipants - slots, facts);
  if (request.staff) {
    const promotions = await countPromotions(tx, tournamentId, { limit: due, exclude: ids });
    await takeBulk(tx, by, projectId, applied.length + promotions + (request.forfeits ?? 0));
  }
  await write(tx, by, request, applied);

  if (slots !== tournament.currentParticipants) {
    await tx.tournament.update({
      where: { id: tournamentId },
      data: { currentParticipants: slots },
      select: { id: true },
    });
  }
  const after = { ...tournament, currentParticipants: slots };
  const { promoted, events } = await promoteFromWaitlist(tx, after, {
    limit: due,
    exclude: request.trigger === 'waitlist' ? ids : [],
  });
  after.currentParticipants += promoted;
  const filled = !facts.full && after.currentParticipants >= after.maxParticipants;
  const own = applied.map((transition) => eventOf(request.trigger, transition, projectId, reasonOf(request)));
  const all = [...own, ...events, ...(filled ? [registrationEvent('registration.full', after)] : [])];
  if (request.staff) {
    const { trigger, reason } = request;
    await record(tx, by, all, ...ids.map((id) => auditEntry(id, tournament, trigger, reason)));
  } else await emit(tx, by, ...all);
  return { done: ids, refused, after: { ...locked, tournament: after, facts: factsOf(after, locked.now) } };
}

function auditEntry(
  participantId: string,
  { id: tournamentId, projectId }: TournamentContext,
  trigger: StaffTrigger,
  reason: string | null | undefined,
) {
  return {
    projectId,
    action: `participant.${trigger}` as const,
    targetType: 'participant' as const,
    targetId: participantId,
    details: { tournamentId, ...(reason ? { reason } : {}) },
  };
}
