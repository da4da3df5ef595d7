import { maxTeamMembers } from '@/domain/teams/forms';
import { teamInvitationKind, teamInvitationStatus } from '@/domain/teams/invitations';
import { restorableFor } from '@/domain/teams/restoring';
import type { InvitableRole } from '@/domain/teams/roles';
import { publicUrl } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import type { RosterRole } from '@/generated/prisma/enums';
import type { TeamGetPayload, TeamInvitationGetPayload, TeamMemberGetPayload } from '@/generated/prisma/models';
import type { AuthUser } from '@/server/auth/bearer';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { requireRoom } from '@/server/limits/take-quota';
import { type PageInput, pageArgs, toPage } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { rosterOf } from '@/server/routers/teams/rules';

const person = { select: { id: true, name: true } } as const;

export const memberSelect = {
  userId: true,
  role: true,
  createdAt: true,
  user: person,
} as const satisfies Prisma.TeamMemberSelect;

/** By role, the captain first, then by when they joined. */
export const memberOrder = [
  { role: 'asc' },
  { createdAt: 'asc' },
  { userId: 'asc' },
] as const satisfies Prisma.TeamMemberOrderByWithRelationInput[];

const cardSelect = {
  id: true,
  name: true,
  tag: true,
  disbandedAt: true,
  // Read and counted here: for `_count`, Prisma would count the members of every team there is.
  members: { select: { role: true, user: person } },
} as const satisfies Prisma.TeamSelect;

const ownSelect = { version: true, createdAt: true, updatedAt: true } as const satisfies Prisma.TeamSelect;
export const listedSelect = { ...cardSelect, ...ownSelect } as const satisfies Prisma.TeamSelect;
export const teamSelect = {
  id: true,
  name: true,
  tag: true,
  disbandedAt: true,
  ...ownSelect,
  members: { select: memberSelect, orderBy: [...memberOrder], take: maxTeamMembers },
} as const satisfies Prisma.TeamSelect;

type Row<Select extends Prisma.TeamSelect> = TeamGetPayload<{ select: Select }>;

const named = (user: { id: string; name: string }) => ({ userId: user.id, name: user.name });

/** A member as everyone can see them, without their email address. */
export function presentMember({ user, role, createdAt }: TeamMemberGetPayload<{ select: typeof memberSelect }>) {
  return { ...named(user), role, joinedAt: createdAt.toISOString() };
}

