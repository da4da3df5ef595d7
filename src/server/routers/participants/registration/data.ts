import type { ParticipantState } from '@/domain/participants/statuses';
import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import type { Answers } from '@/domain/questions/answers';
import { registrationWindow } from '@/domain/tournaments/schedule';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { AuthUser } from '@/server/auth/bearer';
import { columnsOf, db, rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { announceAfterCommit, asPending, type eventRows } from '@/server/events/emit';
import { turnOfProject } from '@/server/events/project-turn';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { isTransient } from '@/server/jobs/embedded/database';
import {
  findOwnParticipant,
  type LockedTournament,
  lockForParticipants,
  type ParticipantRow,
  type TournamentContext,
  tournamentContextSelect,
} from '@/server/routers/participants/data';
import { invitationOf } from '@/server/routers/participants/data-views';
import { type AccountRoster, isOut } from '@/server/routers/participants/roster/data';
import { roleIn } from '@/server/routers/projects/data';
import { noSuchTournament, tournamentKey } from '@/server/routers/tournaments/data';
import { FairQueue } from '@/server/worker/fair-queue';

const contextColumns = columnsOf('t', tournamentContextSelect);

/** A tournament and the player's own registration, or one that they have left and that is out, read by one statement. */
export type RegistrationContext = {
  tournament: TournamentContext;
  /** The database's clock. */
  now: Date;
  own: (ParticipantState & { id: string; version: number; cancelledRoster: string[] }) | null;
  /** Of the player's account. */
  sessionVersion: number;
};

type ContextRow = TournamentContext & {
  now: Date;
  role: ProjectRole | null;
  sessionVersion: number;
  participantId: string | null;
  participantVersion: number;
  cancelledRoster: string[];
  registrationStatus: ParticipantState['registrationStatus'];
  participantStatus: ParticipantState['status'];
};

type ContextRequest = { idOrSlug: string; userId: string };

/** The contexts of players in tournaments, in order; null where there is no such tournament. */
async function readContexts(tx: Tx, column: 'id' | 'slug', asked: ContextRequest[]): Promise<(ContextRow | null)[]> {
  const places = JSON.stringify(asked.map(({ idOrSlug, userId }, place) => ({ place, idOrSlug, userId })));
  // PostgreSQL plans this once for a connection: the length of the list changes nothing, and each row is looked up by
  // its key.
  const rows = await rowsOf<ContextRow & { place: number }>(
    tx,
    Prisma.sql`
    SELECT ${contextColumns}, clock_timestamp() AS now, a."place",
      (SELECT "role" FROM "member" WHERE "projectId" = t."projectId" AND "userId" = a."userId"),
      (SELECT "sessionVersion" FROM "user" WHERE "id" = a."userId"),
      p."id" AS "participantId", p."version" AS "participantVersion", p."cancelledRoster", p."registrationStatus",
      p."status" AS "participantStatus"
    FROM json_to_recordset(${places}::json) AS a("place" int, "idOrSlug" text, "userId" text)
    CROSS JOIN LATERAL (SELECT * FROM "tournament" WHERE ${Prisma.raw(`"${column}"`)} = a."idOrSlug" LIMIT 1) t
    LEFT JOIN LATERAL (
      SELECT "id", "version", "cancelledRoster", "registrationStatus", "status" FROM "participant"
      WHERE "tournamentId" = t."id" AND "userId" = a."userId"
      -- Nobody gets rid of a rejection or disqualification by leaving. What becomes of a place that somebody else has, is theirs.
      UNION ALL SELECT p."id", p."version", p."cancelledRoster", 'rejected', p."status" FROM "participant" p
      WHERE p."tournamentId" = t."id" AND p."formerUserId" = a."userId" AND p."userId" IS NULL AND ${isOut} LIMIT 1
    ) p ON true`,
  );
  const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]));
  return asked.map((_, place) => byPlace.get(place) ?? null);
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
  const { now, participantId: id, participantVersion: version, participantStatus: status, sessionVersion } = row;
  const { registrationStatus, cancelledRoster } = row;
  const own = id ? { id, registrationStatus, status, version, cancelledRoster } : null;
  return { tournament: row, now, own, sessionVersion };
}

