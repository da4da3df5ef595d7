import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { pageArgs, toPage } from '@/server/paging';
import {
  lockTeam,
  memberOrder,
  memberSelect,
  noSuchTeam,
  onlyCaptain,
  presentMember,
  unanswered,
} from '@/server/routers/teams/data';
import { invite } from '@/server/routers/teams/invitations';
import { memberChangeRefusal } from '@/server/routers/teams/rules';
import {
  listMembersInput,
  memberInput,
  memberPage,
  removedMember,
  teamMember,
  updateMemberInput,
} from '@/server/routers/teams/schema';
import { publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Teams'];
const path = '/teams/{teamId}/members/{userId}';

const noSuchMember = () => refuse('NOT_FOUND', { message: 'This person is not a member of the team.' });

const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/members',
      tags,
      summary: 'List the members of a team',
      description: 'The captain first, then players, then substitutes.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listMembersInput)
  .output(memberPage)
  .query(async ({ ctx, input }) => {
    const where = { teamId: input.teamId };
    const [rows, total] = await Promise.all([
      ctx.db.teamMember.findMany({ where, orderBy: [...memberOrder], select: memberSelect, ...pageArgs(input) }),
      ctx.db.teamMember.count({ where }),
    ]);
    // A team always has a captain.
    if (total === 0) throw noSuchTeam();
    return toPage(rows.map(presentMember), total, input);
  });

const update = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path,
      tags,
      summary: "Change a member's role",
      description: 'For the captain. Rosters that are already registered do not change.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'TEAM_DISBANDED', 'CAPTAIN_MUST_STAY'],
  })
  .input(updateMemberInput)
  .output(teamMember)
  .mutation(async ({ ctx, input: { teamId, userId, role } }) => {
    const actorId = ctx.actingUser.id;
    const key = { teamId_userId: { teamId, userId } };
    return ctx.db.$transaction(async (tx) => {
      const { role: actor } = await lockTeam(tx, teamId, actorId);
      if (actor !== 'captain') throw onlyCaptain();
      const before = await tx.teamMember.findUnique({ where: key, select: { role: true } });
      if (!before) throw noSuchMember();
      const refusal = memberChangeRefusal({ actor, self: userId === actorId, from: before.role, to: role });
      if (refusal) throw refuse(refusal);
      if (role === 'captain' && before.role !== 'captain') {
        // The captain steps down first: a unique index allows one captain for each team.
        await tx.teamMember.update({
          where: { teamId_userId: { teamId, userId: actorId } },
          data: { role: 'player' },
          select: { userId: true },
        });
        // Invitations are the captain's; the new captain sends their own.
        await tx.teamInvitation.updateMany({ where: { teamId, ...unanswered }, data: { revokedAt: new Date() } });
      }
      const row = await tx.teamMember.update({ where: key, data: { role }, select: memberSelect });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_member.update',
        targetType: 'team',
        targetId: teamId,
        details: { userId, from: before.role, to: role },
      });
      return presentMember(row);
    });
  });

const remove = userProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path,
      tags,
      summary: 'Remove a member, or leave',
      description:
        'The captain can remove others, which ends the join link, and everyone else can leave. The captain has to hand over the captaincy or disband the team first.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CAPTAIN_MUST_STAY'],
  })
  .input(memberInput)
  .output(removedMember)
  .mutation(async ({ ctx, input: { teamId, userId } }) => {
    const actorId = ctx.actingUser.id;
    const key = { teamId_userId: { teamId, userId } };
    await ctx.db.$transaction(async (tx) => {
      const { role: actor } = await lockTeam(tx, teamId, actorId, { evenDisbanded: true });
      const self = userId === actorId;
      if (actor !== 'captain' && !self) throw onlyCaptain();
      const before = await tx.teamMember.findUnique({ where: key, select: { role: true } });
      if (!before) throw noSuchMember();
      const refusal = memberChangeRefusal({ actor, self, from: before.role, to: null });
      if (refusal) throw refuse(refusal);
      const { user } = await tx.teamMember.delete({ where: key, select: { user: { select: { email: true } } } });
      // Who was removed could come back by what they know: the join link, and what was sent to them beside it.
      const known = [{ userId: null, email: null }, { userId }, { email: user.email }];
      const revoked = { teamId, ...unanswered, OR: known };
      if (!self) await tx.teamInvitation.updateMany({ where: revoked, data: { revokedAt: new Date() } });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_member.remove',
        targetType: 'team',
        targetId: teamId,
        details: { userId, role: before.role },
      });
    });
    return { userId, removed: true };
  });

/** The members of a team. New members join through invitations. */
export const members = router({ list, invite, update, remove });
