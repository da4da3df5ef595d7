import type { ParticipantState } from '@/domain/participants/statuses';
import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import type { Answers } from '@/domain/questions/answers';
import { registrationWindow } from '@/domain/tournaments/schedule';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import { columnsOf, db, rowsOf, type Tx } from '@/server/db';
import { announceAfterCommit, type eventRows } from '@/server/events/emit';
import { Batcher } from '@/server/jobs/embedded/batcher';
import {
  findOwnParticipant,
  type LockedTournament,
  lockForParticipants,
  type ParticipantRow,
  type TournamentContext,
  tournamentContextSelect,
} from '@/server/routers/participants/data';
import type { AccountRoster } from '@/server/routers/participants/roster/data';
import { roleIn } from '@/server/routers/projects/data';
import { noSuchTournament, tournamentKey } from '@/server/routers/tournaments/data';

const contextColumns = columnsOf('t', tournamentContextSelect);

/** A tournament and the player's own registration, read by one statement. */
export type RegistrationContext = {
  tournament: TournamentContext;
  /** The database's clock. */
  now: Date;
  own: (ParticipantState & { id: string }) | null;
};

type ContextRow = TournamentContext & {
  now: Date;
  role: ProjectRole | null;
  participantId: string | null;
  registrationStatus: ParticipantState['registrationStatus'];
  participantStatus: ParticipantState['status'];
};

type ContextRequest = { idOrSlug: string; userId: string };

/** The contexts of players in tournaments, in order; null where there is no such tournament. */
async function readContexts(tx: Tx, column: 'id' | 'slug', asked: ContextRequest[]): Promise<(ContextRow | null)[]> {
  const rows = await rowsOf<ContextRow & { place: number }>(
    tx,
    Prisma.sql`
    SELECT ${contextColumns}, clock_timestamp() AS now, m."role",
           p."id" AS "participantId", p."registrationStatus", p."status" AS "participantStatus", a."place"::int
    FROM unnest(${asked.map(({ idOrSlug }) => idOrSlug)}::text[], ${asked.map(({ userId }) => userId)}::text[])
      WITH ORDINALITY AS a("key", "userId", "place")
    JOIN "tournament" t ON t.${Prisma.raw(`"${column}"`)} = a."key"
    LEFT JOIN "member" m ON m."projectId" = t."projectId" AND m."userId" = a."userId"
    LEFT JOIN "participant" p ON p."tournamentId" = t."id" AND p."userId" = a."userId"`,
  );
  const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]));
  return asked.map((_, index) => byPlace.get(index + 1) ?? null);
}

/** Requests that arrive while a statement runs share the next one. */
const contexts = {
  id: new Batcher<ContextRequest, ContextRow | null>(50, (asked) => readContexts(db, 'id', asked)),
  slug: new Batcher<ContextRequest, ContextRow | null>(50, (asked) => readContexts(db, 'slug', asked)),
};

/**
 * Reads, without a lock, what a registration depends on. `createRegistration` checks that it still holds.
 * @throws NOT_FOUND when the player may not see the tournament
 */
export async function readRegistrationContext(tx: Tx, idOrSlug: string, userId: string): Promise<RegistrationContext> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const asked = { idOrSlug, userId };
  const row = tx === db ? await contexts[column].add(asked) : (await readContexts(tx, column, [asked]))[0];
  if (!row || (!row.role && !isVisibleOutside(row))) throw noSuchTournament();
  const { now, participantId, registrationStatus, participantStatus } = row;
  const own = participantId ? { id: participantId, registrationStatus, status: participantStatus } : null;
  return { tournament: row, now, own };
}

/**
 * Locks a tournament for a player, and reads the participant that they are, or on whose roster they are.
 * @throws NOT_FOUND when the player may not see the tournament
 */
export async function lockOwnParticipant(
  tx: Tx,
  idOrSlug: string,
  userId: string,
): Promise<LockedTournament & { participant: ParticipantRow | null }> {
  const locked = await lockForParticipants(tx, idOrSlug);
  const { id, projectId } = locked.tournament;
  const participant = await findOwnParticipant(tx, id, userId);
  const isRegistered = activeRegistrationStatuses.some((status) => status === participant?.registrationStatus);
  if (!isRegistered && !isVisibleOutside(locked.tournament) && !(await roleIn(tx, projectId, userId))) {
    throw noSuchTournament();
  }
  return { ...locked, participant };
}

export type NewRegistration = {
  /** A new id, or that of the player's cancelled registration. */
  id: string;
  /** Whether it replaces the player's cancelled registration. */
  again: boolean;
  type: 'individual' | 'team';
  userId: string;
  name: string;
  /** The team it registers as, if there is one. */
  teamId: string | null;
  answers: Answers;
  roster: AccountRoster;
  /** The status when a slot is free, and when none is; null: then nothing is written. */
  onFree: ParticipantState['registrationStatus'];
  onFull: ParticipantState['registrationStatus'] | null;
  /** The events to write, by what the lock finds: a free slot, the last free slot, no free slot. */
  events: Record<'free' | 'last' | 'full', ReturnType<typeof eventRows>>;
};