/** Whether staff, and no captain, named a user who has not accepted. They may have done so by address. */
function isNamedByStaff(participant: ParticipantRow, userId: string): boolean {
  const isStaffs = participant.roster.some((member) => member.userId === userId && member.addedByStaff);
  return invitationOf(participant, userId).mustAccept && (participant.userId === userId || isStaffs);
}

/**
 * Locks a tournament for a player, and reads the participant that they are, or on whose roster they are.
 * @throws NOT_FOUND when the player may not see the tournament, EMAIL_NOT_CONFIRMED when staff named them and
 *   the account could be anybody's
 */
export async function lockOwnParticipant(
  tx: Tx,
  idOrSlug: string,
  { id: userId, emailVerified }: AuthUser,
): Promise<LockedTournament & { participant: ParticipantRow | null }> {
  const locked = await lockForParticipants(tx, idOrSlug);
  const { id, projectId } = locked.tournament;
  const participant = await findOwnParticipant(tx, id, userId);
  const isAnybody = participant !== null && !emailVerified && isNamedByStaff(participant, userId);
  const isRegistered = activeRegistrationStatuses.some((status) => status === participant?.registrationStatus);
  if ((!isRegistered || isAnybody) && !isVisibleOutside(locked.tournament) && !(await roleIn(tx, projectId, userId))) {
    throw noSuchTournament();
  }
  if (isAnybody) throw refuse('EMAIL_NOT_CONFIRMED');
  return { ...locked, participant };
}

export type NewRegistration = {
  /** A new id, or that of the player's cancelled registration. */
  id: string;
  /** The version of the player's cancelled registration that it replaces, and whether by other players; null: it is new. */
  replaces: { version: number; withOthers: boolean } | null;
  type: 'individual' | 'team';
  userId: string;
  /** Of the session in which the player registers. */
  sessionVersion: number;
  name: string;
  /** The team it registers as, if there is one. */
  teamId: string | null;
  answers: Answers;
  roster: AccountRoster;
  /** The status when a slot is free, and when none is; null: then nothing is written. */
  onFree: ParticipantState['registrationStatus'];
  onFull: ParticipantState['registrationStatus'] | null;
  /** The events to write, by what the lock finds: a free slot or none; and another one when it takes the last. */
  events: Record<'free' | 'full' | 'closing', ReturnType<typeof eventRows>>;
};

/** The part of the statement that writes the participants as `chosen`, if their registrations have not changed. */
function registrationStatement(tournament: TournamentContext, registrations: readonly NewRegistration[]): Prisma.Sql {
  const place = Prisma.sql`CASE WHEN state = 'waitlisted' THEN nextval('participant_waitlist_order') END`;
  const approvedAt = Prisma.sql`CASE WHEN state = 'approved' THEN clock_timestamp() END`;
  const replaced = registrations.find(({ replaces }) => replaces)?.replaces;
  if (replaced) {
    // An update and not an upsert: the row may have been removed in the meantime, and then nothing may be written.
    return Prisma.sql`
      UPDATE "participant" p SET "type" = chosen."type", "name" = chosen."name", "teamId" = chosen."teamId",
        "registrationStatus" = state, "status" = 'registered', "seed" = NULL, "waitlistOrder" = ${place},
        "customFields" = chosen."answers", "customFieldsVersion" = ${tournament.customFieldsVersion},
        "registeredAt" = clock_timestamp(), "approvedAt" = ${approvedAt}, "checkedInAt" = NULL, "cancelledAt" = NULL,
        "statusReason" = NULL, "standingBefore" = NULL, "decidedById" = NULL, "acceptedAt" = clock_timestamp(),
        "updatedAt" = clock_timestamp(),
        "version" = p."version" + 1
      FROM chosen WHERE p."id" = chosen."id" AND p."registrationStatus" = 'cancelled' AND p."version" = ${replaced.version}`;
  }
  // Of several, none may be left out: those behind it have their slots counted with it.
  const unlessRegistered =
    registrations.length === 1 ? Prisma.sql`ON CONFLICT ("tournamentId", "userId") DO NOTHING` : Prisma.empty;
  return Prisma.sql`
      INSERT INTO "participant" AS p ("id", "tournamentId", "type", "userId", "name", "teamId",
        "registrationStatus", "waitlistOrder", "customFields", "customFieldsVersion", "registeredAt", "approvedAt", "updatedAt")
      SELECT "id", ${tournament.id}, "type", "userId", "name", "teamId", state, ${place},
        "answers", ${tournament.customFieldsVersion}, clock_timestamp(), ${approvedAt}, clock_timestamp()
      FROM chosen ORDER BY "place"
      ${unlessRegistered}`;
}

