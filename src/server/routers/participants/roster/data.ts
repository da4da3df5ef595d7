import { Prisma } from '@/generated/prisma/client';
import type { RosterRole } from '@/generated/prisma/enums';
import { anyOf, db, rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type Origin, record } from '@/server/events/emit';
import type { ParticipantRow } from '@/server/routers/participants/data';
import { type ParticipantEventRow, participantEvent } from '@/server/routers/participants/data-events';
import type { RosterInput } from './rules';

/**
 * Who of the players need not be asked: the captain, and the members of a team that the captain leads, who agreed to play
 * with them by joining.
 */
export async function agreedPlayers(tx: Tx, captainId: string, userIds: readonly string[]): Promise<Set<string>> {
  const others = userIds.filter((id) => id !== captainId);
  if (others.length === 0) return new Set([captainId]);
  const rows = await tx.teamMember.findMany({
    where: {
      userId: { in: others },
      team: { disbandedAt: null, members: { some: { userId: captainId, role: 'captain' } } },
    },
    select: { userId: true },
  });
  return new Set([captainId, ...rows.map(({ userId }) => userId)]);
}

/**
 * Has takeovers of the accounts on a roster, and of one that is to join it, wait until the transaction ends, so that they find
 * what it writes. Who has agreed is read after this: a takeover that it waited for has asked its owner again. Sign-ins and changes
 * of the accounts do not wait: whoever names their players would keep them out of their accounts.
 */
