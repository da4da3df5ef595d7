import type { ParticipantState } from '@/domain/participants/statuses';
import type { Answers } from '@/domain/questions/answers';
import {
  checkInWindow,
  isCheckInOpen,
  isRegistrationOpen,
  phaseOf,
  registrationWindow,
} from '@/domain/tournaments/schedule';
import { customFieldDefinition } from '@/domain/tournaments/settings';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { ParticipantGetPayload, TournamentGetPayload } from '@/generated/prisma/models';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { eventRows } from '@/server/events/emit';
import { roleIn } from '@/server/routers/projects/data';
import { lockTournament, noSuchTournament, tournamentKey } from '@/server/routers/tournaments/data';
import type { RosterInput } from './roster/rules';
import type { Decision, Facts } from './rules';

/** What decisions about entrants need to know of a tournament. */
export const tournamentContextSelect = {
  id: true,
  projectId: true,
  slug: true,
  name: true,
  status: true,
  visibility: true,
  version: true,
  startDate: true,
  publishedAt: true,
  registrationOpensAt: true,
  registrationClosesAt: true,
  checkInOpensAt: true,
  checkInClosesAt: true,
  maxParticipants: true,
  currentParticipants: true,
  teamSize: true,
  rosterMin: true,
  rosterMax: true,
  requiresApproval: true,
  waitlistEnabled: true,
  allowCancel: true,
  allowEdit: true,
  rosterLockAt: true,
  requiresAntiCheat: true,
  customFields: true,
  customFieldsVersion: true,
} as const satisfies Prisma.TournamentSelect;
export type TournamentContext = TournamentGetPayload<{ select: typeof tournamentContextSelect }>;

const contextColumns = Prisma.raw(
  Object.keys(tournamentContextSelect)
    .map((column) => `t."${column}"`)
    .join(', '),
);

/** A tournament and what stands about the player, as one statement saw them. */
export type RegistrationContext = {
  tournament: TournamentContext;
  /** The database's clock. */
  now: Date;
  state: (ParticipantState & { id: string }) | null;
};

type RegistrationContextRow = TournamentContext & {
  now: Date;
  role: ProjectRole | null;
  participantId: string | null;
  registrationStatus: ParticipantState['registrationStatus'];
  participantStatus: ParticipantState['status'];
};

/**
 * Reads what a registration is decided on, without a lock: `enter` holds the decision to it.
 * @throws NOT_FOUND when the player may not see the tournament
 */
export async function readRegistrationContext(tx: Tx, idOrSlug: string, userId: string): Promise<RegistrationContext> {
  const [row] = await tx.$queryRaw<RegistrationContextRow[]>`
    SELECT ${contextColumns}, clock_timestamp() AS now, m."role",
           p."id" AS "participantId", p."registrationStatus", p."status" AS "participantStatus"
    FROM "tournament" t
    LEFT JOIN "member" m ON m."projectId" = t."projectId" AND m."userId" = ${userId}
    LEFT JOIN "participant" p ON p."tournamentId" = t."id" AND p."userId" = ${userId}
    WHERE ${isTournament(idOrSlug)}`;
  if (!row || (!row.role && !isVisibleOutside(row))) throw noSuchTournament();
  const { now, participantId, registrationStatus, participantStatus } = row;
  const standing = participantId ? { id: participantId, registrationStatus, status: participantStatus } : null;
  return { tournament: row, now, state: standing };
}

/**
 * Locks a tournament for a player who is in it or on a roster, and reads it and them.
 * @throws NOT_FOUND when they may not see the tournament
 */
export async function lockOwnParticipant(tx: Tx, idOrSlug: string, userId: string) {
  const { row: tournament, now } = await lockTournament(tx, idOrSlug, tournamentContextSelect);
  if (!isVisibleOutside(tournament) && !(await roleIn(tx, tournament.projectId, userId))) throw noSuchTournament();
  const entrant = await findOwnParticipant(tx, tournament.id, userId);
  return { tournament, entrant, facts: factsOf(tournament, now), now };
}

function isTournament(idOrSlug: string): Prisma.Sql {
  const key = tournamentKey(idOrSlug);
  return 'id' in key ? Prisma.sql`t."id" = ${key.id}` : Prisma.sql`t."slug" = ${key.slug}`;
}

