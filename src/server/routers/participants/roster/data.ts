import type { RosterRole } from '@/generated/prisma/enums';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { ParticipantRow } from '@/server/routers/participants/data';
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

/**
 * Reads the players of a roster, their names, and whether they have to accept.
 * @param options.captainId who names them
 * @param options.except a participant whose roster they may already be on
 * @throws VALIDATION_FAILED for unknown or suspended players, ALREADY_ON_ROSTER for players of another roster in this
 *   tournament
 */
export async function readRoster(
  tournamentId: string,
  members: RosterInput,
  { tx = db, except, captainId }: { tx?: Tx; except?: string; captainId: string },
): Promise<AccountRoster> {
  const ids = members.map((member) => member.userId);
  const rosterEntries = { where: { tournamentId, participantId: { not: except } }, select: { participantId: true } };
  const users = await tx.user.findMany({
    where: { id: { in: ids }, suspendedAt: null },
    select: { id: true, name: true, rosterEntries },
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
  const agreed = await agreedPlayers(tx, captainId, ids);
  const now = new Date();
  return members.map(({ userId, role }) => ({
    ...{ userId, name: null, role, user: { name: names.get(userId) ?? '' } },
    acceptedAt: agreed.has(userId) ? now : null,
    addedById: userId === captainId ? null : captainId,
  }));
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
