import { z } from 'zod';
import { can, type Permission, writes } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { noSuchProject, roleIn } from '@/server/routers/projects/data';
import { memberProcedure, openScope, requireConfirmed } from '@/server/trpc';

/**
 * Admits a member of `input.projectId` whose role has the permission: `ctx.scope`. Everyone else gets 404, so that
 * strangers do not learn which projects exist; members without the permission get 403, and so does an account whose
 * address is not confirmed, unless it only reads.
 */
export function projectProcedure(permission: Permission) {
  const procedure = memberProcedure.meta({ confirmed: writes(permission) });
  return procedure.input(z.object({ projectId: z.string() })).use(async ({ ctx, input, next }) => {
    const role = await roleIn(ctx.db, input.projectId, ctx.actingUser.id);
    if (!role) throw noSuchProject();
    if (!can(role, permission)) throw refuse('FORBIDDEN');
    if (writes(permission)) requireConfirmed(ctx.actingUser);
    return next({ ctx: openScope(ctx, { projectId: input.projectId, role, permission }) });
  });
}