export async function holdAgreements(
  tx: Tx,
  { id, tournamentId, joining }: Pick<ParticipantRow, 'id' | 'tournamentId'> & { joining: string },
): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM "user" WHERE "id" = ANY(${joining}::text || ARRAY(
      SELECT "userId" FROM "roster_member" WHERE "participantId" = ${id} AND "tournamentId" = ${tournamentId}))
    ORDER BY "id" FOR KEY SHARE`;
}

/** Players of a roster who have accounts, and when their owners took these over, as it was before it was read who has agreed. */
export type AccountRoster = (ParticipantRow['roster'][number] & { userId: string; takenOverAt: Date | null })[];

type NamedPlayer = {
  id: string;
  name: string;
  takenOverAt: Date | null;
  /** On another roster of the tournament, which they have accepted or lead. */
  agreedElsewhere: boolean;
  /** On another one that they have not accepted, of a team that is still in the tournament. */
  namedElsewhere: boolean;
  refused: boolean;
};

/** Whether a place `r` on a roster was given to somebody by others, and they have not accepted it, as SQL. */
const unaccepted = Prisma.sql`(r."acceptedAt" IS NULL AND r."role" <> 'captain')`;

/**
 * Whether the participant `p` is out of its tournament, as SQL. It keeps its roster, in case staff take it back, but no player
 * who has not accepted from another one.
 */
export const isOut = Prisma.sql`(p."registrationStatus" = 'rejected' OR p."status" = 'disqualified')`;

/**
 * Reads the players of a roster, their names, and whether they have to accept. In a transaction, takeovers of their accounts wait
 * until it ends; without one, `createRegistration` checks that there were none.
 * @param options.captainId who names them
 * @param options.except a participant whose roster they may already be on
 * @throws VALIDATION_FAILED for unknown or suspended players and those who have left a roster on which this captain put them
 *   before they agreed to play for the captain, ALREADY_ON_ROSTER for players of another roster in this
 *   tournament, unless they have not accepted it, and agreed to this one or its team is out: `leaveUnaccepted` takes them off it
 */
export async function readRoster(
  tournamentId: string,
  members: RosterInput,
  { tx = db, except = '', captainId }: { tx?: Tx; except?: string; captainId: string },
): Promise<AccountRoster> {
  const ids = members.map((member) => member.userId);
  const users = await rowsOf<NamedPlayer>(
    tx,
    Prisma.sql`
    SELECT u."id", u."name", u."takenOverAt", r."id" IS NOT NULL AND NOT ${unaccepted} AS "agreedElsewhere",
      r."id" IS NOT NULL AND ${unaccepted} AND NOT ${isOut} AS "namedElsewhere",
      EXISTS (SELECT FROM "roster_refusal" f
        WHERE f."tournamentId" = ${tournamentId} AND f."userId" = u."id" AND f."namedById" = ${captainId}) AS "refused"
    FROM "user" u LEFT JOIN "roster_member" r
      ON r."tournamentId" = ${tournamentId} AND r."userId" = u."id" AND r."participantId" <> ${except}
    LEFT JOIN "participant" p ON p."id" = r."participantId"
    WHERE u."id" = ${anyOf(ids)} AND u."suspendedAt" IS NULL
    ${tx === db ? Prisma.empty : Prisma.sql`ORDER BY u."id" FOR KEY SHARE OF u`}`,
  );
  const byId = new Map(users.map((user) => [user.id, user]));
  const agreed = await agreedPlayers(tx, captainId, ids);
  const issues = ids.flatMap((id, index) => {
    const path = `teamMembers.${index}.userId`;
    const user = byId.get(id);
    if (!user) return [{ path, message: 'There is no such player.' }];
    if (!user.refused || agreed.has(id)) return [];
    const message = `${user.name} has left a roster of this tournament on which you put them. Invite them to your team instead.`;
    return [{ path, message }];
  });
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  const players = ids.flatMap((id) => byId.get(id) ?? []);
  const taken = players.filter(({ agreedElsewhere }) => agreedElsewhere).map(({ name }) => name);
  const named = players.filter(({ id, namedElsewhere }) => namedElsewhere && !agreed.has(id)).map(({ name }) => name);
  const messages = [
    ...(taken.length > 0
      ? [`Already on a roster of this tournament: ${taken.join(', ')}. Choose another player.`]
      : []),
    ...(named.length > 0
      ? [
          `Named on another roster, and not accepted yet: ${named.join(', ')}. Once they leave it, or join a team that you lead, you can name them.`,
        ]
      : []),
  ];
  if (messages.length > 0) throw refuse('ALREADY_ON_ROSTER', { message: messages.join(' ') });
  const now = new Date();
  return members.map(({ userId, role }) => ({
    ...{ userId, name: null, role, user: { name: byId.get(userId)?.name ?? '' } },
    takenOverAt: byId.get(userId)?.takenOverAt ?? null,
    acceptedAt: agreed.has(userId) ? now : null,
    addedById: userId === captainId ? null : captainId,
    addedByStaff: false,
  }));
}

type Leaving = { tournamentId: string; userIds: readonly string[]; except?: string };

function onOtherRosters({ tournamentId, userIds, except = '' }: Leaving): Prisma.Sql {
  return Prisma.sql`(r."tournamentId" = ${tournamentId} AND r."userId" = ${anyOf(userIds)} AND r."participantId" <> ${except})`;
}

/**
 * The players whom staff cannot put on a roster of the tournament, because they are on another one that they have accepted or
 * lead, or on which staff put them and whose team is still in the tournament. That a captain named them keeps staff from nothing:
 * captains can name anybody.
 */
export async function findRostered(tx: Tx, leaving: Leaving): Promise<Set<string>> {
  const rows = await rowsOf<{ userId: string }>(
    tx,
    Prisma.sql`
    SELECT r."userId" FROM "roster_member" r JOIN "participant" p ON p."id" = r."participantId"
    WHERE ${onOtherRosters(leaving)} AND (NOT ${unaccepted} OR r."addedByStaff" AND NOT ${isOut})`,
  );
  return new Set(rows.map(({ userId }) => userId));
}

/**
 * Takes players off rosters. The teams stay, even if they are then too small, for their captains to complete.
 * @param places which of the places `r`, as SQL
 * @returns the ids of the teams
 */
async function deletePlaces(tx: Tx, by: Origin, projectId: string, places: Prisma.Sql): Promise<string[]> {
  const rows = await rowsOf<ParticipantEventRow>(
    tx,
    Prisma.sql`
    WITH gone AS (DELETE FROM "roster_member" r WHERE ${places} RETURNING r."participantId")
    UPDATE "participant" p SET "version" = p."version" + 1, "updatedAt" = clock_timestamp()
    WHERE p."id" IN (SELECT "participantId" FROM gone)
    RETURNING p."id", p."tournamentId", p."userId", p."name", p."type", p."registrationStatus", p."status", p."seed"`,
  );
  const changes = ['roster' as const];
  const events = rows.map((row) => participantEvent('participant.updated', projectId, row, row, { changes }));
  await record(tx, by, events);
  return rows.map(({ id }) => id);
}

/** Takes a player off the roster of a team. */
export async function takeOffRoster(
  tx: Tx,
  by: Origin,
  { projectId, before, userId }: { projectId: string; before: Pick<ParticipantRow, 'id'>; userId: string },
): Promise<void> {
  const place = Prisma.sql`r."participantId" = ${before.id} AND r."userId" = ${userId}`;
  await deletePlaces(tx, by, projectId, place);
}

/** Whether any of the players is on a roster without having accepted it. */
export async function wasNamedElsewhere(tx: Tx, leaving: Leaving): Promise<boolean> {
  const rows = await rowsOf(
    tx,
    Prisma.sql`SELECT 1 FROM "roster_member" r WHERE ${onOtherRosters(leaving)} AND ${unaccepted} LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Takes players who take part in a locked tournament in another way off the rosters that they were put on and have not accepted:
 * otherwise whoever knows their ids could keep them out by naming them first.
 * @returns the participants whose rosters they were on
 */
