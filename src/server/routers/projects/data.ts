import { invitationStatus } from '@/domain/projects/invitations';
import { can, canGrant, grantableRoles, type Permission } from '@/domain/projects/permissions';
import { plans } from '@/domain/projects/plans';
import { scopes } from '@/domain/projects/scopes';
import type { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin } from '@/server/events/emit';

export const projectSelect = {
  id: true,
  slug: true,
  name: true,
  plan: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.ProjectSelect;

/** A project as its members read it. */
export function presentProject(
  row: Prisma.ProjectGetPayload<{ select: typeof projectSelect }>,
  role: ProjectRole | null,
) {
  const { capabilities, requestsPerMinute } = plans[row.plan];
  return {
    ...row,
    capabilities: [...capabilities],
    requestsPerMinute,
    role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** For projects that do not exist and for those of others alike. */
export const noSuchProject = () =>
  refuse('NOT_FOUND', { message: 'This project does not exist, or you are not a member of it.' });

/** The role of a user in a project, or null. */
export async function roleIn(tx: Tx, projectId: string, userId: string): Promise<ProjectRole | null> {
  const where = { projectId_userId: { projectId, userId } };
  return (await tx.member.findUnique({ where, select: { role: true } }))?.role ?? null;
}

/**
 * Locks a project until the transaction ends, so that its members change one at a time, and reads the caller's role again:
 * it may have changed since the gate.
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function lockProject(
  tx: Tx,
  projectId: string,
  userId: string,
  permission: Permission,
): Promise<ProjectRole> {
  await tx.$queryRaw`SELECT 1 FROM "project" WHERE "id" = ${projectId} FOR NO KEY UPDATE`;
  const role = await roleIn(tx, projectId, userId);
  if (!role) throw noSuchProject();
  if (!can(role, permission)) throw refuse('FORBIDDEN');
  return role;
}

export const memberSelect = {
  userId: true,
  role: true,
  createdAt: true,
  user: { select: { name: true, email: true } },
} as const satisfies Prisma.MemberSelect;

/** A member as the admins of the project read it. */
export function presentMember(row: Prisma.MemberGetPayload<{ select: typeof memberSelect }>) {
  const { userId, role, createdAt, user } = row;
  return { userId, role, name: user.name, email: user.email, createdAt: createdAt.toISOString() };
}

export const invitationSelect = {
  id: true,
  email: true,
  role: true,
  acceptedAt: true,
  revokedAt: true,
  expiresAt: true,
  createdAt: true,
} as const satisfies Prisma.InvitationSelect;

/** Whether a user may invite to a role now; an invitation is worth as much as its sender. The project must be locked. */
export async function mayInvite(tx: Tx, projectId: string, userId: string, role: ProjectRole): Promise<boolean> {
  const inviter = await tx.member.findUnique({
    where: { projectId_userId: { projectId, userId }, user: { suspendedAt: null } },
    select: { role: true },
  });
  return inviter !== null && canGrant(inviter.role, role);
}

/**
 * Revokes what a member has sent and could not send with their new role; null: removed. The project must be locked.
 * @returns how many invitations
 */
export async function revokeInvitationsOf(
  tx: Tx,
  projectId: string,
  userId: string,
  role: ProjectRole | null,
): Promise<number> {
  const { count } = await tx.invitation.updateMany({
    where: {
      projectId,
      invitedById: userId,
      acceptedAt: null,
      revokedAt: null,
      role: { notIn: role ? grantableRoles(role) : [] },
    },
    data: { revokedAt: new Date() },
  });
  return count;
}

/**
 * Whether the account with an address has registered for a tournament of the project. Whom staff have registered is a
 * stranger until they accept.
 */
export async function isRegistrant(tx: Tx, projectId: string, email: string): Promise<boolean> {
  const row = await tx.participant.findFirst({
    where: { acceptedAt: { not: null }, user: { email, emailVerifiedAt: { not: null } }, tournament: { projectId } },
    select: { id: true },
  });
  return row !== null;
}

/** Invitations of a project that someone can still accept. */
export function openInvitations(projectId: string, now = new Date()) {
  return { projectId, acceptedAt: null, revokedAt: null, expiresAt: { gt: now } } satisfies Prisma.InvitationWhereInput;
}

/** An invitation in a list, without its token. */
export function presentInvitation(row: Prisma.InvitationGetPayload<{ select: typeof invitationSelect }>) {
  const { id, email, role, expiresAt, createdAt } = row;
  return {
    id,
    email,
    role,
    status: invitationStatus(row),
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

export const apiKeySelect = {
  id: true,
  name: true,
  publicId: true,
  scopes: true,
  expiresAt: true,
  lastUsedAt: true,
  createdAt: true,
} as const satisfies Prisma.ApiKeySelect;

/**
 * Revokes the API keys that a member made, whose texts they may have kept. Each has an audit entry. The project must be
 * locked.
 */
export async function revokeKeysOf(tx: Tx, by: Origin, projectId: string, userId: string): Promise<void> {
  const rows = await tx.apiKey.updateManyAndReturn({
    where: { projectId, createdById: userId, revokedAt: null },
    data: { revokedAt: new Date() },
    select: { id: true, name: true },
  });
  const target = { projectId, action: 'api_key.revoke', targetType: 'api_key' } as const;
  await audit(tx, by, ...rows.map(({ id, name }) => ({ ...target, targetId: id, details: { name } })));
}

/** What a member made that stays when they leave: the API keys that work, and the webhooks, newest first. */
export async function madeBy(tx: Tx, projectId: string, userId: string) {
  const where = { projectId, createdById: userId };
  const [keys, webhooks] = await Promise.all([
    tx.apiKey.findMany({
      where: { ...where, revokedAt: null },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: apiKeySelect,
    }),
    tx.webhookSubscription.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: { id: true, url: true },
    }),
  ]);
  return { apiKeys: keys.map(presentApiKey), webhooks };
}

/** An API key in a list: its prefix, never the key. */
export function presentApiKey(row: Prisma.ApiKeyGetPayload<{ select: typeof apiKeySelect }>) {
  return {
    id: row.id,
    name: row.name,
    prefix: `lrl_${row.publicId}`,
    scopes: scopes.filter((scope) => row.scopes.includes(scope)),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