/** The facts of a tournament at a moment. */
export function factsOf(tournament: TournamentContext, now: Date): Facts {
  return {
    beforeStart: tournament.status === 'PUBLISHED',
    running: tournament.status === 'IN_PROGRESS',
    registrationOpen: isRegistrationOpen(tournament, now.getTime()),
    checkInOpen: isCheckInOpen(tournament, now.getTime()),
    // Where checking in was never asked for, nobody missed it.
    checkInOver: tournament.checkInOpensAt !== null && phaseOf(checkInWindow(tournament), now.getTime()) === 'after',
    full: tournament.currentParticipants >= tournament.maxParticipants,
    requiresApproval: tournament.requiresApproval,
    waitlistEnabled: tournament.waitlistEnabled,
    allowCancel: tournament.allowCancel,
    allowEdit: tournament.allowEdit,
    teams: tournament.teamSize > 1,
    rosterLocked: tournament.rosterLockAt !== null && tournament.rosterLockAt <= now,
    // Only checking oneself in asks for the client itself.
    antiCheatMissing: tournament.requiresAntiCheat,
  };
}

/** The decision, or its refusal thrown. */
export function requireAllowed(decision: Decision): Exclude<Decision, { refused: string }> {
  if (decision.refused !== undefined) throw refuse(decision.refused, { message: decision.message });
  return decision;
}

export const participantSelect = {
  id: true,
  tournamentId: true,
  type: true,
  userId: true,
  name: true,
  teamId: true,
  registrationStatus: true,
  status: true,
  seed: true,
  statusReason: true,
  waitlistOrder: true,
  customFields: true,
  customFieldsVersion: true,
  registeredAt: true,
  approvedAt: true,
  checkedInAt: true,
  cancelledAt: true,
  version: true,
  roster: {
    select: { userId: true, role: true, user: { select: { name: true } } },
    orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { userId: 'asc' }],
  },
} as const satisfies Prisma.ParticipantSelect;
export type ParticipantRow = ParticipantGetPayload<{ select: typeof participantSelect }>;

export type NewRegistration = {
  /** A new id, or, when they register `again`, that of the registration which they cancelled. */
  id: string;
  again: boolean;
  type: 'individual' | 'team';
  userId: string;
  name: string;
  /** The team that it enters as, if as one. */
  teamId: string | null;
  answers: Answers;
  roster: ParticipantRow['roster'];
  /** What the entrant becomes when a slot is free, and when none is; null: nothing is written then. */
  onFree: ParticipantState['registrationStatus'];
  onFull: ParticipantState['registrationStatus'] | null;
  /** Rows of events for each of what the lock may find: a free slot, the last one, none. */
  events: Record<'free' | 'last' | 'full', ReturnType<typeof eventRows>>;
};

/** The statement that writes an entrant as `chosen`; it writes nothing where another standing is found than was read. */
function registrationStatement(tournament: TournamentContext, entrant: NewRegistration): Prisma.Sql {
  const { id, again, type, userId, name, teamId, answers } = entrant;
  const place = Prisma.sql`CASE WHEN standing = 'waitlisted' THEN nextval('participant_waitlist_order') END`;
  const approvedAt = Prisma.sql`CASE WHEN standing = 'approved' THEN clock_timestamp() END`;
  const customFields = Prisma.sql`${JSON.stringify(answers)}::jsonb`;
  if (again) {
    // An update, since the row may have been removed meanwhile: then this is no registration again.
    return Prisma.sql`
      UPDATE "participant" p SET "type" = ${type}::"participant_type", "name" = ${name}, "teamId" = ${teamId},
        "registrationStatus" = standing, "status" = 'registered', "seed" = NULL, "waitlistOrder" = ${place},
        "customFields" = ${customFields}, "customFieldsVersion" = ${tournament.customFieldsVersion},
        "registeredAt" = clock_timestamp(), "approvedAt" = ${approvedAt}, "checkedInAt" = NULL, "cancelledAt" = NULL,
        "statusReason" = NULL, "standingBefore" = NULL, "decidedById" = NULL, "updatedAt" = clock_timestamp(),
        "version" = p."version" + 1
      FROM chosen WHERE p."id" = ${id} AND p."registrationStatus" = 'cancelled'`;
  }
  return Prisma.sql`
      INSERT INTO "participant" AS p ("id", "tournamentId", "type", "userId", "name", "teamId",
        "registrationStatus", "waitlistOrder", "customFields", "customFieldsVersion", "registeredAt", "approvedAt", "updatedAt")
      SELECT ${id}, ${tournament.id}, ${type}::"participant_type", ${userId}, ${name}, ${teamId}, standing, ${place},
        ${customFields}, ${tournament.customFieldsVersion}, clock_timestamp(), ${approvedAt}, clock_timestamp()
      FROM chosen
      ON CONFLICT ("tournamentId", "userId") DO NOTHING`;
}

