import type { Answers } from '@/domain/questions/answers';
import type { Tx } from '@/server/db';
import { type Issue, refuse } from '@/server/errors';
import { emit, type Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { takeQuota } from '@/server/limits/take-quota';
import { isClientRunning } from '@/server/routers/anticheat/data';
import {
  factsOf,
  findOwnParticipant,
  type LockedTournament,
  type ParticipantRow,
  participantSelect,
  questionsOf,
  readTournamentContext,
  requireAllowed,
} from '@/server/routers/participants/data';
import { checkAnswersTo } from '@/server/routers/participants/data-answers';
import { participantEvent } from '@/server/routers/participants/data-events';
import { type TransitionRequest, transitionParticipants } from '@/server/routers/participants/data-transitions';
import { invitationOf, readAdders, toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import {
  type AccountRoster,
  leaveUnaccepted,
  readRoster,
  writeRoster,
} from '@/server/routers/participants/roster/data';
import { acceptPlace } from '@/server/routers/participants/roster/data-acceptance';
import { type RosterInput, rosterIssues, sameRoster, withAccounts } from '@/server/routers/participants/roster/rules';
import { decide } from '@/server/routers/participants/rules';
import { type EditInput, editInput, registration } from '@/server/routers/participants/schema';
import { readCaptainsTeam } from '@/server/routers/teams/data';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicQuestions } from '@/server/routers/tournaments/questions/data';
import { tournamentIdInput } from '@/server/routers/tournaments/schema';
import { userProcedure } from '@/server/trpc';
import { lockOwnParticipant } from './data';

const tags = ['Participants'];

export const mine = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/registrations/me',
      tags,
      summary: 'Read your registration',
      description: 'The captain and every player on the roster see the registration of their team.',
    },
    errors: ['NOT_FOUND', 'NOT_REGISTERED'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .query(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const { id } = await findVisible(input.tournamentId, ctx.actingUser);
    const [row, tournament] = await Promise.all([findOwnParticipant(ctx.db, id, userId), readTournamentContext(id)]);
    if (!row) throw refuse('NOT_REGISTERED');
    const now = new Date();
    const place = await waitlistPosition(ctx.db, row);
    const adders = await readAdders(ctx.db, [row], userId);
    return toRegistration(row, { userId, place, facts: factsOf(tournament, now), adders }, now);
  });

/** Counts a change that webhooks of the project report: registering and cancelling in a loop must not flood them. */
function takeChange(tx: Tx, { tournamentId }: Pick<ParticipantRow, 'tournamentId'>, userId: string): Promise<void> {
  return takeQuota(tx, 'registrationChanges', `${tournamentId} ${userId}`);
}

/** What an edit changes; unchanged parts are left out. */
type Edit = { name?: string; answers?: Answers; roster?: AccountRoster };

/**
 * Issues for answers that an edit would keep and that were given for the organizers only: with the others, they would become
 * answers to the questions as they are now, of which everybody can see some.
 */
async function shownSince(
  tx: Tx,
  tournament: LockedTournament['tournament'],
  { customFields, customFieldsVersion: version }: ParticipantRow,
  sent: Record<string, unknown>,
): Promise<Issue[]> {
  const shown = await publicQuestions(tx, { ...tournament, definitions: questionsOf(tournament) }, [version]);
  const kept = Object.keys(customFields as Answers).filter((key) => !(key in sent));
  return kept.flatMap((key) =>
    shown.get(tournament.customFieldsVersion)?.has(key) && !shown.get(version)?.has(key)
      ? [{ path: `customFields.${key}`, message: 'Everybody can see this answer now. Send it again, or null.' }]
      : [],
  );
}

/**
 * Checks an edit against the organizer's questions and the roster limits.
 * @throws VALIDATION_FAILED, ROSTER_LOCKED, ALREADY_ON_ROSTER
 */
