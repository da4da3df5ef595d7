import { newId } from '@/domain/ids';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import type { AuthUser } from '@/server/auth/bearer';
import { db, isUniqueViolation, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { eventRows, type Origin, requireRight } from '@/server/events/emit';
import { factsOf, requireAllowed, type TournamentContext } from '@/server/routers/participants/data';
import { checkAnswersTo } from '@/server/routers/participants/data-answers';
import { participantEvent } from '@/server/routers/participants/data-events';
import { toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { leaveUnaccepted, readRoster, wasNamedElsewhere } from '@/server/routers/participants/roster/data';
import { hasOtherPlayers, rosterIssues } from '@/server/routers/participants/roster/rules';
import { decide, type Facts } from '@/server/routers/participants/rules';
import {
  type RegisterInput,
  type Registration,
  registerInput,
  registration,
} from '@/server/routers/participants/schema';
import { readCaptainsTeam } from '@/server/routers/teams/data';
import { lockTournament } from '@/server/routers/tournaments/data';
import { registrationEvent } from '@/server/routers/tournaments/data-events';
import { userProcedure } from '@/server/trpc';
import {
  createRegistration,
  type NewRegistration,
  type RegistrationContext,
  readRegistrationContext,
  registerAlone,
} from './data';

/**
 * Completes a registration from the captain's saved team: its name, and all of its members as the roster.
 * @throws VALIDATION_FAILED for a team that the user is not the captain of, and for players who are not members of it
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
    const issues = [{ path: 'teamId', message: 'You are not the captain of this team.' }];
    throw refuse('VALIDATION_FAILED', { issues });
  }
  const members = new Set(team.members.map(({ userId }) => userId));
  const issues = (teamMembers ?? []).flatMap(({ userId }, index) =>
    members.has(userId)
      ? []
      : [{ path: `teamMembers.${index}.userId`, message: 'This player is not a member of the team.' }],
  );
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return { ...input, teamName: teamName ?? team.name, teamMembers: teamMembers ?? team.members };
}

async function checkForm(tournament: TournamentContext, input: RegisterInput, userId: string) {
  const { answers, issues } = await checkAnswersTo(tournament, input.customFields ?? {});
  if (tournament.teamSize > 1) issues.push(...rosterIssues(input, tournament, userId));
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return answers;
}

type RegistrationRequest = { input: RegisterInput; player: AuthUser; by: Origin };

/** The registration to write, with its outcome and its events for every case that the locked row may select. */
async function prepareRegistration(
  tx: Tx,
  { tournament, own }: RegistrationContext,
  facts: Facts,
  { input: sent, player, by }: RegistrationRequest,
): Promise<NewRegistration> {
  const input = await withTeam(tx, tournament, sent, player.id);
  const answers = await checkForm(tournament, input, player.id);
  const members = tournament.teamSize > 1 ? input.teamMembers : undefined;
  const otherPlayers = members !== undefined && own !== null && hasOtherPlayers(members, own.cancelledRoster);
  const onFree = requireAllowed(decide('register', own, { ...facts, otherPlayers, full: false })).to;
  const whenFull = decide('register', own, { ...facts, otherPlayers, full: true });
  const onFull = whenFull.denial ? null : whenFull.to;
  const roster = members ? await readRoster(tournament.id, members, { tx, captainId: player.id }) : [];

  const { id: tournamentId, projectId } = tournament;
  const participant = {
    id: own?.id ?? newId('prt'),
    replaces: own && { version: own.version, withOthers: otherPlayers },
    type: members ? 'team' : 'individual',
    userId: player.id,
    sessionVersion: player.sessionVersion,
    name: (members && input.teamName) || player.name,
    teamId: input.teamId ?? null,
  } as const;
  const eventsFor = (to: ParticipantState, ...types: ('participant.registered' | 'participant.waitlisted')[]) =>
    types.map((type) => participantEvent(type, projectId, { tournamentId, seed: null, ...participant, ...to }, own));
  const full = { ...tournament, currentParticipants: tournament.maxParticipants };
  return {
    answers,
    roster,
    onFree: onFree.registrationStatus,
    onFull: onFull?.registrationStatus ?? null,
    events: {
      free: eventRows(by, eventsFor(onFree, 'participant.registered')),
      full: eventRows(by, onFull ? eventsFor(onFull, 'participant.registered', 'participant.waitlisted') : []),
      closing: eventRows(by, holdsSlot(onFree) ? [registrationEvent('registration.full', full)] : []),
    },
    ...participant,
  };
}

/** Registers once, from reading to writing; null when something that the decision depended on has changed. */
async function tryToRegister(tx: Tx, request: RegistrationRequest): Promise<Registration | null> {
  const { input, player } = request;
  const context = await readRegistrationContext(tx, input.tournamentId, player.id);
  const { tournament, now } = context;
  // Nobody agrees for the owner of an address who has taken the account over since it was looked up.
  if (context.sessionVersion !== player.sessionVersion) throw refuse('UNAUTHENTICATED');
  const facts = factsOf(tournament, now);
  requireAllowed(decide('register', context.own, facts));
  const prepared = await prepareRegistration(tx, context, facts, request);
  const userIds = prepared.roster.map(({ userId }) => userId);
  const leaving = { tournamentId: tournament.id, userIds };
  if (userIds.length > 0 && (await wasNamedElsewhere(tx, leaving))) {
    // Other teams change with it, so it takes the lock.
    if (tx === db) return null;
    await leaveUnaccepted(tx, request.by, tournament.projectId, leaving);
  }
  const row = await createRegistration(tx, tournament, prepared).catch(async (error: unknown) => {
    // Two rosters with the same player came at once: reading again names the player to the second one.
    if (!isUniqueViolation(error)) throw error;
    await readRoster(tournament.id, prepared.roster, { captainId: player.id });
    return null;
  });
  return row && toRegistration(row, { userId: player.id, place: await waitlistPosition(tx, row), facts }, now);
}

/** Attempts without the tournament's lock, before one that holds it from the start and cannot be overtaken. */
const attemptsWithoutLock = 3;

export const register = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/register',
      tags: ['Participants'],
      summary: 'Register for a tournament',
      description:
        'An individual needs no body. A team is registered by its captain, with `teamName` and `teamMembers`, or with `teamId`. When every slot is taken, the participant joins the waitlist if the tournament has one.',
    },
    status: 201,
    errors: [
      'NOT_FOUND',
      'REGISTRATION_CLOSED',
      'ALREADY_REGISTERED',
      'REGISTRATION_REJECTED',
      'TOURNAMENT_FULL',
      'ROSTER_LOCKED',
      'ALREADY_ON_ROSTER',
    ],
    batched: true,
  })
  .input(registerInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const request = { input, player: ctx.actingUser, by: ctx.by };
    for (let attempt = 0; attempt < attemptsWithoutLock; attempt += 1) {
      const registered = await tryToRegister(ctx.db, request);
      if (registered) return registered;
    }
    const { tournament } = await readRegistrationContext(ctx.db, input.tournamentId, ctx.actingUser.id);
    return registerAlone(tournament, ctx.actingUser.id, () =>
      ctx.db.$transaction(async (tx) => {
        await lockTournament(tx, input.tournamentId, { id: true });
        await requireRight(tx, ctx.by);
        const registered = await tryToRegister(tx, request);
        // Under the locks only the time can have changed: registration closed between reading and writing.
        if (!registered) throw refuse('REGISTRATION_CLOSED');
        return registered;
      }),
    );
  });
