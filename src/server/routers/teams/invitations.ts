import { newId } from '@/domain/ids';
import { maxTeamMembers } from '@/domain/teams/forms';
import { hashToken } from '@/server/auth/api-keys';
import type { AuthUser } from '@/server/auth/bearer';
import { isUniqueViolation, type Tx } from '@/server/db';
import { teamInvitationEmail } from '@/server/email/account-emails';
import { queueEmail } from '@/server/email/outbox';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { pageArgs, toPage } from '@/server/paging';
import { markVerified, mintToken, startSending } from '@/server/routers/auth/data';
import {
  invitationSelect,
  invitationUrl,
  lockAsCaptain,
  lockTeam,
  openInvitationsTo,
  presentInvitation,
  presentPreview,
  presentReceived,
  receivedSelect,
  unanswered,
} from '@/server/routers/teams/data';
import { captainProcedure } from '@/server/routers/teams/gate';
import { canAnswer, invitationLifetime, invitationStatus, limits } from '@/server/routers/teams/rules';
import {
  answerInput,
  declined,
  invitation,
  invitationInput,
  invitationPage,
  invitationPreview,
  inviteInput,
  joined,
  listInvitationsInput,
  myInvitationPage,
  myInvitationsInput,
  newInvitation,
  tokenInput,
} from '@/server/routers/teams/schema';
import { publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Teams'];

/**
 * The address to write to, or null when nobody is: a link is handed on by the captain, and a player may have switched
 * letters off.
 * @throws VALIDATION_FAILED for an unknown player, ALREADY_MEMBER for one who is in the team
 */
async function recipientOf(tx: Tx, teamId: string, offer: { userId?: string; email?: string }): Promise<string | null> {
  if (offer.email) {
    const known = await tx.user.findUnique({ where: { email: offer.email }, select: { emailNotifications: true } });
    return known?.emailNotifications === false ? null : offer.email;
  }
  if (!offer.userId) return null;
  const player = await tx.user.findUnique({
    where: { id: offer.userId, suspendedAt: null },
    select: { email: true, emailNotifications: true, teams: { where: { teamId }, select: { role: true } } },
  });
  if (!player) throw refuse('VALIDATION_FAILED', { issues: [{ path: 'userId', message: 'There is no such player.' }] });
  if (player.teams.length > 0) throw refuse('ALREADY_MEMBER', { message: 'This player is in the team already.' });
  return player.emailNotifications ? player.email : null;
}

export const invite = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/teams/{teamId}/members',
      tags,
      summary: 'Invite a member',
      description:
        'The captain can, for two weeks: an address (`email`), a player (`userId`), or, with neither, whoever opens the join link in `url`. A new link replaces the one before.',
    },
    status: 201,
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'TEAM_DISBANDED',
      'TEAM_FULL',
      'ALREADY_MEMBER',
      'ALREADY_INVITED',
      'TOO_MANY_ATTEMPTS',
    ],
  })
  .input(inviteInput)
  .output(newInvitation)
  .mutation(async ({ ctx, input: { teamId, email, userId, role } }) => {
    const actor = ctx.actingUser;
    await consumeAttempts('team-invite', actor.id, limits.invite);
    if (email) await consumeAttempts('team-invite-address', email, limits.mailToAddress);
    const isLink = !email && !userId;
    const { token, tokenHash } = mintToken();
    const { row, mailId } = await ctx.db
      .$transaction(async (tx) => {
        const team = await lockAsCaptain(tx, teamId, actor.id);
        if ((await tx.teamMember.count({ where: { teamId } })) >= maxTeamMembers) throw refuse('TEAM_FULL');
        const recipient = await recipientOf(tx, teamId, { email, userId });
        const now = new Date();
        const same = { teamId, email: email ?? null, userId: userId ?? null, ...unanswered };
        await tx.teamInvitation.updateMany({
          where: isLink ? same : { ...same, expiresAt: { lte: now } },
          data: { revokedAt: now },
        });
        const created = await tx.teamInvitation.create({
          data: {
            id: newId('tiv'),
            teamId,
            email,
            userId,
            role,
            tokenHash: userId ? null : tokenHash,
            invitedById: actor.id,
            expiresAt: new Date(now.getTime() + invitationLifetime),
          },
          select: invitationSelect,
        });
        await audit(tx, ctx.by, {
          projectId: null,
          action: 'team_invitation.create',
          targetType: 'team',
          targetId: teamId,
          details: { invitationId: created.id, role },
        });
        if (!recipient) return { row: created, mailId: null };
        const letter = teamInvitationEmail({
          teamName: team.name,
          inviterName: actor.name,
          role,
          token: userId ? null : token,
          userId,
        });
        return {
          row: created,
          mailId: await queueEmail(tx, { to: recipient, kind: 'team_invitation', email: letter }),
        };
      })
      .catch((error: unknown) => {
        if (isUniqueViolation(error))
          throw refuse('ALREADY_INVITED', { message: 'There is an open invitation already.' });
        throw error;
      });
    await startSending(mailId);
    return { ...presentInvitation(row), url: isLink ? invitationUrl(token) : null };
  });