export function leaveUnaccepted(tx: Tx, by: Origin, projectId: string, leaving: Leaving): Promise<string[]> {
  return deletePlaces(tx, by, projectId, Prisma.sql`${onOtherRosters(leaving)} AND ${unaccepted}`);
}

/** A player of a new roster: with an account, or a guest with a name. */
export type NewRosterMember = {
  participantId: string;
  userId?: string | null;
  name: string | null;
  role: RosterRole;
  acceptedAt?: Date | null;
  addedById?: string | null;
  addedByStaff?: boolean;
};

/** Writes rosters, in order. For thousands of players at once, `createMany` would hold up the process for a second. */
export async function writeRosters(tx: Tx, tournamentId: string, members: readonly NewRosterMember[]): Promise<void> {
  if (members.length === 0) return;
  const rows = members.map((member, place) => ({ ...member, place }));
  await tx.$executeRaw`
    INSERT INTO "roster_member" ("participantId", "userId", "name", "tournamentId", "role", "acceptedAt", "addedById",
      "addedByStaff")
    SELECT e."participantId", e."userId", e."name", ${tournamentId}, e."role", e."acceptedAt", e."addedById",
      coalesce(e."addedByStaff", false)
    FROM (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r("participantId" text, "userId" text, "name" text, "role" "roster_role", "acceptedAt" timestamptz,
          "addedById" text, "addedByStaff" boolean, "place" int) ORDER BY "place"
    ) e`;
}

/** Replaces a participant's players with accounts; those who stay keep their row and their answer, and so do guests. */
export async function writeRoster(
  tx: Tx,
  { id: participantId, tournamentId }: Pick<ParticipantRow, 'id' | 'tournamentId'>,
  roster: AccountRoster,
): Promise<void> {
  await tx.rosterMember.deleteMany({
    where: { participantId, userId: { notIn: roster.map(({ userId }) => userId) } },
  });
  await tx.$executeRaw`
    INSERT INTO "roster_member" ("participantId", "userId", "tournamentId", "role", "acceptedAt", "addedById")
    SELECT ${participantId}, m."userId", ${tournamentId}, m."role", m."acceptedAt", m."addedById"
    FROM jsonb_to_recordset(${JSON.stringify(roster)}::jsonb)
      AS m("userId" text, "role" "roster_role", "acceptedAt" timestamptz, "addedById" text)
    ON CONFLICT ("participantId", "userId") DO UPDATE SET "role" = EXCLUDED."role"`;
}