async function checkEdit(
  tx: Tx,
  { tournament, facts }: LockedTournament,
  participant: ParticipantRow,
  { teamName, teamMembers, customFields }: EditInput,
): Promise<Edit> {
  const edit: Edit = {};
  const issues = [];
  let changedRoster: RosterInput | null = null;
  if (customFields) {
    const checked = await checkAnswersTo(tournament, {
      ...(participant.customFields as Answers),
      ...customFields,
    });
    issues.push(...checked.issues, ...(await shownSince(tx, tournament, participant, customFields)));
    edit.answers = checked.answers;
  }
  const accounts = withAccounts(participant.roster);
  if (facts.teams && teamName && teamName !== participant.name) edit.name = teamName;
  if (facts.teams && teamMembers && !sameRoster(teamMembers, accounts)) {
    requireAllowed(decide('edit_roster', participant, facts));
    const { name, userId: captainId, teamId, roster } = participant;
    const guests = roster.length - accounts.length;
    issues.push(...rosterIssues({ teamName: name, teamMembers }, tournament, captainId, guests));
    const team = teamId && captainId ? await readCaptainsTeam(tx, teamId, captainId) : null;
    const players = team && new Set([...team.members, ...accounts].map(({ userId }) => userId));
    for (const [index, { userId }] of teamMembers.entries()) {
      const path = `teamMembers.${index}.userId`;
      if (players && !players.has(userId)) issues.push({ path, message: 'This player is not a member of the team.' });
    }
    changedRoster = teamMembers;
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  if (changedRoster) {
    const captainId = participant.userId ?? '';
    edit.roster = await readRoster(tournament.id, changedRoster, { tx, except: participant.id, captainId });
  }
  return edit;
}

export const editMine = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}/registrations/me',
      tags,
      summary: 'Edit your registration',
      description:
        'Possible until the start, if the organizer allows it. Only the fields you send change: answers by key (null removes one), the name of a team, its whole roster. Rosters may be locked earlier. Only the captain can edit a team. Players of its roster without an account stay on it.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_REGISTERED',
      'EMAIL_NOT_CONFIRMED',
      'FORBIDDEN',
      'EDIT_NOT_ALLOWED',
      'INVALID_STATE',
      'ROSTER_LOCKED',
      'ALREADY_ON_ROSTER',
      'VERSION_MISMATCH',
    ],
    quotas: ['registrationChanges'],
  })
  .input(editInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch, input.version);
    return ctx.db.$transaction(async (tx) => {
      const { participant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, ctx.actingUser);
      const { tournament, facts, now } = locked;
      if (before && before.userId !== userId) {
        throw refuse('FORBIDDEN', { message: 'Only the captain can edit the registration of a team.' });
      }
      requireAllowed(decide('edit', before, facts));
      if (!before) throw refuse('NOT_REGISTERED');
      if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
      const { name, answers, roster } = await checkEdit(tx, locked, before, input);
      const changes = [
        ...(answers ? (['customFields'] as const) : []),
        ...(name ? (['name'] as const) : []),
        ...(roster ? (['roster'] as const) : []),
      ];
      const place = await waitlistPosition(tx, before);
      const adders = await readAdders(tx, [before], userId);
      if (changes.length === 0) return toRegistration(before, { userId, place, facts, adders }, now);

      await takeChange(tx, before, userId);
      if (roster) {
        await leaveUnaccepted(tx, ctx.by, tournament.projectId, {
          tournamentId: tournament.id,
          userIds: roster.map((player) => player.userId),
          except: before.id,
        });
        await writeRoster(tx, before, roster);
      }
      const row = await tx.participant.update({
        where: { id: before.id },
        data: {
          name,
          ...(answers ? { customFields: answers, customFieldsVersion: tournament.customFieldsVersion } : {}),
          version: { increment: 1 },
        },
        select: participantSelect,
      });
      await emit(tx, ctx.by, participantEvent('participant.updated', tournament.projectId, row, before, { changes }));
      return toRegistration(row, { userId, place, facts, adders }, now);
    });
  });

/** Applies a trigger to the participant that a player is, or on whose roster they are. @returns it as it is afterwards */
async function transitionOwn(
  tx: Tx,
  by: Origin,
  locked: LockedTournament,
  participant: ParticipantRow | null,
  request: Pick<TransitionRequest, 'trigger' | 'version' | 'facts'>,
): Promise<ParticipantRow> {
  if (!participant) throw refuse('NOT_REGISTERED');
  const { id } = participant;
  const { refused } = await transitionParticipants(tx, by, locked, { ...request, ids: [id], staff: false });
  if (refused[0]) throw refused[0].refusal;
  return tx.participant.findUniqueOrThrow({ where: { id }, select: participantSelect });
}

export const cancelMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/registrations/me/cancel',
      tags,
      summary: 'Cancel your registration',
      description:
        'The slot goes to the first participant on the waitlist. Registering again puts you at the end of the waitlist.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_REGISTERED',
      'EMAIL_NOT_CONFIRMED',
      'FORBIDDEN',
      'CANCEL_NOT_ALLOWED',
      'INVALID_STATE',
      'VERSION_MISMATCH',
    ],
    quotas: ['registrationChanges'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { participant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, ctx.actingUser);
      if (before && before.userId !== userId) {
        throw refuse('FORBIDDEN', { message: 'Only the captain can cancel the registration of a team.' });
      }
      if (before) await takeChange(tx, before, userId);
      const row = await transitionOwn(tx, ctx.by, locked, before, { trigger: 'cancel', version });
      return { row, ...locked };
    });
    const adders = await readAdders(ctx.db, [row], userId);
    return toRegistration(row, { userId, place: null, facts, adders }, now);
  });

export const checkInMine = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/checkin/me',
      tags,
      summary: 'Check in',
      description:
        'Any player on the roster can check the team in. Who has not accepted being on it does so by checking in.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_REGISTERED',
      'EMAIL_NOT_CONFIRMED',
      'NOT_APPROVED',
      'ALREADY_CHECKED_IN',
      'CHECK_IN_CLOSED',
      'INVALID_STATE',
      'ANTI_CHEAT_NOT_RUNNING',
      'VERSION_MISMATCH',
    ],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { participant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, ctx.actingUser);
      const { requiresAntiCheat } = locked.tournament;
      // For a team, only the player who checks it in needs a running client.
      const runs = !requiresAntiCheat || (await isClientRunning(tx, locked.tournament, userId));
      const facts = { antiCheatMissing: !runs };
      if (before && invitationOf(before, userId).mustAccept) {
        await acceptPlace(tx, ctx.by, { participantId: before.id, userId });
      }
      const row = await transitionOwn(tx, ctx.by, locked, before, { trigger: 'check_in_self', version, facts });
      return { row, ...locked };
    });
    const adders = await readAdders(ctx.db, [row], userId);
    return toRegistration(row, { userId, place: null, facts, adders }, now);
  });