function rosterStatement(registrations: readonly NewRegistration[]): Prisma.Sql {
  const members = registrations.flatMap(({ id: participantId, roster }, of) =>
    roster.map(({ userId, role, acceptedAt, addedById }, place) => ({
      participantId,
      userId,
      role,
      acceptedAt,
      addedById,
      of,
      place,
    })),
  );
  if (members.length === 0) return Prisma.empty;
  return Prisma.sql`, roster_rows AS (
      INSERT INTO "roster_member" ("participantId", "userId", "tournamentId", "role", "acceptedAt", "addedById")
      SELECT created."id", m."userId", created."tournamentId", m."role", m."acceptedAt", m."addedById"
      FROM created JOIN jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS m("participantId" text, "userId" text,
        "role" "roster_role", "acceptedAt" timestamptz, "addedById" text, "of" int, "place" int)
        ON m."participantId" = created."id" ORDER BY m."of", m."place")`;
}

/** The players of each roster who need not be asked, and when their accounts had been taken over when that was read. */
function agreementsOf(registrations: readonly NewRegistration[]) {
  return registrations.map(({ roster }, place) =>
    roster.flatMap(({ userId, takenOverAt, acceptedAt }) => (acceptedAt ? [{ place, userId, takenOverAt }] : [])),
  );
}

type Written = Omit<ParticipantRow, 'roster'> & { free: boolean; last: boolean };

/**
 * Writes registrations that were decided alike, in their order, counts their slots and writes their events in one statement,
 * so that the tournament stays locked for no extra round trip. The locked row selects the case of each. Registrations of accounts
 * whose sessions have ended are left out, and so are those with a player who counts as agreed and whose account was taken over
 * since that was read, or is being taken over, and those of accounts that others hold: no player waits for another's account.
 * @returns null for those that were not written
 */