/** The part of the statement that writes the participant as `chosen`, if their registration has not changed. */
function registrationStatement(tournament: TournamentContext, registration: NewRegistration): Prisma.Sql {
  const { id, again, type, userId, name, teamId, answers } = registration;
  const place = Prisma.sql`CASE WHEN state = 'waitlisted' THEN nextval('participant_waitlist_order') END`;
  const approvedAt = Prisma.sql`CASE WHEN state = 'approved' THEN clock_timestamp() END`;
  const customFields = Prisma.sql`${JSON.stringify(answers)}::jsonb`;
  if (again) {
    // An update and not an upsert: the row may have been removed in the meantime, and then nothing may be written.
    return Prisma.sql`
      UPDATE "participant" p SET "type" = ${type}::"participant_type", "name" = ${name}, "teamId" = ${teamId},
        "registrationStatus" = state, "status" = 'registered', "seed" = NULL, "waitlistOrder" = ${place},
        "customFields" = ${customFields}, "customFieldsVersion" = ${tournament.customFieldsVersion},
        "registeredAt" = clock_timestamp(), "approvedAt" = ${approvedAt}, "checkedInAt" = NULL, "cancelledAt" = NULL,
        "statusReason" = NULL, "standingBefore" = NULL, "decidedById" = NULL, "acceptedAt" = clock_timestamp(),
        "updatedAt" = clock_timestamp(),
        "version" = p."version" + 1
      FROM chosen WHERE p."id" = ${id} AND p."registrationStatus" = 'cancelled'`;
  }
  return Prisma.sql`
      INSERT INTO "participant" AS p ("id", "tournamentId", "type", "userId", "name", "teamId",
        "registrationStatus", "waitlistOrder", "customFields", "customFieldsVersion", "registeredAt", "approvedAt", "updatedAt")
      SELECT ${id}, ${tournament.id}, ${type}::"participant_type", ${userId}, ${name}, ${teamId}, state, ${place},
        ${customFields}, ${tournament.customFieldsVersion}, clock_timestamp(), ${approvedAt}, clock_timestamp()
      FROM chosen
      ON CONFLICT ("tournamentId", "userId") DO NOTHING`;
}

/**
 * Writes a registration, counts its slot and writes its events in one statement, so that the tournament stays locked for
 * no extra round trip. The caller has decided every case before; the locked row selects the case.
 * @returns null when the decision is out of date: the settings changed, registration closed, the last slot was taken and
 *   there is no waitlist, or the player's own registration changed. Read again and decide again.
 */
export async function createRegistration(
  tx: Tx,
  tournament: TournamentContext,
  registration: NewRegistration,
): Promise<ParticipantRow | null> {
  const { roster, onFree, onFull, events } = registration;
  const write = registrationStatement(tournament, registration);
  const closesAt = new Date(registrationWindow(tournament).closesAt);
  const members = roster.map(({ userId, role, acceptedAt, addedById }) => ({ userId, role, acceptedAt, addedById }));
  const rosterRows =
    members.length === 0
      ? Prisma.empty
      : Prisma.sql`, roster_rows AS (
          INSERT INTO "roster_member" ("participantId", "userId", "tournamentId", "role", "acceptedAt", "addedById")
          SELECT created."id", member."userId", created."tournamentId", member."role", member."acceptedAt", member."addedById"
          FROM created, jsonb_to_recordset(${JSON.stringify(members)}::jsonb)
            AS member("userId" text, "role" "roster_role", "acceptedAt" timestamptz, "addedById" text))`;
  type Written = Omit<ParticipantRow, 'roster'> & { free: boolean; last: boolean };
  const [written] = await rowsOf<Written>(
    tx,
    Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT "currentParticipants" AS taken, "currentParticipants" < "maxParticipants" AS free,
        "currentParticipants" + 1 = "maxParticipants" AS last
      FROM "tournament"
      WHERE "id" = ${tournament.id} AND "version" = ${tournament.version} AND clock_timestamp() < ${closesAt} FOR UPDATE
    ), chosen AS MATERIALIZED (
      SELECT CASE WHEN free THEN ${onFree} ELSE ${onFull} END::"registration_status" AS state,
        CASE WHEN last THEN ${JSON.stringify(events.last)} WHEN free THEN ${JSON.stringify(events.free)}
          ELSE ${JSON.stringify(events.full)} END::jsonb AS events
      FROM locked WHERE free OR ${onFull}::text IS NOT NULL
    ), created AS (
      ${write}
      RETURNING p."id", p."tournamentId", p."type", p."userId", p."name", p."teamId", p."registrationStatus", p."status", p."seed",
        p."statusReason", p."waitlistOrder", p."customFields", p."customFieldsVersion", p."acceptedAt", p."decidedById", p."registeredAt", p."approvedAt", p."checkedInAt", p."cancelledAt", p."version"
    ), counted AS (
      -- Counts from the locked row: t is the row as the statement first saw it, and CHECKs would run on that.
      UPDATE "tournament" t SET "currentParticipants" = locked.taken + 1
      FROM created, locked WHERE t."id" = created."tournamentId" AND created."registrationStatus" = 'approved'
    )${rosterRows}, emitted AS (
      INSERT INTO "domain_event" ("id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload",
        "metadata", "occurredAt")
      SELECT event->>'id', event->>'projectId', event->>'type', (event->>'version')::int, event->>'aggregateType',
        event->>'aggregateId', event->'payload', event->'metadata', clock_timestamp()
      FROM created, chosen, jsonb_array_elements(chosen.events) WITH ORDINALITY AS e(event, place) ORDER BY place
    )
    SELECT created.*, locked.free, locked.last FROM created, locked`,
  );
  if (!written) return null;
  const { free, last, ...row } = written;
  announceAfterCommit(tx, last ? events.last : free ? events.free : events.full);
  return { ...row, roster };
}
