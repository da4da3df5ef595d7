import { pageArgs, toPage } from '@/server/envelope';
import { auditPage, listAuditInput } from '@/server/routers/projects/schema';
import { projectProcedure, router } from '@/server/trpc';

const list = projectProcedure('audit:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/audit-log',
      tags: ['Projects'],
      summary: 'List who did what, newest first',
    },
  })
  .input(listAuditInput)
  .output(auditPage)
  .query(async ({ ctx, input }) => {
    const where = { projectId: ctx.scope.projectId, targetType: input.targetType };
    const [rows, total] = await Promise.all([
      ctx.db.auditEntry.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: {
          id: true,
          action: true,
          actorType: true,
          actorId: true,
          targetType: true,
          targetId: true,
          details: true,
          requestId: true,
          createdAt: true,
        },
        ...pageArgs(input),
      }),
      ctx.db.auditEntry.count({ where }),
    ]);
    const userIds = rows.flatMap((row) => (row.actorType === 'user' && row.actorId ? [row.actorId] : []));
    const users = await ctx.db.user.findMany({ where: { id: { in: userIds } }, select: { id: true, name: true } });
    const names = new Map(users.map((user) => [user.id, user.name]));
    const items = rows.map(({ actorType, actorId, details, createdAt, ...row }) => ({
      ...row,
      actor: { type: actorType, id: actorId, name: (actorId && names.get(actorId)) ?? null },
      details: details as Record<string, unknown>,
      createdAt: createdAt.toISOString(),
    }));
    return toPage(items, total, input);
  });

/** What was done in a project, and by whom. */
export const auditLog = router({ list });
