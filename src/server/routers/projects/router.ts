import { randomInt } from 'node:crypto';
import { newId } from '@/domain/ids';
import { projectSlug } from '@/domain/projects/forms';
import { can } from '@/domain/projects/permissions';
import { slugify } from '@/domain/text/slug';
import { isUniqueViolation } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { hashedBlock } from '@/server/limits/rate-limit';
import { requireRoom, takeQuota } from '@/server/limits/take-quota';
import { pageArgs, toPage } from '@/server/paging';
import { lockUser } from '@/server/routers/auth/data';
import { apiKeys } from '@/server/routers/projects/api-keys';
import { auditLog } from '@/server/routers/projects/audit-log';
import { presentProject, projectSelect, roleIn } from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import { invitations } from '@/server/routers/projects/invitations';
import { limits } from '@/server/routers/projects/limits';
import { members } from '@/server/routers/projects/members';
import {
  createProjectInput,
  listProjectsInput,
  project,
  projectPage,
  updateProjectInput,
} from '@/server/routers/projects/schema';
import { confirmedProcedure, requireConfirmed, router, userProcedure } from '@/server/trpc';

const tags = ['Projects'];

const create = confirmedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects',
      tags,
      summary: 'Create a project',
      description: 'You become its OWNER.',
    },
    status: 201,
    errors: ['SLUG_TAKEN'],
    quotas: ['projects', 'projectsPerDay'],
  })
  .input(createProjectInput)
  .output(project)
  .mutation(async ({ ctx, input }) => {
    const { name } = input;
    const id = newId('prj');
    const base = input.slug ?? slugify(name, projectSlug);
    const createdById = ctx.actingUser.id;
    return ctx.db.$transaction(async (tx) => {
      await lockUser(tx, createdById);
      requireRoom('projects', createdById, await tx.project.count({ where: { createdById } }));
      await takeQuota(tx, 'projectsPerDay', createdById);
      const insert = (slug: string) =>
        tx.project.createManyAndReturn({
          data: { id, slug, name, createdById, createdFrom: hashedBlock(ctx.ip) },
          skipDuplicates: true,
          select: projectSelect,
        });
      let [row] = await insert(base);
      if (!row && !input.slug) [row] = await insert(`${base}-${randomInt(1e8, 1e9).toString(36)}`);
      if (!row) throw refuse('SLUG_TAKEN');
      await tx.member.create({
        data: { projectId: id, userId: createdById, role: 'OWNER' },
        select: { role: true },
      });
      await audit(tx, ctx.by, {
        projectId: id,
        action: 'project.create',
        targetType: 'project',
        targetId: id,
        details: { name, slug: row.slug },
      });
      return presentProject(row, 'OWNER');
    });
  });

const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects',
      tags,
      summary: 'List the projects you are a member of',
      description: 'With your role in each, most recently joined first.',
    },
  })
  .input(listProjectsInput)
  .output(projectPage)
  .query(async ({ ctx, input }) => {
    const where = { userId: ctx.actingUser.id };
    const [rows, total] = await Promise.all([
      ctx.db.member.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { projectId: 'desc' }],
        select: { role: true, project: { select: projectSelect } },
        ...pageArgs(input),
      }),
      ctx.db.member.count({ where }),
    ]);
    return toPage(
      rows.map((row) => presentProject(row.project, row.role)),
      total,
      input,
    );
  });

const get = projectProcedure('project:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}',
      tags,
      summary: 'Read a project',
      description: 'Its plan, what the plan includes, and your role.',
    },
  })
  .output(project)
  .query(async ({ ctx }) => {
    const { projectId, role } = ctx.scope;
    const row = await ctx.db.project.findUniqueOrThrow({ where: { id: projectId }, select: projectSelect });
    return presentProject(row, role);
  });

const update = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/projects/{projectId}',
      tags,
      summary: 'Change a project',
      description:
        'OWNER and ADMIN can change the name and the slug. Only instance admins can change the plan, of any project. Supports If-Match.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SLUG_TAKEN', 'VERSION_MISMATCH'],
    confirmed: true,
  })
  .input(updateProjectInput)
  .output(project)
  .mutation(async ({ ctx, input }) => {
    const { projectId, name, slug, plan } = input;
    const version = expectedVersion(ctx.ifMatch, input.version);
    const { id: userId, instanceAdmin } = ctx.actingUser;
    const role = await roleIn(ctx.db, projectId, userId);
    if (!role && !instanceAdmin) throw refuse('NOT_FOUND');
    const changesSettings = name !== undefined || slug !== undefined || plan === undefined;
    if (changesSettings && !can(role, 'project:write')) throw refuse('FORBIDDEN');
    if (changesSettings) requireConfirmed(ctx.actingUser);
    if (plan !== undefined && !instanceAdmin) {
      throw refuse('FORBIDDEN', { message: 'Only admins of this instance can change the plan.' });
    }
    try {
      return await ctx.db.$transaction(async (tx) => {
        const [row] = await tx.project.updateManyAndReturn({
          where: { id: projectId, version },
          data: { name, slug, plan, version: { increment: 1 } },
          select: projectSelect,
        });
        if (!row) throw refuse(role || version !== undefined ? 'VERSION_MISMATCH' : 'NOT_FOUND');
        const right = changesSettings ? ({ projectId, userId, permission: 'project:write' } as const) : undefined;
        await audit(
          tx,
          { ...ctx.by, right },
          {
            projectId,
            action: 'project.update',
            targetType: 'project',
            targetId: projectId,
            details: { name, slug, plan },
          },
        );
        return presentProject(row, role);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw refuse('SLUG_TAKEN');
      throw error;
    }
  });

/** Projects, their members and their credentials. */
export const projectsRouter = router({ create, list, get, update, limits, members, invitations, apiKeys, auditLog });
