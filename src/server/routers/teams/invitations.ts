import { newId } from '@/domain/ids';
import { blockOf } from '@/domain/network/address-ranges';
import { maxTeamMembers } from '@/domain/teams/forms';
import { teamInvitationKind, teamInvitationLifetime, teamInvitationStatus } from '@/domain/teams/invitations';
import { durationInWords } from '@/domain/time/durations';
import { hashToken } from '@/server/auth/api-keys';
import type { AuthUser } from '@/server/auth/bearer';
import { readerOf } from '@/server/context';
import { isUniqueViolation, type Tx } from '@/server/db';
import { teamInvitationEmail } from '@/server/email/account-emails';
import { queueEmailFromOthers } from '@/server/email/outbox';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { consumeAttemptsOf, hashedSubject } from '@/server/limits/rate-limit';
import { takeStrangerEmails } from '@/server/limits/stranger-emails';
import { requireRoom, requireTaken, takeRates } from '@/server/limits/take-quota';
import { pageArgs, toPage } from '@/server/paging';
import { lockCaller, markVerified, mintToken } from '@/server/routers/auth/data';
import {
  invitationSelect,
  invitationUrl,
  isCaptain,
  isInvited,
  lastPlace,
  listReceived,
  lockAsCaptain,
  lockTeam,
  presentInvitation,
  presentPreview,
  receivedSelect,
  requireRoomForTeam,
  unanswered,
} from '@/server/routers/teams/data';
import { captainProcedure } from '@/server/routers/teams/gate';
import { canAnswer, limits } from '@/server/routers/teams/rules';
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
import { confirmedProcedure, publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Teams'];

/**
 * The address to send an invitation to. Null for a link, which the captain shares, and for players who have unsubscribed or
 * not confirmed their address.
 * @throws VALIDATION_FAILED for an unknown player, ALREADY_MEMBER for one who is already in the team
 */
async function recipientOf(
  tx: Tx,
  teamId: string,
  invited: { userId?: string; email?: string },
): Promise<string | null> {
  if (invited.email) {
    // Anybody can sign up with an address and turn its emails off: only its owner, who has confirmed it, is heeded.
    const owner = await tx.user.findUnique({
      where: { email: invited.email, emailVerifiedAt: { not: null } },
      select: { emailNotifications: true },
    });
    return owner?.emailNotifications === false ? null : invited.email;
  }
  if (!invited.userId) return null;
  const player = await tx.user.findUnique({
    where: { id: invited.userId, suspendedAt: null },
    select: {
      email: true,
      emailVerifiedAt: true,
      emailNotifications: true,
      teams: { where: { teamId }, select: { role: true } },
    },
  });
  if (!player) throw refuse('VALIDATION_FAILED', { issues: [{ path: 'userId', message: 'No player has this ID.' }] });
  if (player.teams.length > 0) throw refuse('ALREADY_MEMBER', { message: 'This player is already in the team.' });
  return player.emailNotifications && player.emailVerifiedAt ? player.email : null;
}

/**
 * Takes one from what a block may send to a recipient. Counted by what was typed, and not by whose it is: what is left would tell
 * which player has an address.
 * @returns how many it has sent within a day before
 * @throws QUOTA_EXCEEDED (429)
 */
async function takeFromBlock(tx: Tx, recipient: string, block: string): Promise<number> {
  const wanted = { name: 'teamInvitationsOfBlock', subject: hashedSubject(`${recipient} ${block}`), count: 1 } as const;
  const [taken] = await takeRates(tx, [wanted]);
  return requireTaken(wanted, taken);
}

export const invite = confirmedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/teams/{teamId}/members',
      tags,
      summary: 'Invite a member',
      description: `For the captain. Invites an email address (\`email\`), a player (\`userId\`) or, with neither, everyone who opens the join link in \`url\`. The invitation is open for ${durationInWords(teamInvitationLifetime)}; a new link replaces the previous one.`,
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
    quotas: ['teamInvitations', 'teamInvitationsOfBlock', 'strangerEmails'],
  })
  .input(inviteInput)
  .output(newInvitation)
  .mutation(async ({ ctx, input: { teamId, email, userId, role } }) => {
    const actor = ctx.actingUser;
    await consumeAttemptsOf(actor, 'team-invite', limits.invite);
    const isLink = !email && !userId;
    const { token, tokenHash } = mintToken();
    const row = await ctx.db
      .$transaction(async (tx) => {
        await lockAsCaptain(tx, teamId, actor.id);
        if ((await tx.teamMember.count({ where: { teamId } })) >= maxTeamMembers) throw refuse('TEAM_FULL');
        const emailed = await recipientOf(tx, teamId, { email, userId });
        const now = new Date();
        const same = { teamId, email: email ?? null, userId: userId ?? null, ...unanswered };
        await tx.teamInvitation.updateMany({
          where: isLink ? same : { ...same, expiresAt: { lte: now } },
          data: { revokedAt: now },
        });
        const open = { teamId, ...unanswered, expiresAt: { gt: now } };
        requireRoom('teamInvitations', teamId, await tx.teamInvitation.count({ where: open }));
        const block = blockOf(ctx.ip);
        const askedBy = hashedSubject(block);
        const recipient = email ?? userId;
        const earlier = recipient ? await takeFromBlock(tx, recipient, block) : 0;
        // Also where no email is sent: what is left of the quota would tell who has unsubscribed, and so has an account.
        if (!isLink) await takeStrangerEmails(tx, [actor.id]);
        const created = await tx.teamInvitation.create({
          data: {
            id: newId('tiv'),
            teamId,
            email,
            userId,
            role,
            tokenHash: userId ? null : tokenHash,
            invitedById: actor.id,
            invitedFrom: askedBy,
            place: Math.min(earlier, lastPlace),
            expiresAt: new Date(now.getTime() + teamInvitationLifetime),
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
        if (!emailed) return created;
        const content = teamInvitationEmail({ role, token: userId ? null : token, userId });
        const invitation = { to: emailed, kind: 'team_invitation', email: content, sourceId: teamId, askedBy };
        await queueEmailFromOthers(tx, invitation);
        return created;
      })
      .catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        throw refuse('ALREADY_INVITED', { message: 'There already is an open invitation. Revoke it to send another.' });
      });
    return { ...presentInvitation(row), url: isLink ? invitationUrl(token) : null };
  });

const list = captainProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/teams/{teamId}/invitations',
      tags,
      summary: "List a team's pending invitations",
      description: 'For the captain. Newest first, including expired ones.',
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
      summary: 'List your invitations',
      description:
        'The open invitations to you, and to your email address once you have confirmed it. They take turns, by who invited you and from which block of addresses: the latest of each come first, then the next. Where there are very many, only the latest are listed.',
    },
  })
  .input(myInvitationsInput)
  .output(myInvitationPage)
  .query(async ({ ctx, input }) => listReceived(ctx.db, await readerOf(ctx), ctx.actingUser, input));

