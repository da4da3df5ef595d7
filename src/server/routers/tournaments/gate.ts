import { z } from 'zod';
import { can, type Permission } from '@/domain/projects/permissions';
import { refuse } from '@/server/errors';
import { memberProcedure, openScope } from '@/server/trpc';
import { findVisible } from './data';

/**
 * Admits a member, with the permission, of the project that owns `input.tournamentId` (id or slug): `ctx.scope`,
 * `ctx.tournamentId`. Everyone else gets 404 for a tournament they cannot see and 403 for one they can.
 */
export function tournamentProcedure(permission: Permission) {
  return memberProcedure.input(z.object({ tournamentId: z.string() })).use(async ({ ctx, input, next }) => {
    const { id, projectId, role } = await findVisible(input.tournamentId, ctx.actingUser);
    if (!role || !can(role, permission)) throw refuse('FORBIDDEN');
    return next({ ctx: { scope: openScope(projectId, role), tournamentId: id } });
  });
}