/**
 * Writes a registration, counts it and tells of it in one statement, so that the tournament's row is held for no round
 * trip. What becomes of the entrant was decided for every case before; the lock only picks the case.
 * @returns null when what was decided on is not so any more: the settings changed, the window closed, the last slot went
 * with no waitlist, or the player has another standing. Read again and decide again.
 */
export async function createRegistration(
  tx: Tx,
  tournament: TournamentContext,
  entrant: NewRegistration,
): Promise<ParticipantRow | null> {
  const { roster, onFree, onFull, events } = entrant;
  const write = registrationStatement(tournament, entrant);
  const closesAt = new Date(registrationWindow(tournament).closesAt);
  const members = roster.map((member) => ({ userId: member.userId, role: member.role }));
  const rostered =
    members.length === 0
      ? Prisma.empty
      : Prisma.sql`, rostered AS (
          INSERT INTO "roster_member" ("participantId", "userId", "tournamentId", "role")
          SELECT entrant."id", member."userId", entrant."tournamentId", member."role"
          FROM entrant, jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS member("userId" text, "role" "roster_role"))`;
  const [row] = await tx.$queryRaw<Omit<ParticipantRow, 'roster'>[]>`
    WITH locked AS MATERIALIZED (
      SELECT "currentParticipants" AS taken, "currentParticipants" < "maxParticipants" AS free,
        "currentParticipants" + 1 = "maxParticipants" AS last
      FROM "tournament"
      WHERE "id" = ${tournament.id} AND "version" = ${tournament.version} AND clock_timestamp() < ${closesAt} FOR UPDATE
    ), chosen AS MATERIALIZED (
      SELECT CASE WHEN free THEN ${onFree} ELSE ${onFull} END::"registration_status" AS standing,
        CASE WHEN last THEN ${JSON.stringify(events.last)} WHEN free THEN ${JSON.stringify(events.free)}
          ELSE ${JSON.stringify(events.full)} END::jsonb AS events
      FROM locked WHERE free OR ${onFull}::text IS NOT NULL
    ), entrant AS (
      ${write}
      RETURNING p."id", p."tournamentId", p."type", p."userId", p."name", p."teamId", p."registrationStatus", p."status", p."seed",
        p."statusReason", p."waitlistOrder", p."customFields", p."customFieldsVersion", p."registeredAt", p."approvedAt", p."checkedInAt", p."cancelledAt", p."version"
    ), counted AS (
      -- From what the lock saw: t is what the statement began with, and its CHECKs are tried on that before it is caught up.
      UPDATE "tournament" t SET "currentParticipants" = locked.taken + 1
      FROM entrant, locked WHERE t."id" = entrant."tournamentId" AND entrant."registrationStatus" = 'approved'
    )${rostered}, told AS (
      INSERT INTO "domain_event" ("id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload",
        "metadata", "occurredAt")
      SELECT event->>'id', event->>'projectId', event->>'type', (event->>'version')::int, event->>'aggregateType',
        event->>'aggregateId', event->'payload', event->'metadata', clock_timestamp()
      FROM entrant, chosen, jsonb_array_elements(chosen.events) WITH ORDINALITY AS e(event, place) ORDER BY place
    )
    SELECT * FROM entrant`;
  return row ? { ...row, roster } : null;
}

/**
 * Reads the members of a roster. Who stands on the roster of the entrant `except` may stand there still.
 * @returns them with their names
 * @throws VALIDATION_FAILED for unknown or suspended players, ALREADY_ON_ROSTER for who plays in this tournament already
 */
