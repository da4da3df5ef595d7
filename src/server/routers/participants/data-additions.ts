import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import type { Answers } from '@/domain/questions/answers';
import type { RosterRole } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { emit, type NewEvent, type Origin, record, takeBulk } from '@/server/events/emit';
import { takeQuota } from '@/server/limits/take-quota';
import { registrationEvent } from '@/server/routers/tournaments/data-events';
import type { LockedTournament, TournamentContext } from './data';
import { participantEvent } from './data-events';
import { writeRosters } from './roster/data';

/** A participant whom staff add. */
export type NewParticipant = {
  /** A new id, or that of the player's cancelled registration. */
  id: string;
  /** Null: a guest. */
  userId: string | null;
  name: string;
  to: ParticipantState;
  /** The state of the cancelled registration; null when there is none. */
  previous: ParticipantState | null;
  seed: number | null;
  answers: Answers;
  /** Players with an account have an id, guests a name. */
  roster: { userId: string | null; name: string | null; role: RosterRole }[];
};

const chunkSize = 500;

/** Parts of a list, each small enough for one statement. */
export function chunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, at) =>
    items.slice(at * chunkSize, (at + 1) * chunkSize),
  );
}

async function insert(
  tx: Tx,
  by: Origin,
  tournament: TournamentContext,
  participants: NewParticipant[],
  teams: boolean,
): Promise<void> {
  const actorId = by.actor.id;
  // Whom staff name has not agreed yet, unless they name themselves.
  const agrees = (userId: string | null) => userId === null || userId === actorId;
  const rows = participants.map(({ id, userId, name, to, seed, answers }, place) => ({
    ...{ id, userId, name, place, seed, answers, agrees: agrees(userId) },
    state: to.registrationStatus,
  }));
  const written = await tx.$executeRaw`
    INSERT INTO "participant" AS p ("id", "tournamentId", "type", "userId", "name", "registrationStatus", "seed",
      "waitlistOrder", "customFields", "customFieldsVersion", "decidedById", "acceptedAt", "registeredAt", "approvedAt",
      "updatedAt")
    SELECT e."id", ${tournament.id}, ${teams ? 'team' : 'individual'}::"participant_type", e."userId", e."name", e."state",
      e."seed", CASE WHEN e."state" = 'waitlisted' THEN nextval('participant_waitlist_order') END,
      e."answers", ${tournament.customFieldsVersion}, ${actorId},
      CASE WHEN e."agrees" THEN clock_timestamp() END, clock_timestamp(),
      CASE WHEN e."state" = 'approved' THEN clock_timestamp() END, clock_timestamp()
    FROM (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("id" text, "userId" text, "name" text,
        "place" int, "seed" int, "answers" jsonb, "agrees" boolean, "state" "registration_status") ORDER BY "place"
    ) e
    ON CONFLICT ("tournamentId", "userId") DO UPDATE SET
      "type" = EXCLUDED."type", "name" = EXCLUDED."name", "registrationStatus" = EXCLUDED."registrationStatus",
      "status" = EXCLUDED."status", "seed" = EXCLUDED."seed", "waitlistOrder" = EXCLUDED."waitlistOrder",
      "customFields" = EXCLUDED."customFields", "customFieldsVersion" = EXCLUDED."customFieldsVersion",
      "decidedById" = EXCLUDED."decidedById", "acceptedAt" = EXCLUDED."acceptedAt", "registeredAt" = EXCLUDED."registeredAt", "approvedAt" = EXCLUDED."approvedAt",
      "checkedInAt" = NULL, "cancelledAt" = NULL, "statusReason" = NULL, "standingBefore" = NULL, "teamId" = NULL,
      "updatedAt" = EXCLUDED."updatedAt", "version" = p."version" + 1
    WHERE p."registrationStatus" = 'cancelled'`;
  // Nobody else writes participants while the tournament is locked, so this is a bug and not a race.
  if (written !== participants.length) throw new Error('Not every participant was added');
  const members = participants.flatMap(({ id, roster }) =>
    roster.map((member) => ({
      ...{ ...member, participantId: id },
      acceptedAt: agrees(member.userId) ? new Date() : null,
      addedById: member.userId && actorId,
      addedByStaff: member.userId !== null,
    })),
  );
  await writeRosters(tx, tournament.id, members);
}

function eventsOf(
  { id, userId, name, to, previous, seed }: NewParticipant,
  tournament: TournamentContext,
  teams: boolean,
): NewEvent[] {
  const type = teams ? 'team' : 'individual';
  const row = { id, userId, name, type, ...to, tournamentId: tournament.id, seed } as const;
  const registered = participantEvent('participant.registered', tournament.projectId, row, previous);
  if (to.registrationStatus !== 'waitlisted') return [registered];
  return [registered, participantEvent('participant.waitlisted', tournament.projectId, row, previous)];
}

/**
 * Writes participants that were decided on under the same lock, counts their slots, and writes their events and audit
 * entries.
 * @param action the name of the audit entries
 * @throws QUOTA_EXCEEDED before anything is written
 */
export async function addParticipants(
  tx: Tx,
  by: Origin,
  { tournament, facts }: LockedTournament,
  participants: NewParticipant[],
  action: 'participant.add' | 'participant.import',
): Promise<void> {
  const { projectId } = tournament;
  const added = participants.map((one) => eventsOf(one, tournament, facts.teams));
  const guests = participants.filter(({ userId }) => userId === null).length;
  await takeBulk(tx, by, projectId, added.flat().length);
  if (guests > 0) await takeQuota(tx, 'guests', projectId, guests);
  for (const [at, part] of chunks(participants).entries()) {
    await insert(tx, by, tournament, part, facts.teams);
    const entries = part.map(({ id }) => ({
      projectId,
      action,
      targetType: 'participant' as const,
      targetId: id,
      details: { tournamentId: tournament.id },
    }));
    await record(tx, by, added.slice(at * chunkSize, (at + 1) * chunkSize).flat(), ...entries);
  }
  const taken = participants.filter(({ to }) => holdsSlot(to)).length;
  if (taken === 0) return;
  const currentParticipants = tournament.currentParticipants + taken;
  await tx.tournament.update({
    where: { id: tournament.id },
    data: { currentParticipants },
    select: { id: true },
  });
  if (!facts.full && currentParticipants >= tournament.maxParticipants) {
    await emit(tx, by, registrationEvent('registration.full', { ...tournament, currentParticipants }));
  }
}
