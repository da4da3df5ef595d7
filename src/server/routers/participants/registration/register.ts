import { newId } from '@/domain/ids';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { checkAnswers } from '@/domain/questions/answers';
import type { AuthUser } from '@/server/auth/bearer';
import { isUniqueViolation, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { eventRows, type Origin } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { isClientRunning } from '@/server/routers/anticheat/data';
import {
  createRegistration,
  factsOf,
  findOwnParticipant,
  lockOwnParticipant,
  type NewRegistration,
  type ParticipantRow,
  participantSelect,
  questionsOf,
  type RegistrationContext,
  readRegistrationContext,
  readRoster,
  readTournamentContext,
  requireAllowed,
  type TournamentContext,
  waitlistPosition,
} from '@/server/routers/participants/data';
import {
  type LockedTournament,
  type TransitionRequest,
  transitionParticipants,
} from '@/server/routers/participants/data-transitions';
import { toRegistration } from '@/server/routers/participants/data-views';
import { rosterIssues } from '@/server/routers/participants/roster/rules';
import { decide, type Facts } from '@/server/routers/participants/rules';
import {
  type RegisterInput,
  type Registration,
  registerInput,
  registration,
} from '@/server/routers/participants/schema';
import { readCaptainsTeam } from '@/server/routers/teams/data';
import { findVisible, lockTournament, participantEvent, registrationEvent } from '@/server/routers/tournaments/data';
import { tournamentIdInput } from '@/server/routers/tournaments/schema';
import { userProcedure } from '@/server/trpc';

const tags = ['Participants'];

/** Moves the entrant that a player is, or on whose roster they stand. @returns it as it is then */
async function moveOwn(
  tx: Tx,
  by: Origin,
  locked: LockedTournament,
  entrant: ParticipantRow | null,
  order: Pick<TransitionRequest, 'trigger' | 'version' | 'facts'>,
): Promise<ParticipantRow> {
  if (!entrant) throw refuse('NOT_REGISTERED');
  const { refused } = await transitionParticipants(tx, by, locked, { ...order, ids: [entrant.id], staff: false });
  if (refused[0]) throw refused[0].refusal;
  return tx.participant.findUniqueOrThrow({ where: { id: entrant.id }, select: participantSelect });
}

/**
 * A registration with what the captain's team adds where it is left out: the name, and everyone as the roster.
 * @throws VALIDATION_FAILED for a team they are not captain of, and for players who are not in it
 */
async function withTeam(
  tx: Tx,
  tournament: TournamentContext,
  input: RegisterInput,
  captainId: string,
): Promise<RegisterInput> {
  const { teamId, teamName, teamMembers } = input;
  if (!teamId || tournament.teamSize === 1) return { ...input, teamId: undefined };
  const team = await readCaptainsTeam(tx, teamId, captainId);
  if (!team) {
    const issues = [{ path: 'teamId', message: 'You are captain of no such team.' }];
    throw refuse('VALIDATION_FAILED', { issues });
  }
  const members = new Set(team.members.map(({ userId }) => userId));
  const issues = (teamMembers ?? []).flatMap(({ userId }, index) =>
    members.has(userId) ? [] : [{ path: `teamMembers.${index}.userId`, message: 'This player is not in the team.' }],
  );
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return { ...input, teamName: teamName ?? team.name, teamMembers: teamMembers ?? team.members };
}

function checkForm(tournament: TournamentContext, input: RegisterInput, userId: string) {
  const { answers, issues } = checkAnswers(questionsOf(tournament), input.customFields ?? {});
  if (tournament.teamSize > 1) issues.push(...rosterIssues(input, tournament, userId));
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return answers;
}

/** How often what was decided on may change under a registration before it takes the lock first. */
const freeAttempts = 3;

type Asked = { input: RegisterInput; player: AuthUser; by: Origin };

/** The entrant that a registration makes, with what becomes of it and is told in each case that the lock may find. */
async function prepare(
  tx: Tx,
  tournament: TournamentContext,
  standing: RegistrationContext['state'],
  facts: Facts,
  { input: sent, player, by }: Asked,
): Promise<NewRegistration> {
  const input = await withTeam(tx, tournament, sent, player.id);
  const answers = checkForm(tournament, input, player.id);
  const members = tournament.teamSize > 1 ? input.teamMembers : undefined;
  const roster = members ? await readRoster(tournament.id, members, { tx }) : [];
  const type = members ? 'team' : 'individual';
  const onFree = requireAllowed(decide('register', standing, { ...facts, full: false })).to;
  const whenFull = decide('register', standing, { ...facts, full: true });
  const onFull = whenFull.refused === undefined ? whenFull.to : null;

  const { id: tournamentId, projectId } = tournament;
  const entrant = {
    id: standing?.id ?? newId('prt'),
    again: standing !== null,
    type,
    userId: player.id,
    name: (members && input.teamName) || player.name,
    teamId: input.teamId ?? null,
  } as const;
  const told = (to: ParticipantState, ...types: ('participant.registered' | 'participant.waitlisted')[]) =>
    types.map((event) => participantEvent(event, projectId, { ...entrant, ...to, tournamentId, seed: null }, standing));
  const free = told(onFree, 'participant.registered');
  const fills = holdsSlot(onFree)
    ? [registrationEvent('registration.full', { ...tournament, currentParticipants: tournament.maxParticipants })]
    : [];
  return {
    ...entrant,
    answers,
    roster,
    onFree: onFree.registrationStatus,
    onFull: onFull?.registrationStatus ?? null,
    events: {
      free: eventRows(by, free),
      last: eventRows(by, [...free, ...fills]),
      full: eventRows(by, onFull ? told(onFull, 'participant.registered', 'participant.waitlisted') : []),
    },
  };
}

/** One registration from reading to writing; null when what was decided on is not so any more. */
async function tryToEnter(tx: Tx, asked: Asked): Promise<Registration | null> {
  const { input, player } = asked;
  const { tournament, now, state: standing } = await readRegistrationContext(tx, input.tournamentId, player.id);
  const facts = factsOf(tournament, now);
  requireAllowed(decide('register', standing, facts));
  const entrant = await prepare(tx, tournament, standing, facts, asked);
  const row = await createRegistration(tx, tournament, entrant).catch(async (error: unknown) => {
    // Of two rosters with the same player, sent at once, the later is told who it is.
    if (!isUniqueViolation(error)) throw error;
    await readRoster(tournament.id, entrant.roster);
    return null;
  });
  return row && toRegistration(row, { userId: player.id, place: await waitlistPosition(tx, row), facts }, now);
}

export const register = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/register',
      tags,
      summary: 'Register for a tournament',
      description:
        'An individual needs no body. A team is registered by its captain, with `teamName` and `teamMembers`, or with `teamId`. At capacity the entrant joins the waitlist, where there is one.',
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
    const asked = { input, player: ctx.actingUser, by: ctx.by };
    for (let attempt = 0; attempt < freeAttempts; attempt += 1) {
      const entered = await tryToEnter(ctx.db, asked);
      if (entered) return entered;
    }
    const entered = await ctx.db.$transaction(async (tx) => {
      await lockTournament(tx, input.tournamentId, { id: true });
      return tryToEnter(tx, asked);
    });
    // Only time can have gone on: the window closed between the reading and the writing.
    if (!entered) throw refuse('REGISTRATION_CLOSED');
    return entered;
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
    const [row, tournament] = await Promise.all([findOwnParticipant(ctx.db, id, userId), readTournamentContext(id)]);
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
    errors: ['NOT_FOUND', 'NOT_REGISTERED', 'FORBIDDEN', 'CANCEL_NOT_ALLOWED', 'INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { entrant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, userId);
      if (before && before.userId !== userId) {
        throw refuse('FORBIDDEN', { message: 'Only the captain can cancel the registration of a team.' });
      }
      const row = await moveOwn(tx, ctx.by, locked, before, { trigger: 'cancel', version });
      return { row, ...locked };
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
      'VERSION_MISMATCH',
    ],
  })
  .input(tournamentIdInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch);
    const { row, facts, now } = await ctx.db.$transaction(async (tx) => {
      const { entrant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, userId);
      const { requiresAntiCheat, projectId } = locked.tournament;
      // Of a team, the player who checks it in vouches for it.
      const runs = !requiresAntiCheat || (await isClientRunning(tx, projectId, userId));
      const facts = { antiCheatMissing: !runs };
      const row = await moveOwn(tx, ctx.by, locked, before, { trigger: 'check_in_self', version, facts });
      return { row, ...locked };
    });
    return toRegistration(row, { userId, place: null, facts }, now);
  });
