import { z } from 'zod';
import { can, type Permission, writes } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { memberProcedure, openScope, requireConfirmed } from '@/server/trpc';
import { findVisible } from './data';

/**
 * Admits a member, with the permission, of the project that owns `input.tournamentId` (id or slug): `ctx.scope`,
 * `ctx.tournamentId`. Everyone else gets 404 for a tournament they cannot see and 403 for one they can, and so does an
 * account whose address is not confirmed, unless it only reads.
 */
export function tournamentProcedure(permission: Permission) {
  const procedure = memberProcedure.meta({ confirmed: writes(permission) });
  return procedure.input(z.object({ tournamentId: z.string() })).use(async ({ ctx, input, next }) => {
    const { id, projectId, role } = await findVisible(input.tournamentId, ctx.actingUser);
    if (!role || !can(role, permission)) throw refuse('FORBIDDEN');
    if (writes(permission)) requireConfirmed(ctx.actingUser);
    return next({ ctx: { ...openScope(ctx, { projectId, role, permission }), tournamentId: id } });
  });
}
