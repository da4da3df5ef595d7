import { Prisma } from '@/generated/prisma/client';
import type { RosterRole } from '@/generated/prisma/enums';
import { anyOf, db, rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { emit, type Origin } from '@/server/events/emit';
import { type ParticipantRow, participantSelect } from '@/server/routers/participants/data';
import { participantEvent } from '@/server/routers/participants/data-events';
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

/** Players of a roster who have accounts. */
export type AccountRoster = (ParticipantRow['roster'][number] & { userId: string })[];

type NamedPlayer = {
  id: string;
  name: string;
  /** On another roster of the tournament; null: on none. */
  roleElsewhere: RosterRole | null;
  acceptedElsewhere: boolean;
  refused: boolean;
};

/** A place on a roster that somebody was given by others, and has not accepted. */
const unaccepted = { acceptedAt: null, role: { not: 'captain' } } as const;

/**
 * Reads the players of a roster, their names, and whether they have to accept.
 * @param options.captainId who names them
 * @param options.except a participant whose roster they may already be on
 * @throws VALIDATION_FAILED for unknown or suspended players and those who have left a roster on which this captain put them
 *   before they agreed to play for the captain, ALREADY_ON_ROSTER for players of another roster in this
 *   tournament, unless they agreed to this one and not to that one: `leaveUnaccepted` takes them off it
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
    SELECT u."id", u."name", r."role" AS "roleElsewhere", r."acceptedAt" IS NOT NULL AS "acceptedElsewhere",
      EXISTS (SELECT FROM "roster_refusal" f
        WHERE f."tournamentId" = ${tournamentId} AND f."userId" = u."id" AND f."namedById" = ${captainId}) AS "refused"
    FROM "user" u LEFT JOIN "roster_member" r
      ON r."tournamentId" = ${tournamentId} AND r."userId" = u."id" AND r."participantId" <> ${except}
    WHERE u."id" = ${anyOf(ids)} AND u."suspendedAt" IS NULL`,
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
  const taken = users.filter(({ id, roleElsewhere, acceptedElsewhere }) => {
    return roleElsewhere && !(agreed.has(id) && !acceptedElsewhere && roleElsewhere !== 'captain');
  });
  if (taken.length > 0) {
    const message = `Already on a roster of this tournament: ${taken.map((user) => user.name).join(', ')}.`;
    throw refuse('ALREADY_ON_ROSTER', { message });
  }
  const now = new Date();
  return members.map(({ userId, role }) => ({
    ...{ userId, name: null, role, user: { name: byId.get(userId)?.name ?? '' } },
    acceptedAt: agreed.has(userId) ? now : null,
    addedById: userId === captainId ? null : captainId,
  }));
}

/** Takes a player off the roster of a team; the team stays, even if it is then too small, for its captain to complete. */
export async function takeOffRoster(
  tx: Tx,
  by: Origin,
  { projectId, before, userId }: { projectId: string; before: ParticipantRow; userId: string },
): Promise<void> {
  const key = { participantId_userId: { participantId: before.id, userId } };
  await tx.rosterMember.delete({ where: key, select: { id: true } });
  const row = await tx.participant.update({
    where: { id: before.id },
    data: { version: { increment: 1 } },
    select: participantSelect,
  });
  const changes = ['roster' as const];
  await emit(tx, by, participantEvent('participant.updated', projectId, row, before, { changes }));
}

type Leaving = { tournamentId: string; userIds: readonly string[]; except?: string };

function onOtherRosters({ tournamentId, userIds, except }: Leaving): Prisma.RosterMemberWhereInput {
  return { ...unaccepted, tournamentId, userId: { in: [...userIds] }, participantId: { not: except } };
}

/** Whether any of the players is on a roster without having accepted it. */
export async function wasNamedElsewhere(tx: Tx, leaving: Leaving): Promise<boolean> {
  return (await tx.rosterMember.findFirst({ where: onOtherRosters(leaving), select: { id: true } })) !== null;
}

/**
 * Takes players who have agreed to take part in a locked tournament in another way off the rosters that they were put on and
 * have not accepted: otherwise whoever knows their ids could keep them out by naming them first.
 */
export async function leaveUnaccepted(tx: Tx, by: Origin, projectId: string, leaving: Leaving): Promise<void> {
  const others = await tx.rosterMember.findMany({
    where: onOtherRosters(leaving),
    orderBy: { id: 'asc' },
    select: { userId: true, participantId: true },
  });
  for (const { userId, participantId } of others) {
    if (userId === null) continue;
    const before = await tx.participant.findUniqueOrThrow({ where: { id: participantId }, select: participantSelect });
    await takeOffRoster(tx, by, { projectId, before, userId });
  }
}

/** A player of a new roster: with an account, or a guest with a name. */
export type NewRosterMember = {
  participantId: string;
  userId?: string | null;
  name: string | null;
  role: RosterRole;
  acceptedAt?: Date | null;
  addedById?: string | null;
};

/** Writes rosters, in order. For thousands of players at once, `createMany` would hold up the process for a second. */
export async function writeRosters(tx: Tx, tournamentId: string, members: readonly NewRosterMember[]): Promise<void> {
  if (members.length === 0) return;
  const rows = members.map((member, place) => ({ ...member, place }));
  await tx.$executeRaw`
    INSERT INTO "roster_member" ("participantId", "userId", "name", "tournamentId", "role", "acceptedAt", "addedById")
    SELECT e."participantId", e."userId", e."name", ${tournamentId}, e."role", e."acceptedAt", e."addedById"
    FROM (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r("participantId" text, "userId" text, "name" text, "role" "roster_role", "acceptedAt" timestamptz,
          "addedById" text, "place" int) ORDER BY "place"
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