function presentOwn({ version, disbandedAt, createdAt, updatedAt }: Row<typeof ownSelect & { disbandedAt: true }>) {
  return {
    version,
    disbandedAt: disbandedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** A team with its members. */
export function presentTeam(row: Row<typeof teamSelect>, viewerId: string | undefined) {
  const { id, name, tag, members } = row;
  const myRole = members.find((member) => member.userId === viewerId)?.role ?? null;
  return { id, name, tag, members: members.map(presentMember), myRole, ...presentOwn(row) };
}

/** A team in a list. */
export function presentListed(row: Row<typeof listedSelect>, myRole: RosterRole) {
  return { ...presentCard(row), myRole, ...presentOwn(row) };
}

function presentCard({ id, name, tag, members }: Row<typeof cardSelect>) {
  const captain = members.find(({ role }) => role === 'captain');
  return { id, name, tag, captain: captain ? named(captain.user) : null, memberCount: members.length };
}

export const noSuchTeam = () => refuse('NOT_FOUND', { message: 'This team does not exist.' });

/**
 * Locks a team until the transaction ends, so that its members change one at a time, and reads the caller's role.
 * @throws NOT_FOUND when there is none, TEAM_DISBANDED unless `evenDisbanded`
 */
export async function lockTeam(tx: Tx, teamId: string, userId: string, options: { evenDisbanded?: boolean } = {}) {
  const [team] = await tx.$queryRaw<{ name: string; version: number; disbandedAt: Date | null }[]>`
    SELECT "name", "version", "disbandedAt" FROM "team" WHERE "id" = ${teamId} FOR NO KEY UPDATE`;
  if (!team) throw noSuchTeam();
  if (team.disbandedAt && !options.evenDisbanded) throw refuse('TEAM_DISBANDED');
  const key = { teamId_userId: { teamId, userId } };
  const member = await tx.teamMember.findUnique({ where: key, select: { role: true } });
  return { ...team, role: member?.role ?? null };
}

/**
 * Like `lockTeam`, but for the captain only and, if one is given, for the version that they read.
 * @throws FORBIDDEN for everyone else, VERSION_MISMATCH
 */
export async function lockAsCaptain(
  tx: Tx,
  teamId: string,
  userId: string,
  { version, ...options }: { evenDisbanded?: boolean; version?: number } = {},
) {
  const team = await lockTeam(tx, teamId, userId, options);
  if (team.role !== 'captain') throw onlyCaptain();
  if (version !== undefined && version !== team.version) throw refuse('VERSION_MISMATCH');
  return team;
}

/** Teams that an account is in, with those that can come back; what a takeover disbanded was not its owner's. */
function countedTeams(userId: string): Prisma.Sql {
  const since = new Date(Date.now() - restorableFor);
  return Prisma.sql`
    FROM "team_member" m JOIN "team" t ON t."id" = m."teamId" JOIN "user" u ON u."id" = m."userId"
    WHERE m."userId" = ${userId} AND (t."disbandedAt" IS NULL OR t."disbandedAt" > greatest(${since}, u."takenOverAt"))`;
}

/** How many teams count for an account. */
export async function countTeams(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ teams: number }[]>`SELECT count(*)::int AS teams ${countedTeams(userId)}`;
  return row?.teams ?? 0;
}

/**
 * Checks that an account can be in one more team. It must be locked.
 * @throws QUOTA_EXCEEDED
 */
export async function requireRoomForTeam(tx: Tx, userId: string): Promise<void> {
  requireRoom('teams', userId, await countTeams(tx, userId));
}

/**
 * Checks that an account can be in a disbanded team again, which may count already. The account must be locked.
 * @throws QUOTA_EXCEEDED
 */
export async function requireRoomToRestore(tx: Tx, userId: string, teamId: string): Promise<void> {
  const counted = await tx.$queryRaw<unknown[]>`SELECT 1 ${countedTeams(userId)} AND t."id" = ${teamId}`;
  if (counted.length === 0) await requireRoomForTeam(tx, userId);
}

/** Whether a user is the captain now; an invitation is worth as much as its sender. The team must be locked. */
export async function isCaptain(tx: Tx, teamId: string, userId: string): Promise<boolean> {
  const member = await tx.teamMember.findUnique({
    where: { teamId_userId: { teamId, userId }, role: 'captain', user: { suspendedAt: null } },
    select: { role: true },
  });
  return member !== null;
}

export const onlyCaptain = () => refuse('FORBIDDEN', { message: 'Only the captain of the team can do this.' });

export const invitationSelect = {
  id: true,
  teamId: true,
  userId: true,
  email: true,
  role: true,
  acceptedAt: true,
  declinedAt: true,
  revokedAt: true,
  expiresAt: true,
  createdAt: true,
  user: person,
} as const satisfies Prisma.TeamInvitationSelect;

function invitedRole(role: RosterRole): InvitableRole {
  return role === 'substitute' ? role : 'player';
}

/** An invitation as the captain sees it, without its token. */
export function presentInvitation(row: TeamInvitationGetPayload<{ select: typeof invitationSelect }>) {
  const { id, teamId, email, role, user, expiresAt, createdAt } = row;
  return {
    id,
    teamId,
    kind: teamInvitationKind(row),
    email,
    player: user ? named(user) : null,
    role: invitedRole(role),
    status: teamInvitationStatus(row),
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

export const receivedSelect = {
  ...invitationSelect,
  team: { select: cardSelect },
  invitedBy: { select: { name: true } },
} as const satisfies Prisma.TeamInvitationSelect;

type Received = TeamInvitationGetPayload<{ select: typeof receivedSelect }>;

/** An invitation as the invited player sees it. */
export function presentReceived(row: Received) {
  const { id, role, invitedBy, expiresAt, createdAt } = row;
  return {
    id,
    team: presentCard(row.team),
    role: invitedRole(role),
    invitedBy: invitedBy.name,
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

/** An invitation as everyone with its link sees it. */
export function presentPreview(row: Received) {
  const { id: _id, createdAt: _createdAt, ...received } = presentReceived(row);
  const team = { ...received.team, disbanded: row.team.disbandedAt !== null };
  return { ...received, team, kind: teamInvitationKind(row), email: row.email, status: teamInvitationStatus(row) };
}

/** Neither accepted, declined nor revoked; it may have expired. */
export const unanswered = { acceptedAt: null, declinedAt: null, revokedAt: null };

/** The invitations of a user, by who they are for: them, and their address once it is confirmed. */
export function isInvited(user: AuthUser) {
  const email = user.emailVerified ? [{ email: user.email }] : [];
  return { OR: [{ userId: user.id }, ...email] } satisfies Prisma.TeamInvitationWhereInput;
}

/** What a block sends to the same recipient in a day has the places 0 to this, which the third and all after it share. */
export const lastPlace = 2;
/** Invitations of a place that are read: the latest to a player, and as many to their address. */
const perPlace = 400;

/**
 * Reads that page, as SQL: how many there are, and their ids. Anybody can invite a player to teams of their own, so accounts
 * and blocks of addresses take turns: the latest of each comes first, then the next of anybody. However many there are, 2,400
 * are read at most: of every place among those of a block the latest, so that many of one block do not hide that of another.
 */
export const receivedSql = (user: AuthUser, { skip, take }: { skip: number; take: number }) => Prisma.sql`
  WITH "read" AS (
    SELECT i.*, coalesce(i."invitedFrom", i."invitedById") AS "block",
      row_number() OVER (PARTITION BY i."invitedById" ORDER BY i."createdAt" DESC, i."id" DESC) AS "ofAccount"
    FROM unnest(${user.emailVerified ? [user.id, user.email] : [user.id]}::text[]) AS r ("recipient")
    CROSS JOIN generate_series(0, ${lastPlace}::int) AS p ("place")
    CROSS JOIN LATERAL (
      SELECT i."id", i."teamId", i."invitedById", i."invitedFrom", i."createdAt" FROM "team_invitation" i
      WHERE coalesce(i."userId", i."email") = r."recipient" AND i."place" = p."place" AND i."expiresAt" > now()
        AND i."acceptedAt" IS NULL AND i."declinedAt" IS NULL AND i."revokedAt" IS NULL
      ORDER BY i."expiresAt" DESC LIMIT ${perPlace}) i
    JOIN "team" t ON t."id" = i."teamId" AND t."disbandedAt" IS NULL
  ), "open" AS MATERIALIZED (
    SELECT "id", "createdAt", greatest("ofAccount",
      row_number() OVER (PARTITION BY "block" ORDER BY "ofAccount", "createdAt" DESC, "id" DESC)) AS "turn" FROM "read"
  )
  SELECT (SELECT count(*) FROM "open")::int AS "total", ARRAY(
    SELECT "id" FROM "open" ORDER BY "turn", "createdAt" DESC, "id" DESC LIMIT ${take} OFFSET ${skip}) AS "ids"`;

/** A page of the open invitations that a user sees when signed in. */
export async function listReceived(tx: Tx, asker: Asker, user: AuthUser, input: PageInput) {
  const [found] = await report<{ total: number; ids: string[] }>(asker, receivedSql(user, pageArgs(input)));
  const { total, ids } = found ?? { total: 0, ids: [] };
  const rows = await tx.teamInvitation.findMany({ where: { id: { in: ids } }, select: receivedSelect });
  const items = rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(presentReceived);
  return toPage(items, total, input);
}

/** The address of the page for an invitation. */
export function invitationUrl(token: string): string {
  return `${publicUrl}/team-invitations/${token}`;
}

/**
 * The roster that a captain's team registers with by default.
 * @returns null when there is no such team or the user is not its captain
 */
export async function readCaptainsTeam(tx: Tx, teamId: string, captainId: string) {
  const row = await tx.team.findUnique({
    where: { id: teamId, disbandedAt: null, members: { some: { userId: captainId, role: 'captain' } } },
    select: { id: true, name: true, members: { select: { userId: true, role: true }, orderBy: [...memberOrder] } },
  });
  return row && { ...row, members: rosterOf(row.members) };
}
