import { can, losesKeys } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { pageArgs, toPage } from '@/server/paging';
import {
  lockProject,
  madeBy,
  memberSelect,
  presentMember,
  revokeInvitationsOf,
  revokeKeysOf,
} from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import { roleChangeRefusal } from '@/server/routers/projects/rules';
import {
  listMembersInput,
  madeByMember,
  member,
  memberInput,
  memberPage,
  removedMember,
  removeMemberInput,
  updateMemberInput,
} from '@/server/routers/projects/schema';
import { router, type TenantScope } from '@/server/trpc';

const tags = ['Members'];
const path = '/projects/{projectId}/members/{userId}';

/**
 * Locks the project and checks that the caller can change the member's role to `to` (null: remove them).
 * @returns the current roles of the caller and of the member, and whether they are the same person
 */
async function checkChange(
  tx: Tx,
  scope: TenantScope,
  change: { actorId: string; userId: string; to: ProjectRole | null },
): Promise<{ actor: ProjectRole; self: boolean; from: ProjectRole }> {
  const { projectId } = scope;
  const { actorId, userId, to } = change;
  const self = actorId === userId;
  const actor = await lockProject(tx, projectId, actorId, self && to === null ? 'project:read' : 'members:write');
  const target = await tx.member.findUnique({
    where: { projectId_userId: { projectId, userId } },
    select: { role: true },
  });
  if (!target) throw refuse('NOT_FOUND', { message: 'This person is not a member of the project.' });
  const owners = await tx.member.count({ where: { projectId, role: 'OWNER' } });
  const refusal = roleChangeRefusal({ actor, self, from: target.role, to, owners });
  if (refusal) throw refuse(refusal);
  return { actor, self, from: target.role };
}

const list = projectProcedure('members:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/members',
      tags,
      summary: 'List the members',
      description: 'Everyone in the project with their roles.',
    },
  })
  .input(listMembersInput)
  .output(memberPage)
  .query(async ({ ctx, input }) => {
    const where = { projectId: ctx.scope.projectId };
    const [rows, total] = await Promise.all([
      ctx.db.member.findMany({
        where,
        orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
        select: memberSelect,
        ...pageArgs(input),
      }),
      ctx.db.member.count({ where }),
    ]);
    return toPage(rows.map(presentMember), total, input);
  });

const update = projectProcedure('members:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path,
      tags,
      summary: "Change a member's role",
      description:
        'You cannot grant or remove a role above your own. Open invitations that they sent and could not send with the new role are revoked. So are the API keys that they made, if the new role does not manage keys, unless `revokeKeys` is false and it is not your own role.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_OWNER'],
  })
  .input(updateMemberInput)
  .output(member)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { userId, role, revokeKeys } = input;
    return ctx.db.$transaction(async (tx) => {
      const { self, from } = await checkChange(tx, ctx.scope, { actorId: ctx.actingUser.id, userId, to: role });
      const revokedInvitations = await revokeInvitationsOf(tx, projectId, userId, role);
      if ((revokeKeys || self) && losesKeys(from, role)) await revokeKeysOf(tx, ctx.by, projectId, userId);
      await audit(tx, ctx.by, {
        projectId,
        action: 'member.update',
        targetType: 'user',
        targetId: userId,
        details: { from, to: role, revokedInvitations: revokedInvitations || undefined },
      });
      return presentMember(
        await tx.member.update({
          where: { projectId_userId: { projectId, userId } },
          data: { role },
          select: memberSelect,
        }),
      );
    });
  });

const remove = projectProcedure('project:read')
  .meta({
    openapi: {
      method: 'DELETE',
      path,
      tags,
      summary: 'Remove a member',
      description:
        'OWNER and ADMIN can remove others; everyone can remove themselves. The last OWNER cannot be removed. Open invitations that they sent are revoked, and so are the API keys that they made, unless somebody else removes them with `revokeKeys` false. Webhooks that they made go on.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_OWNER'],
  })
  .input(removeMemberInput)
  .output(removedMember)
  .mutation(async ({ ctx, input: { userId, revokeKeys } }) => {
    const { projectId } = ctx.scope;
    await ctx.db.$transaction(async (tx) => {
      const change = { actorId: ctx.actingUser.id, userId, to: null };
      const { actor, self, from: role } = await checkChange(tx, ctx.scope, change);
      const revokedInvitations = await revokeInvitationsOf(tx, projectId, userId, null);
      // Whoever leaves does not decide to keep access by a key that they know.
      if ((revokeKeys || self) && can(actor, 'keys:write')) await revokeKeysOf(tx, ctx.by, projectId, userId);
      // Before the row is gone: members leave by their own right.
      await audit(tx, ctx.by, {
        projectId,
        action: 'member.remove',
        targetType: 'user',
        targetId: userId,
        details: { role, revokedInvitations: revokedInvitations || undefined },
      });
      await tx.member.delete({ where: { projectId_userId: { projectId, userId } }, select: { role: true } });
    });
    return { userId, removed: true };
  });

/** What somebody who is about to be removed leaves behind; for our pages only. */
const made = projectProcedure('keys:read')
  .input(memberInput)
  .output(madeByMember)
  .query(({ ctx, input }) => madeBy(ctx.db, ctx.scope.projectId, input.userId));

/** The members of a project. New members join through invitations. */
export const members = router({ list, update, remove, made });
