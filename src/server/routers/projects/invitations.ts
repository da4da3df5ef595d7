import { newId } from '@/domain/ids';
import { invitationLifetime, invitationStatus } from '@/domain/projects/invitations';
import { canGrant } from '@/domain/projects/permissions';
import { durationInWords } from '@/domain/time/durations';
import { hashToken } from '@/server/auth/api-keys';
import { projectInvitationEmail } from '@/server/email/account-emails';
import { queueEmailFromOthers } from '@/server/email/outbox';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { hashedBlock } from '@/server/limits/rate-limit';
import { takeStrangerEmails } from '@/server/limits/stranger-emails';
import { requireRoom } from '@/server/limits/take-quota';
import { pageArgs, toPage } from '@/server/paging';
import { markVerified, mintToken } from '@/server/routers/auth/data';
import {
  invitationSelect,
  isRegistrant,
  lockProject,
  mayInvite,
  openInvitations,
  presentInvitation,
} from '@/server/routers/projects/data';
import { projectProcedure } from '@/server/routers/projects/gate';
import {
  invitation,
  invitationInput,
  invitationPage,
  invitationPreview,
  invitationTokenInput,
  inviteInput,
  listInvitationsInput,
  membership,
} from '@/server/routers/projects/schema';
import { publicProcedure, router, userProcedure } from '@/server/trpc';

const tags = ['Members'];

const create = projectProcedure('members:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects/{projectId}/members',
      tags,
      summary: 'Invite someone',
      description: `Emails a link that works for ${durationInWords(invitationLifetime)}, for that address only. You cannot grant a role above your own.`,
    },
    status: 201,
    errors: ['ALREADY_MEMBER', 'ALREADY_INVITED'],
    quotas: ['projectInvitations', 'strangerEmails'],
  })
  .input(inviteInput)
  .output(invitation)
  .mutation(async ({ ctx, input: { email, role } }) => {
    const { projectId } = ctx.scope;
    const { token, tokenHash } = mintToken();
    const row = await ctx.db.$transaction(async (tx) => {
      const actor = await lockProject(tx, projectId, ctx.actingUser.id, 'members:write');
      if (!canGrant(actor, role)) throw refuse('FORBIDDEN', { message: 'You cannot grant a role above your own.' });
      const already = await tx.member.findFirst({ where: { projectId, user: { email } }, select: { role: true } });
      if (already) throw refuse('ALREADY_MEMBER');

      const now = new Date();
      const open = { projectId, email, acceptedAt: null, revokedAt: null };
      await tx.invitation.updateMany({ where: { ...open, expiresAt: { lte: now } }, data: { revokedAt: now } });
      if (await tx.invitation.findFirst({ where: open, select: { id: true } })) throw refuse('ALREADY_INVITED');
      const sent = await tx.invitation.count({ where: openInvitations(projectId, now) });
      requireRoom('projectInvitations', projectId, sent);
      if (!(await isRegistrant(tx, projectId, email))) {
        await takeStrangerEmails(tx, [ctx.actingUser.id, projectId]);
      }
      const created = await tx.invitation.create({
        data: {
          id: newId('inv'),
          projectId,
          email,
          role,
          tokenHash,
          invitedById: ctx.actingUser.id,
          expiresAt: new Date(now.getTime() + invitationLifetime),
        },
        select: invitationSelect,
      });
      await audit(tx, ctx.by, {
        projectId,
        action: 'invitation.create',
        targetType: 'invitation',
        targetId: created.id,
        details: { email, role },
      });
      const content = projectInvitationEmail({ role, token });
      const askedBy = hashedBlock(ctx.ip);
      await queueEmailFromOthers(tx, { to: email, kind: 'invitation', email: content, sourceId: projectId, askedBy });
      return created;
    });
    return presentInvitation(row);
  });

