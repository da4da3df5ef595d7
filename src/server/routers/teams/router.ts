import { newId } from '@/domain/ids';
import { isRestorable, restorableFor } from '@/domain/teams/restoring';
import { durationInWords } from '@/domain/time/durations';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { consumeAttemptsOf } from '@/server/limits/rate-limit';
import { pageArgs, toPage } from '@/server/paging';
import { lockCaller } from '@/server/routers/auth/data';
import {
  listedSelect,
  lockAsCaptain,
  noSuchTeam,
  presentListed,
  presentTeam,
  requireRoomForTeam,
  requireRoomToRestore,
  teamSelect,
} from '@/server/routers/teams/data';
import { invitations } from '@/server/routers/teams/invitations';
import { members } from '@/server/routers/teams/members';
import { limits } from '@/server/routers/teams/rules';
import {
  createTeamInput,
  listTeamsInput,
  team,
  teamInput,
  teamPage,
  updateTeamInput,
} from '@/server/routers/teams/schema';
import { publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Teams'];

const create = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/teams',
      tags,
      summary: 'Create a team',
      description: 'You become its captain. Several teams can have the same name.',
    },
    status: 201,
    errors: ['TOO_MANY_ATTEMPTS'],
    quotas: ['teams'],
  })
  .input(createTeamInput)
  .output(team)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    await consumeAttemptsOf(ctx.actingUser, 'team-create', limits.create);
    return ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx.actingUser);
      await requireRoomForTeam(tx, userId);
      const row = await tx.team.create({
        data: { id: newId('tem'), ...input, members: { create: { userId, role: 'captain' } } },
        select: teamSelect,
      });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team.create',
        targetType: 'team',
        targetId: row.id,
        details: { name: row.name },
      });
      return presentTeam(row, userId);
    });
  });

const mine = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams',
      tags,
      summary: 'List your teams',
      description: 'The teams you are a member of, most recently joined first, without disbanded teams.',
    },
  })
  .input(listTeamsInput)
  .output(teamPage)
  .query(async ({ ctx, input }) => {
    const where = { userId: ctx.actingUser.id, role: input.role, team: { disbandedAt: null } };
    const [rows, total] = await Promise.all([
      ctx.db.teamMember.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { teamId: 'desc' }],
        select: { role: true, team: { select: listedSelect } },
        ...pageArgs(input),
      }),
      ctx.db.teamMember.count({ where }),
    ]);
    return toPage(
      rows.map((row) => presentListed(row.team, row.role)),
      total,
      input,
    );
  });

const read = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}',
      tags,
      summary: 'Read a team',
      description: 'Its name and members, which are public. With a Bearer token, `myRole` is your role.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(teamInput)
  .output(team)
  .query(async ({ ctx, input }) => {
    const [user, row] = await Promise.all([
      ctx.user(),
      ctx.db.team.findUnique({ where: { id: input.teamId }, select: teamSelect }),
    ]);
    if (!row) throw noSuchTeam();
    return presentTeam(row, user?.id);
  });

const update = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/teams/{teamId}',
      tags,
      summary: 'Change the name or the tag of a team',
      description: 'For the captain. Registrations keep the name they were made with. Supports If-Match.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'TEAM_DISBANDED', 'VERSION_MISMATCH'],
  })
  .input(updateTeamInput)
  .output(team)
  .mutation(async ({ ctx, input }) => {
    const { teamId, name, tag } = input;
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch, input.version);
    return ctx.db.$transaction(async (tx) => {
      await lockAsCaptain(tx, teamId, userId, { version });
      await tx.team.update({
        where: { id: teamId },
        data: { name, tag, version: { increment: 1 } },
        select: { id: true },
      });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team.update',
        targetType: 'team',
        targetId: teamId,
        details: { name, tag },
      });
      return presentTeam(await tx.team.findUniqueOrThrow({ where: { id: teamId }, select: teamSelect }), userId);
    });
  });

const disband = userProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/teams/{teamId}',
      tags,
      summary: 'Disband a team',
      description:
        'For the captain. The team can no longer register or add members; its registrations for tournaments stay. It can be restored for 7 days.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'TEAM_DISBANDED', 'VERSION_MISMATCH'],
  })
  .input(teamInput)
  .output(team)
  .mutation(async ({ ctx, input: { teamId } }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      await lockAsCaptain(tx, teamId, userId, { version });
      const row = await tx.team.update({
        where: { id: teamId },
        data: { disbandedAt: new Date(), version: { increment: 1 } },
        select: teamSelect,
      });
      await audit(tx, ctx.by, { projectId: null, action: 'team.disband', targetType: 'team', targetId: teamId });
      return presentTeam(row, userId);
    });
  });

const restore = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/teams/{teamId}/restore',
      tags,
      summary: 'Restore a disbanded team',
      description: 'For the captain, for 7 days. The members and open invitations are as they were.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE', 'VERSION_MISMATCH'],
    quotas: ['teams'],
  })
  .input(teamInput)
  .output(team)
  .mutation(async ({ ctx, input: { teamId } }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx.actingUser);
      const { disbandedAt } = await lockAsCaptain(tx, teamId, userId, { evenDisbanded: true, version });
      if (!disbandedAt) throw refuse('INVALID_STATE', { message: 'The team is not disbanded.' });
      if (!isRestorable(disbandedAt.getTime(), Date.now())) {
        throw refuse('INVALID_STATE', {
          message: `A team can be restored for ${durationInWords(restorableFor)}. Create a new one and invite its members.`,
        });
      }
      await requireRoomToRestore(tx, userId, teamId);
      const row = await tx.team.update({
        where: { id: teamId },
        data: { disbandedAt: null, version: { increment: 1 } },
        select: teamSelect,
      });
      await audit(tx, ctx.by, { projectId: null, action: 'team.restore', targetType: 'team', targetId: teamId });
      return presentTeam(row, userId);
    });
  });

/** Teams of players who register for tournaments together. */
export const teamsRouter = router({ create, mine, read, update, disband, restore, members, invitations });