const preview = publicProcedure
  .input(tokenInput)
  .output(invitationPreview)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.teamInvitation.findUnique({
      where: { tokenHash: hashToken(input.token) },
      select: receivedSelect,
    });
    if (!row) throw refuse('NOT_FOUND', { message: 'This invitation does not exist. Ask the captain for a new one.' });
    return presentPreview(row);
  });

/**
 * Finds the invitation that a player accepts or declines, and locks its team.
 * @throws INVALID_TOKEN or NOT_FOUND when there is none, FORBIDDEN when it is for someone else
 */
async function findInvitation(tx: Tx, user: AuthUser, by: { token?: string; invitationId?: string }) {
  const { token, invitationId } = by;
  const where = token ? { tokenHash: hashToken(token) } : { id: invitationId ?? '' };
  const found = await tx.teamInvitation.findUnique({
    where,
    select: { teamId: true, userId: true, email: true, invitedById: true },
  });
  if (token && !found) throw refuse('INVALID_TOKEN');
  if (!found || (!token && !canAnswer(found, user, 'id'))) {
    throw refuse('NOT_FOUND', { message: 'You do not have this invitation.' });
  }
  if (token && !canAnswer(found, user, 'link')) {
    throw refuse('FORBIDDEN', { message: 'This invitation is for another email address. Sign in with that address.' });
  }
  const team = await lockTeam(tx, found.teamId, user.id);
  const invitation = await tx.teamInvitation.findUniqueOrThrow({ where, select: invitationSelect });
  const isOpen = teamInvitationStatus(invitation) === 'open';
  return { team, invitation, inviterId: found.invitedById, isOpen, isLink: teamInvitationKind(found) === 'link' };
}

