import { newId } from '@/domain/ids';
import { teamSizeMax } from '@/domain/teams/forms';
import { hashToken } from '@/server/auth/api-keys';
import type { AuthUser } from '@/server/auth/bearer';
import type { Tx } from '@/server/db';
import { teamInvitationLetter } from '@/server/email/account-emails';
import { queueMail } from '@/server/email/outbox';
import { pageArgs, toPage } from '@/server/envelope';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { mailQueued, markVerified, mintToken } from '@/server/routers/auth/data';
import {
  isSecondOffer,
  lockAsCaptain,
  lockTeam,
  noSuchTeam,
  offerSelect,
  offersTo,
  offerUrl,
  onlyCaptain,
  presentOffer,
  presentPreview,
  presentReceived,
  receivedSelect,
  unanswered,
} from '@/server/routers/teams/data';
import { isFor, limits, offerLifetime, offerStatus } from '@/server/routers/teams/rules';
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
        if ((await tx.teamMember.count({ where: { teamId } })) >= teamSizeMax) throw refuse('TEAM_FULL');
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
            expiresAt: new Date(now.getTime() + offerLifetime),
          },
          select: offerSelect,
        });
        await audit(tx, ctx.by, {
          projectId: null,
          action: 'team_invitation.create',
          targetType: 'team',
          targetId: teamId,
          details: { invitationId: created.id, role },
        });
        if (!recipient) return { row: created, mailId: null };
        const letter = teamInvitationLetter({
          teamName: team.name,
          inviterName: actor.name,
          role,
          token: userId ? null : token,
          userId,
        });
        return { row: created, mailId: await queueMail(tx, { to: recipient, kind: 'team_invitation', letter }) };
      })
      .catch((error: unknown) => {
        if (isSecondOffer(error)) throw refuse('ALREADY_INVITED', { message: 'There is an open invitation already.' });
        throw error;
      });
    await mailQueued(mailId);
    return { ...presentOffer(row), url: isLink ? offerUrl(token) : null };
  });

const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/invitations',
      tags,
      summary: "List a team's invitations that wait for an answer",
      description: 'The captain can. Newest first; expired ones are among them.',
    },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  })
  .input(listInvitationsInput)
  .output(invitationPage)
  .query(async ({ ctx, input }) => {
    const { teamId } = input;
    const mine = { where: { userId: ctx.actingUser.id }, select: { role: true } };
    const team = await ctx.db.team.findUnique({ where: { id: teamId }, select: { members: mine } });
    if (!team) throw noSuchTeam();
    if (team.members[0]?.role !== 'captain') throw onlyCaptain();
    const where = { teamId, ...unanswered };
    const [rows, total] = await Promise.all([
      ctx.db.teamInvitation.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: offerSelect,
        ...pageArgs(input),
      }),
      ctx.db.teamInvitation.count({ where }),
    ]);
    return toPage(rows.map(presentOffer), total, input);
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
        select: offerSelect,
      });
      if (!row) throw refuse('NOT_FOUND', { message: 'There is no open invitation with this id.' });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_invitation.revoke',
        targetType: 'team',
        targetId: teamId,
        details: { invitationId },
      });
      return presentOffer(row);
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
    const where = offersTo(ctx.actingUser);
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
  if (!found || (!token && !isFor(found, user, 'id'))) {
    throw refuse('NOT_FOUND', { message: 'You have no such invitation.' });
  }
  if (token && !isFor(found, user, 'link')) {
    throw refuse('FORBIDDEN', { message: 'This invitation is for another address. Sign in with that one.' });
  }
  const team = await lockTeam(tx, found.teamId, user.id);
  const offer = await tx.teamInvitation.findUniqueOrThrow({ where, select: offerSelect });
  return { team, offer, isOpen: offerStatus(offer) === 'open', isLink: !found.userId && !found.email };
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
        if ((await tx.teamMember.count({ where: { teamId } })) >= teamSizeMax) throw refuse('TEAM_FULL');
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
        where: { teamId, ...unanswered, OR: [...answered, ...offersTo(user, now).OR] },
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
