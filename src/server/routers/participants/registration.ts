import { refuse } from '@/server/errors';
import { emit, type NewEvent } from '@/server/events';
import { findVisible, participantEvent, promoteWaitlisted, registrationEvent } from '@/server/routers/tournaments/data';
import { tournamentIdInput } from '@/server/routers/tournaments/schema';
import { userProcedure } from '@/server/trpc';
import {
  decided,
  type EntryTournament,
  enter,
  factsOf,
  findMine,
  lockForEntry,
  participantSelect,
  questionsOf,
  readEntryTournament,
  rosterNames,
  toRegistration,
  waitlistPosition,
} from './data';
import { checkAnswers, decide, rosterIssues } from './rules';
import { type RegisterInput, registerInput, registration } from './schema';

const tags = ['Participants'];

function checkForm(tournament: EntryTournament, input: RegisterInput, userId: string) {
  const { answers, issues } = checkAnswers(questionsOf(tournament), input.customFields ?? {});
  if (tournament.teamSize > 1) issues.push(...rosterIssues(input, tournament, userId));
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return answers;
}

export const register = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/register',
      tags,
      summary: 'Register for a tournament',
      description:
        'An individual needs no body. A team is registered by its captain, with `teamName` and `teamMembers`. At capacity the entrant joins the waitlist, where there is one.',
    },
    status: 201,
    errors: [
      'NOT_FOUND',
      'REGISTRATION_CLOSED',
      'ALREADY_REGISTERED',
      'REGISTRATION_REJECTED',
      'TOURNAMENT_FULL',
      'ALREADY_ON_ROSTER',
    ],
  })
  .input(registerInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const { id: userId, name } = ctx.actingUser;
    const entered = await ctx.db.$transaction(async (tx) => {
      const { tournament, now, standing } = await lockForEntry(tx, input.tournamentId, userId);
      const facts = factsOf(tournament, now);
      const { to, slots } = decided(decide('register', standing, facts));
      const answers = checkForm(tournament, input, userId);
      const members = tournament.teamSize > 1 ? input.teamMembers : undefined;
      const team = members ? { members, names: await rosterNames(tx, tournament.id, members) } : null;

      const row = await enter(tx, tournament.id, {
        userId,
        name: team ? (input.teamName ?? name) : name,
        to,
        slots,
        answers,
        team,
      });
      // A second request of the same player, begun before the first one's commit.
      if (!row) throw refuse('ALREADY_REGISTERED');

      const events: NewEvent[] = [participantEvent('participant.registered', tournament.projectId, row)];
      if (to.registrationStatus === 'waitlisted') {
        events.push(participantEvent('participant.waitlisted', tournament.projectId, row));
      }
      const after = { ...tournament, currentParticipants: tournament.currentParticipants + slots };
      if (slots > 0 && after.currentParticipants === after.maxParticipants) {
        events.push(registrationEvent('registration.full', after));
      }
      await emit(tx, ctx.by, ...events);
      return { row, now, facts: factsOf(after, now) };
    });
    const place = await waitlistPosition(ctx.db, entered.row);
    return toRegistration(entered.row, { userId, place, facts: entered.facts }, entered.now);
  });

export const mine = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/registrations/me',
      tags,
      summary: 'Read your registration',
      description: 'The captain and every member of a roster see the registration of their team.',
    },
    errors: ['NOT_FOUND', 'NOT_REGISTERED'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .query(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const { id } = await findVisible(input.tournamentId, ctx.actingUser);
    const [row, tournament] = await Promise.all([findMine(ctx.db, id, userId), readEntryTournament(id)]);
    if (!row) throw refuse('NOT_REGISTERED');
    const now = new Date();
    const place = await waitlistPosition(ctx.db, row);
    return toRegistration(row, { userId, place, facts: factsOf(tournament, now) }, now);
  });

export const cancelMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registrations/me/cancel',
      tags,
      summary: 'Cancel your registration',
      description: 'The slot goes to whoever has waited longest. Registering again starts at the end of the queue.',
    },
    errors: ['NOT_FOUND', 'NOT_REGISTERED', 'FORBIDDEN', 'CANCEL_NOT_ALLOWED', 'INVALID_STATE'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { tournament, now } = await lockForEntry(tx, input.tournamentId, userId);
      const before = await findMine(tx, tournament.id, userId);
      if (before && before.userId !== userId) {
        throw refuse('FORBIDDEN', { message: 'Only the captain can cancel the registration of a team.' });
      }
      const facts = factsOf(tournament, now);
      const { to, slots } = decided(decide('cancel', before, facts));
      if (!before) throw refuse('NOT_REGISTERED');

      const row = await tx.participant.update({
        where: { id: before.id },
        data: {
          ...to,
          waitlistOrder: null,
          seed: null,
          cancelledAt: now,
          version: { increment: 1 },
          // Its players may enter with another team.
          roster: { deleteMany: {} },
        },
        select: participantSelect,
      });
      const freed = { ...tournament, currentParticipants: tournament.currentParticipants + slots };
      if (slots !== 0) {
        await tx.tournament.update({
          where: { id: tournament.id },
          data: { currentParticipants: { increment: slots } },
          select: { id: true },
        });
      }
      const { events } = await promoteWaitlisted(tx, freed);
      await emit(tx, ctx.by, participantEvent('participant.withdrawn', tournament.projectId, row), ...events);
      return { row, facts, now };
    });
    return toRegistration(row, { userId, place: null, facts }, now);
  });

export const checkInMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/checkin/me',
      tags,
      summary: 'Check in',
      description: 'Any member of a roster checks the team in.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_REGISTERED',
      'NOT_APPROVED',
      'ALREADY_CHECKED_IN',
      'CHECK_IN_CLOSED',
      'INVALID_STATE',
      'ANTI_CHEAT_NOT_RUNNING',
    ],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const { id } = await findVisible(input.tournamentId, ctx.actingUser);
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { tournament, now } = await lockForEntry(tx, id, userId);
      const facts = factsOf(tournament, now);
      const before = await findMine(tx, id, userId);
      const { to } = decided(decide('check_in_self', before, facts));
      if (!before) throw refuse('NOT_REGISTERED');
      const row = await tx.participant.update({
        where: { id: before.id },
        data: { ...to, checkedInAt: now, version: { increment: 1 } },
        select: participantSelect,
      });
      await emit(tx, ctx.by, participantEvent('participant.checked_in', tournament.projectId, row));
      return { row, facts, now };
    });
    return toRegistration(row, { userId, place: null, facts }, now);
  });