const list = captainProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/invitations',
      tags,
      summary: "List a team's invitations that wait for an answer",
      description: 'The captain can. Newest first; expired ones are among them.',
    },
  })
  .input(listInvitationsInput)
  .output(invitationPage)
  .query(async ({ ctx, input }) => {
    const where = { teamId: input.teamId, ...unanswered };
    const [rows, total] = await Promise.all([
      ctx.db.teamInvitation.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: invitationSelect,
        ...pageArgs(input),
      }),
      ctx.db.teamInvitation.count({ where }),
    ]);
    return toPage(rows.map(presentInvitation), total, input);
  });

const revoke = userProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/teams/{teamId}/invitations/{invitationId}',
      tags,
      summary: 'Revoke an invitation to a team',
      description: 'Its link stops working at once.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'TEAM_DISBANDED'],
  })
  .input(invitationInput)
  .output(invitation)
  .mutation(async ({ ctx, input: { teamId, invitationId } }) =>
    ctx.db.$transaction(async (tx) => {
      await lockAsCaptain(tx, teamId, ctx.actingUser.id);
      const [row] = await tx.teamInvitation.updateManyAndReturn({
        where: { id: invitationId, teamId, ...unanswered },
        data: { revokedAt: new Date() },
        select: invitationSelect,
      });
      if (!row) throw refuse('NOT_FOUND', { message: 'There is no open invitation with this id.' });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_invitation.revoke',
        targetType: 'team',
        targetId: teamId,
        details: { invitationId },
      });
      return presentInvitation(row);
    }),
  );

const mine = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me/team-invitations',
      tags,
      summary: 'List the invitations to you',
      description: 'Open ones to you, and to your address once you have confirmed it. Newest first.',
    },
  })
  .input(myInvitationsInput)
  .output(myInvitationPage)
  .query(async ({ ctx, input }) => {
    const where = openInvitationsTo(ctx.actingUser);
    const [rows, total] = await Promise.all([
      ctx.db.teamInvitation.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: receivedSelect,
        ...pageArgs(input),
      }),
      ctx.db.teamInvitation.count({ where }),
    ]);
    return toPage(rows.map(presentReceived), total, input);
  });

const preview = publicProcedure
  .input(tokenInput)
  .output(invitationPreview)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.teamInvitation.findUnique({
      where: { tokenHash: hashToken(input.token) },
      select: receivedSelect,
    });
    if (!row) throw refuse('NOT_FOUND', { message: 'There is no such invitation. Ask the captain for a new one.' });
    return presentPreview(row);
  });

/**
 * Finds the invitation that a player answers, and locks its team.
 * @throws INVALID_TOKEN or NOT_FOUND when there is none, FORBIDDEN when it is someone else's
 */