const accept = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/team-invitations/accept',
      tags,
      summary: 'Accept an invitation to a team',
      description:
        'By its id, or by the token of its link. The link in an email works for that address only, and confirms it. Members of the team get the same response.',
    },
    errors: ['NOT_FOUND', 'INVALID_TOKEN', 'FORBIDDEN', 'TEAM_DISBANDED', 'TEAM_FULL', 'INVITATION_CLOSED'],
    quotas: ['teams'],
  })
  .input(answerInput)
  .output(joined)
  .mutation(async ({ ctx, input }) => {
    const { actingUser: user } = ctx;
    return ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, user);
      const { team, invitation, inviterId, isOpen, isLink } = await findInvitation(tx, user, input);
      const { teamId } = invitation;
      if (!team.role) {
        if (!isOpen || !(await isCaptain(tx, teamId, inviterId))) throw refuse('INVITATION_CLOSED');
        if ((await tx.teamMember.count({ where: { teamId } })) >= maxTeamMembers) throw refuse('TEAM_FULL');
        await requireRoomForTeam(tx, user.id);
        await tx.teamMember.create({
          data: { teamId, userId: user.id, role: invitation.role },
          select: { role: true },
        });
        await audit(tx, ctx.by, {
          projectId: null,
          action: 'team_invitation.accept',
          targetType: 'team',
          targetId: teamId,
          details: { invitationId: invitation.id, role: invitation.role },
        });
      }
      const now = new Date();
      const answered = isLink ? [] : [{ id: invitation.id }];
      await tx.teamInvitation.updateMany({
        where: { teamId, ...unanswered, OR: [...answered, ...isInvited(user).OR] },
        data: { acceptedAt: now },
      });
      if (invitation.email && input.token) await markVerified(tx, ctx.by, user);
      return { teamId, name: team.name, role: team.role ?? invitation.role };
    });
  });

const decline = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/team-invitations/decline',
      tags,
      summary: 'Decline an invitation to a team',
      description: 'By its id, or by the token of its link. A join link is for many people and cannot be declined.',
    },
    errors: ['NOT_FOUND', 'INVALID_TOKEN', 'FORBIDDEN', 'TEAM_DISBANDED', 'INVITATION_CLOSED', 'INVALID_STATE'],
  })
  .input(answerInput)
  .output(declined)
  .mutation(async ({ ctx, input }) =>
    ctx.db.$transaction(async (tx) => {
      const { invitation, isOpen, isLink } = await findInvitation(tx, ctx.actingUser, input);
      if (isLink) throw refuse('INVALID_STATE', { message: 'A join link cannot be declined. You can ignore it.' });
      if (!isOpen) throw refuse('INVITATION_CLOSED');
      await tx.teamInvitation.update({
        where: { id: invitation.id },
        data: { declinedAt: new Date() },
        select: { id: true },
      });
      await audit(tx, ctx.by, {
        projectId: null,
        action: 'team_invitation.decline',
        targetType: 'team',
        targetId: invitation.teamId,
        details: { invitationId: invitation.id },
      });
      return { invitationId: invitation.id, declined: true as const };
    }),
  );

/** Invitations to join a team. */
export const invitations = router({ list, revoke, mine, preview, accept, decline });
