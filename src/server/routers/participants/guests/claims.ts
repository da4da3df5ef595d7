import { isDeepStrictEqual } from 'node:util';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { newId } from '@/domain/ids';
import { can } from '@/domain/projects/permissions';
import { durationInWords } from '@/domain/time/durations';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { publicUrl } from '@/env';
import { hashToken } from '@/server/auth/api-keys';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events/emit';
import { mintToken } from '@/server/routers/auth/data';
import { creditMatches, findFinalRank, recountPlayers } from '@/server/routers/matches/stats/data-claims';
import { lockForParticipants, noSuchParticipant, participantSelect } from '@/server/routers/participants/data';
import { participantEvent } from '@/server/routers/participants/data-events';
import { toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { leaveUnaccepted } from '@/server/routers/participants/roster/data';
import { participantIdInput, registration } from '@/server/routers/participants/schema';
import { roleIn } from '@/server/routers/projects/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { publicProcedure, router, userProcedure } from '@/server/trpc';
import { moveToAccount } from './data-claims';
import { claimLink, claimPreview, claimTokenInput } from './schema';

const tags = ['Participants'];
const unused = { acceptedAt: null, revokedAt: null };

const createLink = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/{participantId}/claim-link',
      tags,
      summary: 'Create a claim link',
      description: `A link with which one account takes over a participant without one. It works once, for ${durationInWords(lifetimes.claim_link)}, and replaces the previous link.`,
    },
    status: 201,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  })
  .input(participantIdInput)
  .output(claimLink)
  .mutation(async ({ ctx, input: { participantId } }) => {
    const { tournamentId } = ctx;
    const { token, tokenHash } = mintToken();
    return ctx.db.$transaction(async (tx) => {
      const { tournament, now } = await lockForParticipants(tx, tournamentId);
      const participant = await tx.participant.findUnique({
        where: { id: participantId, tournamentId },
        select: { userId: true },
      });
      if (!participant) throw noSuchParticipant();
      if (participant.userId !== null) {
        throw refuse('INVALID_STATE', { message: 'This participant already has an account.' });
      }
      await tx.claimLink.updateMany({ where: { participantId, ...unused }, data: { revokedAt: now } });
      const expiresAt = new Date(now.getTime() + lifetimes.claim_link);
      await tx.claimLink.create({
        data: { id: newId('clm'), participantId, tokenHash, createdById: ctx.actingUser.id, expiresAt, createdAt: now },
        select: { id: true },
      });
      await audit(tx, ctx.by, {
        projectId: tournament.projectId,
        action: 'participant.create_claim_link',
        targetType: 'participant',
        targetId: participantId,
        details: { tournamentId },
      });
      return { url: `${publicUrl}/claim/${token}`, token, expiresAt: expiresAt.toISOString() };
    });
  });

const noSuchLink = () => refuse('NOT_FOUND', { message: 'This link does not exist. Ask the organizer for a new one.' });

const preview = publicProcedure
  .input(claimTokenInput)
  .output(claimPreview)
  .query(async ({ ctx, input }) => {
    const row = await ctx.db.claimLink.findUnique({
      where: { tokenHash: hashToken(input.token) },
      select: {
        expiresAt: true,
        acceptedAt: true,
        revokedAt: true,
        participant: {
          select: {
            name: true,
            type: true,
            tournament: {
              select: {
                ...{ name: true, slug: true, startDate: true, timezone: true },
                ...{ publishedAt: true, visibility: true },
                game: { select: { name: true } },
              },
            },
          },
        },
      },
    });
    if (!row) throw noSuchLink();
    const { name, type, tournament } = row.participant;
    const { game, startDate, publishedAt, visibility, slug, ...shown } = tournament;
    return {
      isOpen: row.acceptedAt === null && row.revokedAt === null && row.expiresAt > new Date(),
      expiresAt: row.expiresAt.toISOString(),
      participant: { name, type },
      tournament: {
        ...shown,
        slug: isVisibleOutside({ publishedAt, visibility }) ? slug : null,
        gameName: game.name,
        startDate: startDate.toISOString(),
      },
    };
  });

const accept = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/claims/accept',
      tags,
      summary: 'Take over a participant',
      description:
        'By the token of a claim link. The participant becomes your registration, as it is: name, seed and results stay. Answers of a player who has left it are deleted, unless that was you. Refused when you already take part in the tournament.',
    },
    errors: [
      'NOT_FOUND',
      'CLAIM_LINK_CLOSED',
      'ALREADY_REGISTERED',
      'REGISTRATION_REJECTED',
      'ALREADY_ON_ROSTER',
      'CONFLICT',
    ],
  })
  .input(claimTokenInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const { id: userId } = ctx.actingUser;
    const tokenHash = hashToken(input.token);
    const found = await ctx.db.claimLink.findUnique({
      where: { tokenHash },
      select: { participantId: true, createdById: true, participant: { select: { tournamentId: true } } },
    });
    if (!found) throw noSuchLink();
    const { participantId: id, createdById } = found;
    const { tournamentId } = found.participant;
    const finalRank = await findFinalRank({ tournamentId, participantId: id }, { caller: [userId] });
    return ctx.db.$transaction(async (tx) => {
      const { tournament, facts, now } = await lockForParticipants(tx, tournamentId);
      // A link is worth as much as its sender: who has left the staff must not take over participants with links they kept.
      const [role, sender] = await Promise.all([
        roleIn(tx, tournament.projectId, createdById),
        tx.user.findUnique({ where: { id: createdById, suspendedAt: null }, select: { id: true } }),
      ]);
      if (!sender || !can(role, 'participants:write')) throw refuse('CLAIM_LINK_CLOSED');
      const { count } = await tx.claimLink.updateMany({
        where: { tokenHash, ...unused, expiresAt: { gt: now }, participant: { userId: null } },
        data: { acceptedAt: now, acceptedById: userId },
      });
      if (count === 0) throw refuse('CLAIM_LINK_CLOSED');
      const before = await tx.participant.findUniqueOrThrow({ where: { id }, select: participantSelect });
      const leaving = { tournamentId, userIds: [userId] };
      const left = await leaveUnaccepted(tx, ctx.by, tournament.projectId, leaving);
      if (left.length > 0) await recountPlayers(tx, tournamentId, [{ userId, participantIds: left }]);
      const replaced = await moveToAccount(tx, before, userId);
      await creditMatches(tx, { tournamentId, userId }, finalRank);
      const row = await tx.participant.findUniqueOrThrow({ where: { id }, select: participantSelect });
      const { projectId } = tournament;
      const answersStay = isDeepStrictEqual(row.customFields, before.customFields);
      const changes = ['userId' as const, ...(answersStay ? [] : ['customFields' as const])];
      await emit(
        tx,
        ctx.by,
        ...(replaced ? [participantEvent('participant.removed', projectId, replaced, replaced)] : []),
        participantEvent('participant.updated', projectId, row, before, { changes }),
      );
      return toRegistration(row, { userId, place: await waitlistPosition(tx, row), facts }, now);
    });
  });

/** Links with which accounts take over participants that staff added. */
export const claims = router({ createLink, preview, accept });