async function findOffer(tx: Tx, user: AuthUser, by: { token?: string; invitationId?: string }) {
  const { token, invitationId } = by;
  const where = token ? { tokenHash: hashToken(token) } : { id: invitationId ?? '' };
  const found = await tx.teamInvitation.findUnique({ where, select: { teamId: true, userId: true, email: true } });
  if (token && !found) throw refuse('INVALID_TOKEN');
  if (!found || (!token && !canAnswer(found, user, 'id'))) {
    throw refuse('NOT_FOUND', { message: 'You have no such invitation.' });
  }
  if (token && !canAnswer(found, user, 'link')) {
    throw refuse('FORBIDDEN', { message: 'This invitation is for another address. Sign in with that one.' });
  }
  const team = await lockTeam(tx, found.teamId, user.id);
  const offer = await tx.teamInvitation.findUniqueOrThrow({ where, select: invitationSelect });
  return { team, offer, isOpen: invitationStatus(offer) === 'open', isLink: !found.userId && !found.email };
}

const closed = () => refuse('INVITATION_CLOSED');

const accept = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/team-invitations/accept',
      tags,
      summary: 'Accept an invitation to a team',
      description:
        'By its id, or by the token of its link; the link of a mail works for that address only, and confirms it. Who is in the team already gets the same answer.',
    },
    errors: ['NOT_FOUND', 'INVALID_TOKEN', 'FORBIDDEN', 'TEAM_DISBANDED', 'TEAM_FULL', 'INVITATION_CLOSED'],
  })
  .input(answerInput)
  .output(joined)
  .mutation(async ({ ctx, input }) => {
    const { actingUser: user } = ctx;
    return ctx.db.$transaction(async (tx) => {
      const { team, offer, isOpen, isLink } = await findOffer(tx, user, input);
      const { teamId } = offer;
      if (!team.role) {
        if (!isOpen) throw closed();
        if ((await tx.teamMember.count({ where: { teamId } })) >= maxTeamMembers) throw refuse('TEAM_FULL');
        await tx.teamMember.create({ data: { teamId, userId: user.id, role: offer.role }, select: { role: true } });
        await audit(tx, ctx.by, {
          projectId: null,
          action: 'team_invitation.accept',
          targetType: 'team',
          targetId: teamId,
          details: { invitationId: offer.id, role: offer.role },
        });
      }
      const now = new Date();
      const answered = isLink ? [] : [{ id: offer.id }];
      await tx.teamInvitation.updateMany({
        where: { teamId, ...unanswered, OR: [...answered, ...openInvitationsTo(user, now).OR] },
        data: { acceptedAt: now },
      });
      if (offer.email && input.token) await markVerified(tx, ctx.by, user);
      return { teamId, name: team.name, role: team.role ?? offer.role };
    });
  });

const decline = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/team-invitations/decline',
      tags,
      summary: 'Decline an invitation to a team',
      description: 'By its id, or by the token of its link. A join link that many may use cannot be declined.',
    },
    errors: ['NOT_FOUND', 'INVALID_TOKEN', 'FORBIDDEN', 'TEAM_DISBANDED', 'INVITATION_CLOSED', 'INVALID_STATE'],
  })
  .input(answerInput)
  .output(declined)
  .mutation(async ({ ctx, input }) =>
    ctx.db.$transaction(async (tx) => {
      const { offer, isOpen, isLink } = await findOffer(tx, ctx.actingUser, input);
      if (isLink) throw refuse('INVALID_STATE', { message: 'This link is for many. Leave it unused.' });
      if (!isOpen) throw closed();
      await tx.teamInvitation.update({
        where: { id: offer.id },
        data: { declinedAt: new Date() },
        select: { id: true },
      });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_invitation.decline',
        targetType: 'team',
        targetId: offer.teamId,
        details: { invitationId: offer.id },
      });
      return { invitationId: offer.id, declined: true as const };
    }),
  );

/** Offers to join a team. */
export const invitations = router({ list, revoke, mine, preview, accept, decline });