async function write(
  tx: Tx,
  tournament: TournamentContext,
  registrations: readonly NewRegistration[],
): Promise<(ParticipantRow | null)[]> {
  const closesAt = new Date(registrationWindow(tournament).closesAt);
  const withOthers = registrations.some(({ replaces }) => replaces?.withOthers);
  const agreements = agreementsOf(registrations);
  const rows = registrations.map(
    ({ id, type, userId, sessionVersion, name, teamId, answers, onFree, onFull, events }, index) => ({
      id,
      type,
      userId,
      sessionVersion,
      name,
      teamId,
      answers,
      onFree,
      onFull,
      free: events.free,
      full: events.full,
      closing: events.closing,
      place: index,
      agreements: agreements[index]?.length,
    }),
  );
  const written = await rowsOf<Written>(
    tx,
    Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT "currentParticipants" AS taken, "maxParticipants" AS slots FROM "tournament"
      WHERE "id" = ${tournament.id} AND "version" = ${tournament.version} AND clock_timestamp() < ${closesAt}
        AND NOT (${withOthers} AND coalesce("rosterLockAt" <= clock_timestamp(), false)) FOR UPDATE
    ), signed_in AS MATERIALIZED (
      SELECT r.*, taken, slots
      FROM locked, json_to_recordset(${JSON.stringify(rows)}::json) AS r("place" int, "id" text, "type" "participant_type",
        "userId" text, "sessionVersion" int, "name" text, "teamId" text, "answers" jsonb, "onFree" "registration_status",
        "onFull" "registration_status", "free" json, "full" json, "closing" json, "agreements" int)
      JOIN "user" u ON u."id" = r."userId" AND u."sessionVersion" = r."sessionVersion" FOR SHARE OF u SKIP LOCKED
    ), agreed AS MATERIALIZED (
      SELECT a."place" FROM locked, json_to_recordset(${JSON.stringify(agreements.flat())}::json)
        AS a("place" int, "userId" text, "takenOverAt" timestamptz)
      JOIN "user" u ON u."id" = a."userId" AND u."takenOverAt" IS NOT DISTINCT FROM a."takenOverAt"
      FOR KEY SHARE OF u SKIP LOCKED
    ), numbered AS (
      -- By the slot that each would take, counted from those that are taken: what waits for approval takes none.
      SELECT *, CASE "onFree" WHEN 'approved' THEN row_number() OVER (ORDER BY "place") ELSE 1 END AS nth FROM signed_in s
      WHERE "agreements" = (SELECT count(*) FROM agreed a WHERE a."place" = s."place")
    ), asked AS MATERIALIZED (
      SELECT *, taken + nth <= slots AS is_free, taken + nth = slots AS is_last FROM numbered
    ), chosen AS MATERIALIZED (
      SELECT a.*, CASE WHEN is_free THEN "onFree" ELSE "onFull" END AS state,
        (CASE WHEN is_free THEN "free" ELSE "full" END)::jsonb || (CASE WHEN is_last THEN "closing" ELSE '[]' END)::jsonb AS events
      FROM asked a WHERE is_free OR "onFull" IS NOT NULL
    ), created AS (
      ${registrationStatement(tournament, registrations)}
      RETURNING p."id", p."tournamentId", p."type", p."userId", p."name", p."teamId", p."registrationStatus", p."status", p."seed",
        p."statusReason", p."waitlistOrder", p."customFields", p."customFieldsVersion", p."acceptedAt", p."decidedById", p."registeredAt", p."approvedAt", p."checkedInAt", p."cancelledAt", p."version"
    ), counted AS (
      -- Counts from the locked row: t is the row as the statement first saw it, and CHECKs would run on that.
      UPDATE "tournament" t SET "currentParticipants" = locked.taken + approved.number
      FROM locked, (SELECT count(*)::int AS number FROM created WHERE "registrationStatus" = 'approved') approved
      WHERE t."id" = ${tournament.id} AND approved.number > 0
    )${rosterStatement(registrations)}, "emitted" AS (
      INSERT INTO "domain_event" ("id", "projectId", "type", "version", "aggregateType", "aggregateId", "payload",
        "metadata", "occurredAt")
      SELECT event->>'id', event->>'projectId', event->>'type', (event->>'version')::int, event->>'aggregateType',
        event->>'aggregateId', event->'payload', event->'metadata', clock_timestamp()
      FROM created JOIN chosen USING ("id"), jsonb_array_elements(chosen.events) WITH ORDINALITY AS e(event, ord)
      ORDER BY chosen."place", ord
      ${asPending}
    SELECT created.*, chosen.is_free AS free, chosen.is_last AS last FROM created JOIN chosen USING ("id")`,
    'write',
  );
  const byId = new Map(written.map((row) => [row.id, row]));
  const outcomes = registrations.map(({ id, roster, events }) => {
    const found = byId.get(id);
    if (!found) return { row: null, events: [] };
    const { free, last, ...row } = found;
    const emitted = free ? events.free : events.full;
    return { row: { ...row, roster }, events: last ? [...emitted, ...events.closing] : emitted };
  });
  announceAfterCommit(
    tx,
    outcomes.flatMap(({ events }) => events),
  );
  return outcomes.map(({ row }) => row);
}

type Outcome = { row: ParticipantRow | null } | { error: unknown };

async function writeTogether(tournament: TournamentContext, registrations: NewRegistration[]): Promise<Outcome[]> {
  try {
    return (await write(db, tournament, registrations)).map((row) => ({ row }));
  } catch (error) {
    if (registrations.length === 1 || isTransient(error)) throw error;
    // One that cannot be written, such as the second of a player who clicked twice, must not cost the others theirs.
    const outcomes: Outcome[] = [];
    for (const each of registrations) {
      const alone = write(db, tournament, [each]).then(([row = null]): Outcome => ({ row }));
      outcomes.push(await alone.catch((reason: unknown): Outcome => ({ error: reason })));
    }
    return outcomes;
  }
}

const maxTogether = 50;
/** What writes the registrations of one tournament that were decided alike; each only while it has some. */
const writers = new Map<string, Batcher<NewRegistration, Outcome>>();

/**
 * Registrations that are not written together with others: in all, of tournaments in projects that were created from one block of
 * addresses, of an account that created them, of a project and of a tournament. Each keeps a connection of the database while it
 * waits for the tournament, which an import may hold for seconds; there must be some for everybody else.
 */
const alone = new FairQueue({ running: [6, 3, 3, 2, 2], waiting: 8_000, waitingOfOwner: 4_000 });
/**
 * The same of registrations that are written together, of the tournaments of a project: it may hold the rows of many at a time, and
 * each would keep a connection.
 */
const together = new FairQueue({ running: [8_000, 2], waiting: 16_000, waitingOfOwner: 8_000 });
/** The same of a player, one for all of their tournaments. */
const aloneOfPlayer = new FairQueue({ running: [8_000, 1], waiting: 8_000, waitingOfOwner: 1_000 });

/** Writes a player's registration when it is their turn to keep the database waiting. @throws OVERLOADED when too many wait */
export async function registerAlone<Result>(
  { id: tournamentId, projectId }: { id: string; projectId: string },
  userId: string,
  write: () => Promise<Result>,
): Promise<Result> {
  const { owner, caller = [] } = await turnOfProject(projectId);
  const turn = { owner, caller: [...caller, tournamentId, userId] };
  return aloneOfPlayer.run({ owner: userId }, () => alone.run(turn, write));
}

/**
 * Writes a registration with its count and its events. The caller has decided every case before; the tournament's locked row
 * selects the case. Registrations that arrive while a statement runs share the next one, in the order in which they came.
 * @returns null when the decision is out of date: the settings changed, registration closed, the last slot was taken and
 *   there is no waitlist, rosters were locked, the player's own registration changed, their session ended, or the
 *   account of a player who need not be asked was taken over, or is being taken over. Read again and decide again.
 */
export async function createRegistration(
  tx: Tx,
  tournament: TournamentContext,
  registration: NewRegistration,
): Promise<ParticipantRow | null> {
  const { replaces, onFree, onFull } = registration;
  if (tx !== db || replaces) {
    const writeOne = async () => (await write(tx, tournament, [registration]))[0] ?? null;
    // In a transaction it has its turn already.
    return tx === db ? registerAlone(tournament, registration.userId, writeOne) : writeOne();
  }
  const key = [tournament.id, tournament.version, onFree, onFull].join();
  const writeInTurn = (all: NewRegistration[]) =>
    together.run({ owner: tournament.projectId }, () => writeTogether(tournament, all));
  const writer = writers.get(key) ?? new Batcher(maxTogether, writeInTurn);
  writers.set(key, writer);
  try {
    const outcome = await writer.add(registration);
    if ('error' in outcome) throw outcome.error;
    return outcome.row;
  } finally {
    if (writer.idle) writers.delete(key);
  }
}
