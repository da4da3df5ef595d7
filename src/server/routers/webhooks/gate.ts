import { z } from 'zod';
import { isListed } from '@/domain/network/address-ranges';
import { can, type Permission, writes } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { memberProcedure, openScope, requireConfirmed } from '@/server/trpc';

const subscriptionInput = z.object({ id: z.string().meta({ example: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6' }) });

/**
 * Admits a member, with the permission, of the project that owns the webhook subscription `input.id`, who calls from an
 * address of its whitelist: `ctx.scope`, `ctx.subscription`. Everyone else gets 404 for a subscription of another project.
 */
export function subscriptionProcedure(permission: Permission) {
  const procedure = memberProcedure.meta({
    gate: ['NOT_FOUND', 'FORBIDDEN', 'ADDRESS_NOT_ALLOWED'],
    confirmed: writes(permission),
  });
  return procedure.input(subscriptionInput).use(async ({ ctx, input, next }) => {
    const row = await ctx.db.webhookSubscription.findUnique({
      where: { id: input.id },
      select: {
        id: true,
        url: true,
        projectId: true,
        breakerState: true,
        ipWhitelist: true,
        project: { select: { members: { where: { userId: ctx.actingUser.id }, select: { role: true } } } },
      },
    });
    const role = row?.project.members[0]?.role;
    if (!row || !role) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
    if (!can(role, permission)) throw refuse('FORBIDDEN');
    if (writes(permission)) requireConfirmed(ctx.actingUser);
    if (row.ipWhitelist.length > 0 && !isListed(row.ipWhitelist, ctx.ip)) throw refuse('ADDRESS_NOT_ALLOWED');
    const admitted = openScope(ctx, { projectId: row.projectId, role, permission });
    return next({ ctx: { ...admitted, subscription: { id: row.id, url: row.url, breakerState: row.breakerState } } });
  });
}
