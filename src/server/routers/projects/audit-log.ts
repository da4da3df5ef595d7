import { Prisma } from '@/generated/prisma/client';
import { readerOf } from '@/server/context';
import { boundPage, ordinaryItem, pageArgs, toPage } from '@/server/paging';
import { report } from '@/server/report';
import { projectProcedure } from '@/server/routers/projects/gate';
import { auditPage, listAuditInput } from '@/server/routers/projects/schema';
import { router } from '@/server/trpc';

/** The ids of all targets of a type. */
function idsOf(rows: { targetType: string; targetId: string }[], type: string): string[] {
  return rows.flatMap((row) => (row.targetType === type ? [row.targetId] : []));
}

const list = projectProcedure('audit:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/audit-log',
      tags: ['Projects'],
      summary: 'Read the audit log',
      description:
        'Every change in the project, with who made it and in which request, newest first. For OWNER and ADMIN.',
    },
  })
  .input(listAuditInput)
  .output(auditPage)
  .query(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const ofType = input.targetType ? Prisma.sql`AND "targetType" = ${input.targetType}` : Prisma.empty;
    const matching = Prisma.sql`FROM "audit_entry" WHERE "projectId" = ${projectId} ${ofType}`;
    const asker = await readerOf(ctx);
    // The expression of the index audit_entry_large.
    const bytes = Prisma.sql`octet_length("details"::text)`;
    const [counted] = await report<{ total: number; bytes: number | null }>(
      asker,
      Prisma.sql`SELECT (SELECT count(*)::int ${matching}) AS total,
        (SELECT max(${bytes}) ${matching} AND ${bytes} > ${Prisma.raw(String(ordinaryItem.bytes))}) AS bytes`,
    );
    const bounded = boundPage(input, { bytes: counted?.bytes });
    const { skip, take } = pageArgs(bounded);
    // Ids first: only this page reads whole rows.
    const page = await report<{ id: string }>(
      asker,
      Prisma.sql`SELECT "id" ${matching} ORDER BY "createdAt" DESC, "id" DESC LIMIT ${take} OFFSET ${skip}`,
    );
    const rows = await ctx.db.auditEntry.findMany({
      where: { id: { in: page.map(({ id }) => id) } },
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
    });
    const actorIds = rows.flatMap((row) => (row.actorType === 'user' && row.actorId ? [row.actorId] : []));
    const select = { id: true, name: true } as const;
    const found = await Promise.all([
      ctx.db.user.findMany({ where: { id: { in: [...actorIds, ...idsOf(rows, 'user')] } }, select }),
      ctx.db.tournament.findMany({ where: { id: { in: idsOf(rows, 'tournament') }, projectId }, select }),
    ]);
    // By their ids: asked for those of the project, PostgreSQL may look through all of its tournaments.
    const participants = await ctx.db.participant.findMany({
      where: { id: { in: idsOf(rows, 'participant') } },
      select: { ...select, tournament: { select: { projectId: true } } },
    });
    const own = participants.filter(({ tournament }) => tournament.projectId === projectId);
    const names = new Map([...found.flat(), ...own].map(({ id, name }) => [id, name]));
    const items = rows.map(({ actorType, actorId, details, createdAt, ...row }) => ({
      ...row,
      actor: { type: actorType, id: actorId, name: (actorId && names.get(actorId)) ?? null },
      targetName: names.get(row.targetId) ?? null,
      details: details as Record<string, unknown>,
      createdAt: createdAt.toISOString(),
    }));
    return toPage(items, counted?.total ?? 0, bounded);
  });

/** The audit log of a project. */
export const auditLog = router({ list });
