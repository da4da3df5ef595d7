import type { Prisma } from '@/generated/prisma/client';
import { pageArgs, toPage } from '@/server/envelope';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events';
import { can } from '@/server/permissions';
import { findVisible, lockTournament, participantEvent } from '@/server/routers/tournaments/data';
import { publicProcedure, router, tournamentProcedure } from '@/server/trpc';
import { counts, ofProject } from './counts';
import { decided, factsOf, participantSelect, toManaged, toPublic, waitlistPositions } from './data';
import { form } from './form';
import { live } from './live';
import { myRegistrations } from './my-registrations';
import { cancelMine, checkInMine, mine, register } from './registration';
import { decide } from './rules';
import { listedParticipant, listParticipantsInput, listParticipantsOutput, participantIdInput } from './schema';
import { seedingRouter } from './seeding';

const managedSelect = { ...participantSelect, user: { select: { email: true } } } as const;

/** `%` and `_` in a search are letters, not wildcards. */
const literally = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/participants',
      tags: ['Participants'],
      summary: 'List the entrants',
      description:
        'Approved entrants, by seed, then by registration. With a bearer, `canManage` and `isMe` are added; who manages the tournament also sees the other states, answers and contact.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listParticipantsInput)
  .output(listParticipantsOutput)
  .query(async ({ ctx, input }) => {
    const user = await ctx.user();
    const { id: tournamentId, role } = await findVisible(input.tournamentId, user);
    const canManage = can(role, 'participants:read');
    const { search, status } = input;
    const where: Prisma.ParticipantWhereInput = {
      tournamentId,
      registrationStatus: canManage ? input.registrationStatus : 'approved',
      status,
      name: search ? { contains: literally(search), mode: 'insensitive' } : undefined,
    };
    // Someone else asking for entrants of another state finds none, rather than others than they asked for.
    if (!canManage && input.registrationStatus && input.registrationStatus !== 'approved') {
      return { ...toPage([], 0, input), ...(user ? { canManage } : {}) };
    }
    const [rows, total] = await Promise.all([
      ctx.db.participant.findMany({
        where,
        select: managedSelect,
        orderBy: [
          { seed: { sort: 'asc', nulls: 'last' } },
          { waitlistOrder: { sort: 'asc', nulls: 'first' } },
          { registeredAt: 'asc' },
          { id: 'asc' },
        ],
        ...pageArgs(input),
      }),
      ctx.db.participant.count({ where }),
    ]);
    const places = canManage ? await waitlistPositions(ctx.db, rows) : new Map<string, number>();
    const items = rows.map((row) => {
      const shown = canManage ? toManaged(row, places.get(row.id) ?? null) : toPublic(row);
      if (!user) return shown;
      const isMe = row.userId === user.id || row.roster.some((member) => member.userId === user.id);
      return { ...shown, canManage, isMe };
    });
    return { ...toPage(items, total, input), ...(user ? { canManage } : {}) };
  });

const checkIn = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/{participantId}/checkin',
      tags: ['Participants'],
      summary: 'Check an entrant in',
      description: 'Organizers may, before the window opens and after it closed, until the tournament starts.',
    },
    errors: ['NOT_FOUND', 'NOT_APPROVED', 'ALREADY_CHECKED_IN', 'INVALID_STATE'],
  })
  .input(participantIdInput)
  .output(listedParticipant)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const row = await ctx.db.$transaction(async (tx) => {
      const { row: tournament, now } = await lockTournament(tx, ctx.tournamentId);
      const before = await tx.participant.findUnique({
        where: { id: input.participantId, tournamentId: tournament.id },
        select: participantSelect,
      });
      if (!before) throw refuse('NOT_FOUND', { message: 'There is no such entrant in this tournament.' });
      const { to } = decided(decide('check_in_organizer', before, factsOf(tournament, now)));
      const after = await tx.participant.update({
        where: { id: before.id },
        data: { ...to, checkedInAt: now, version: { increment: 1 } },
        select: managedSelect,
      });
      await emit(tx, ctx.by, participantEvent('participant.checked_in', projectId, after));
      await audit(tx, ctx.by, {
        projectId,
        action: 'participant.check_in',
        targetType: 'participant',
        targetId: after.id,
        details: { tournamentId: tournament.id },
      });
      return after;
    });
    const isMe = row.roster.some(({ userId }) => userId === ctx.actingUser.id) || row.userId === ctx.actingUser.id;
    return { ...toManaged(row, null), canManage: true, isMe };
  });

export const participantsRouter = router({
  form,
  register,
  list,
  mine,
  cancelMine,
  checkInMine,
  checkIn,
  myRegistrations,
  live,
  counts,
  ofProject,
  seeding: seedingRouter,
});