const list = projectProcedure('members:write')
  .meta({
    openapi: {
      method: 'GET',
      path: '/projects/{projectId}/invitations',
      tags,
      summary: 'List pending invitations',
      description: 'Those that were neither accepted nor revoked, newest first, including expired ones.',
    },
  })
  .input(listInvitationsInput)
  .output(invitationPage)
  .query(async ({ ctx, input }) => {
    const where = { projectId: ctx.scope.projectId, acceptedAt: null, revokedAt: null };
    const [rows, total] = await Promise.all([
      ctx.db.invitation.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: invitationSelect,
        ...pageArgs(input),
      }),
      ctx.db.invitation.count({ where }),
    ]);
    return toPage(rows.map(presentInvitation), total, input);
  });

const revoke = projectProcedure('members:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/projects/{projectId}/invitations/{invitationId}',
      tags,
      summary: 'Revoke an invitation',
      description: 'The link in the email stops working at once.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(invitationInput)
  .output(invitation)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const [row] = await tx.invitation.updateManyAndReturn({
        where: { id: input.invitationId, projectId, acceptedAt: null, revokedAt: null },
        data: { revokedAt: new Date() },
        select: invitationSelect,
      });
      if (!row) throw refuse('NOT_FOUND', { message: 'There is no open invitation with this ID.' });
      await audit(tx, ctx.by, {
        projectId,
        action: 'invitation.revoke',
        targetType: 'invitation',
        targetId: row.id,
        details: { email: row.email },
      });
      return presentInvitation(row);
    });
  });

const preview = publicProcedure
  .input(invitationTokenInput)
  .output(invitationPreview)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.invitation.findUnique({
      where: { tokenHash: hashToken(input.token) },
      select: { ...invitationSelect, invitedById: true, project: { select: { id: true, slug: true, name: true } } },
    });
    if (!row) throw refuse('NOT_FOUND', { message: 'This invitation does not exist. Ask for a new one.' });
    const inviter = await ctx.db.user.findUnique({ where: { id: row.invitedById }, select: { name: true } });
    return {
      email: row.email,
      role: row.role,
      status: invitationStatus(row),
      project: row.project,
      invitedBy: inviter?.name ?? null,
    };
  });

const closed = () => refuse('INVALID_TOKEN', { message: 'This invitation is no longer open. Ask for a new one.' });

const accept = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/invitations/accept',
      tags,
      summary: 'Accept an invitation',
      description: 'For the invited email address only. Accepting confirms the address.',
    },
    errors: ['INVALID_TOKEN', 'FORBIDDEN', 'ALREADY_MEMBER'],
  })
  .input(invitationTokenInput)
  .output(membership)
  .mutation(async ({ ctx, input }) => {
    const { actingUser } = ctx;
    const tokenHash = hashToken(input.token);
    return ctx.db.$transaction(async (tx) => {
      const found = await tx.invitation.findUnique({ where: { tokenHash }, select: { projectId: true, email: true } });
      if (!found) throw refuse('INVALID_TOKEN');
      if (found.email !== actingUser.email) {
        throw refuse('FORBIDDEN', {
          message: 'This invitation is for another email address. Sign in with that address.',
        });
      }
      await tx.$queryRaw`SELECT 1 FROM "project" WHERE "id" = ${found.projectId} FOR NO KEY UPDATE`;
      const now = new Date();
      const [row] = await tx.invitation.updateManyAndReturn({
        where: { tokenHash, acceptedAt: null, revokedAt: null, expiresAt: { gt: now } },
        data: { acceptedAt: now },
        select: { id: true, projectId: true, role: true, invitedById: true, project: { select: { slug: true } } },
      });
      if (!row) throw closed();
      const { projectId, role } = row;
      if (!(await mayInvite(tx, projectId, row.invitedById, role))) throw closed();
      const { count } = await tx.member.createMany({
        data: { projectId, userId: actingUser.id, role },
        skipDuplicates: true,
      });
      if (count === 0) throw refuse('ALREADY_MEMBER');
      await markVerified(tx, ctx.by, actingUser);
      await audit(tx, ctx.by, {
        projectId,
        action: 'invitation.accept',
        targetType: 'invitation',
        targetId: row.id,
        details: { role },
      });
      return { projectId, slug: row.project.slug, role };
    });
  });

/** Invitations to a project, by email. */
export const invitations = router({ create, list, revoke, preview, accept });
