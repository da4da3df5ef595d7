import { refuse } from '@/server/errors';
import { record } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { lockForParticipants, noSuchParticipant } from '@/server/routers/participants/data';
import { addParticipants } from '@/server/routers/participants/data-additions';
import { participantEvent } from '@/server/routers/participants/data-events';
import { managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { withAccounts } from '@/server/routers/participants/roster/rules';
import { managedParticipant } from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { guestRoster, planGuests, requireFree, rosterIssue } from './data';
import { addGuestsInput, addGuestsOutput, editGuestInput, type GuestInput } from './schema';

const tags = ['Participants'];

export const addGuests = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants',
      tags,
      summary: 'Add participants without an account',
      description:
        'Guests have no `userId`: staff check them in, report for them and withdraw them. Each gets a slot without approval; when there are more of them than free slots, nobody is added. Works in a draft and after registration has closed, until the start. Their names have to be new in the tournament, whatever their case.',
    },
    status: 201,
    errors: ['INVALID_STATE', 'NAME_TAKEN', 'SEED_TAKEN', 'ROSTER_FULL'],
    quotas: ['guests', 'bulkEvents'],
  })
  .input(addGuestsInput)
  .output(addGuestsOutput)
  .mutation(async ({ ctx, input: { name, seed, roster, participants } }) => {
    const guests: GuestInput[] = participants ?? (name === undefined ? [] : [{ name, seed, roster }]);
    const pathOf = (at: number) => (participants ? `participants.${at}.` : '');
    return ctx.db.$transaction(async (tx) => {
      const locked = await lockForParticipants(tx, ctx.tournamentId);
      const added = await planGuests(tx, locked, guests, pathOf);
      await addParticipants(tx, ctx.by, locked, added, 'participant.add');
      if (guests.some((guest) => guest.seed !== undefined)) {
        // The seeds are no longer those of the draw that the random seed stands for.
        await tx.tournament.update({
          where: { id: ctx.tournamentId },
          data: { randomSeed: null },
          select: { id: true },
        });
      }
      const ids = added.map(({ id }) => id);
      const rows = await tx.participant.findMany({ where: { id: { in: ids } }, select: managedSelect });
      const byId = new Map(rows.map((row) => [row.id, row]));
      const viewer = { userId: ctx.actingUser.id, role: ctx.scope.role, facts: locked.facts, place: null };
      return { items: ids.flatMap((id) => byId.get(id) ?? []).map((row) => toManaged(row, viewer)) };
    });
  });

export const editGuest = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}/participants/{participantId}',
      tags,
      summary: 'Edit a participant without an account',
      description:
        'The name of a guest, and the players without an account on the roster of a team, also during play. Players with an account edit their own registration.',
    },
    errors: ['NOT_FOUND', 'INVALID_STATE', 'NAME_TAKEN', 'VERSION_MISMATCH'],
  })
  .input(editGuestInput)
  .output(managedParticipant)
  .mutation(async ({ ctx, input: { participantId: id, name, roster } }) => {
    const { tournamentId } = ctx;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      const { tournament, facts } = await lockForParticipants(tx, tournamentId);
      const before = await tx.participant.findUnique({ where: { id, tournamentId }, select: managedSelect });
      if (!before) throw noSuchParticipant();
      if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
      const renamed = name !== undefined && name !== before.name;
      if (renamed && before.userId !== null) {
        const message = 'This participant has an account, so only they can change the name.';
        throw refuse('INVALID_STATE', { message });
      }
      const members = withAccounts(before.roster);
      const guests = before.roster.filter(({ userId }) => userId === null);
      const rostered = roster !== undefined && !sameNames(roster, guests);
      const issues = rosterIssue(roster, tournament, 'roster', members.length);
      if (issues.length > 0) throw refuse('VALIDATION_FAILED', { message: issues[0]?.message, issues });
      if (renamed) await requireFree(tx, tournamentId, [{ name }], { pathOf: () => '', except: id });
      const place = await waitlistPosition(tx, before);
      const viewer = { userId: ctx.actingUser.id, role: ctx.scope.role, facts, place };
      if (!renamed && !rostered) return toManaged(before, viewer);

      if (rostered) {
        const captain = before.userId === null;
        const players = guestRoster(roster, tournament.teamSize, { captain, others: members.length });
        await tx.rosterMember.deleteMany({ where: { participantId: id, userId: null } });
        await tx.rosterMember.createMany({
          data: players.map((player) => ({ ...player, participantId: id, tournamentId })),
        });
      }
      const row = await tx.participant.update({
        where: { id },
        data: { name: renamed ? name : undefined, version: { increment: 1 } },
        select: managedSelect,
      });
      const changes = [...(renamed ? (['name'] as const) : []), ...(rostered ? (['roster'] as const) : [])];
      const { projectId } = tournament;
      await record(tx, ctx.by, [participantEvent('participant.updated', projectId, row, before, { changes })], {
        projectId,
        action: 'participant.edit',
        targetType: 'participant',
        targetId: id,
        details: { tournamentId, changes },
      });
      return toManaged(row, viewer);
    });
  });

function sameNames(sent: readonly { name: string }[], current: readonly { name: string | null }[]): boolean {
  return sent.length === current.length && sent.every(({ name }, at) => name === current[at]?.name);
}