export async function readRoster(
  tournamentId: string,
  members: RosterInput,
  { tx = db, except }: { tx?: Tx; except?: string } = {},
): Promise<ParticipantRow['roster']> {
  const ids = members.map((member) => member.userId);
  const places = { where: { tournamentId, participantId: { not: except } }, select: { participantId: true } };
  const users = await tx.user.findMany({
    where: { id: { in: ids }, suspendedAt: null },
    select: { id: true, name: true, rosterEntries: places },
  });
  const names = new Map(users.map((user) => [user.id, user.name]));
  const issues = ids.flatMap((id, index) =>
    names.has(id) ? [] : [{ path: `teamMembers.${index}.userId`, message: 'There is no such player.' }],
  );
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  const taken = users.filter((user) => user.rosterEntries.length > 0);
  if (taken.length > 0) {
    const message = `Already on a roster of this tournament: ${taken.map((user) => user.name).join(', ')}.`;
    throw refuse('ALREADY_ON_ROSTER', { message });
  }
  return members.map(({ userId, role }) => ({ userId, role, user: { name: names.get(userId) ?? '' } }));
}

/** The entrant a user is, or on whose roster they stand; null when neither. A live registration goes before a cancelled one. */
export async function findOwnParticipant(tx: Tx, tournamentId: string, userId: string): Promise<ParticipantRow | null> {
  const key = { tournamentId_userId: { tournamentId, userId } };
  const own = await tx.participant.findUnique({ where: key, select: participantSelect });
  if (own && own.registrationStatus !== 'cancelled') return own;
  const place = await tx.rosterMember.findUnique({
    where: key,
    select: { participant: { select: participantSelect } },
  });
  return place?.participant ?? own;
}

/** How many wait up to and including this place, 1 for the first; null for who does not wait. */
export async function waitlistPosition(tx: Tx, row: Pick<ParticipantRow, 'tournamentId' | 'waitlistOrder'>) {
  if (row.waitlistOrder === null) return null;
  const { tournamentId, waitlistOrder } = row;
  const [queue] = await tx.$queryRaw<{ place: number }[]>`
    SELECT count(*)::int AS place FROM "participant"
    WHERE "tournamentId" = ${tournamentId} AND "registrationStatus" = 'waitlisted' AND "waitlistOrder" <= ${waitlistOrder}`;
  return queue?.place ?? null;
}

/** The questions of a tournament. */
export function questionsOf(tournament: Pick<TournamentContext, 'customFields'>) {
  return customFieldDefinition.array().parse(tournament.customFields);
}

/** Reads the tournament for a decision that needs no lock; the caller has made sure that it may be seen. */
export function readTournamentContext(id: string): Promise<TournamentContext> {
  return db.tournament.findUniqueOrThrow({ where: { id }, select: tournamentContextSelect });
}

/** Places in the waitlist of the rows that wait, by id, in one statement whatever tournaments they are of. */
export async function waitlistPositions(
  tx: Tx,
  rows: Pick<ParticipantRow, 'id' | 'waitlistOrder'>[],
): Promise<Map<string, number>> {
  const waiting = rows.filter((row) => row.waitlistOrder !== null).map((row) => row.id);
  if (waiting.length === 0) return new Map();
  // From one to the next, each stretch is counted once: together they read no more of the queue than its last place alone.
  const places = await tx.$queryRaw<{ id: string; place: number }[]>`
    SELECT w."id", (sum(stretch.length) OVER (PARTITION BY w."tournamentId" ORDER BY w."waitlistOrder"))::int AS place
    FROM (
      SELECT "id", "tournamentId", "waitlistOrder",
        lag("waitlistOrder") OVER (PARTITION BY "tournamentId" ORDER BY "waitlistOrder") AS before
      FROM "participant" WHERE "id" = ANY(${waiting}) AND "registrationStatus" = 'waitlisted'
    ) w CROSS JOIN LATERAL (
      SELECT count(*) AS length FROM "participant" q
      WHERE q."tournamentId" = w."tournamentId" AND q."registrationStatus" = 'waitlisted'
        AND q."waitlistOrder" > coalesce(w.before, 0) AND q."waitlistOrder" <= w."waitlistOrder"
    ) stretch`;
  return new Map(places.map(({ id, place }) => [id, place]));
}
