import { newId } from '@/domain/ids';
import { type Answers, checkAnswers } from '@/domain/questions/answers';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import {
  lockOwnParticipant,
  type ParticipantRow,
  participantSelect,
  questionsOf,
  readRoster,
  requireAllowed,
  waitlistPosition,
} from '@/server/routers/participants/data';
import { type LockedTournament, lockForParticipants } from '@/server/routers/participants/data-transitions';
import { managedSelect, toManaged, toRegistration } from '@/server/routers/participants/data-views';
import { decide, staffActions } from '@/server/routers/participants/rules';
import {
  type EditInput,
  editInput,
  managedParticipant,
  registration,
  substituteInput,
} from '@/server/routers/participants/schema';
import { readCaptainsTeam } from '@/server/routers/teams/data';
import { participantEvent } from '@/server/routers/tournaments/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { userProcedure } from '@/server/trpc';
import { type RosterInput, replacedBy, rosterIssues, sameRoster } from './rules';

const tags = ['Participants'];

/** What an edit writes; each part only where it differs from what is there. */
type Edit = { name?: string; answers?: Answers; roster?: RosterInput };

/**
 * @throws VALIDATION_FAILED for what the organizer's questions or the size of rosters do not allow, ROSTER_LOCKED,
 * ALREADY_ON_ROSTER
 */
async function checkEdit(
  tx: Tx,
  { tournament, facts }: LockedTournament,
  entrant: ParticipantRow,
  { teamName, teamMembers, customFields }: EditInput,
): Promise<Edit> {
  const edit: Edit = {};
  const issues = [];
  if (customFields) {
    const checked = checkAnswers(questionsOf(tournament), { ...(entrant.customFields as Answers), ...customFields });
    issues.push(...checked.issues);
    edit.answers = checked.answers;
  }
  if (facts.teams && teamName && teamName !== entrant.name) edit.name = teamName;
  if (facts.teams && teamMembers && !sameRoster(teamMembers, entrant.roster)) {
    requireAllowed(decide('edit_roster', entrant, facts));
    issues.push(...rosterIssues({ teamName: entrant.name, teamMembers }, tournament, entrant.userId));
    const team = entrant.teamId ? await readCaptainsTeam(tx, entrant.teamId, entrant.userId) : null;
    const players = team && new Set([...team.members, ...entrant.roster].map(({ userId }) => userId));
    for (const [index, { userId }] of teamMembers.entries()) {
      const path = `teamMembers.${index}.userId`;
      if (players && !players.has(userId)) issues.push({ path, message: 'This player is not in the team.' });
    }
    edit.roster = teamMembers;
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  if (edit.roster) await readRoster(tournament.id, edit.roster, { tx, except: entrant.id });
  return edit;
}

async function writeRoster(tx: Tx, { id: participantId, tournamentId }: ParticipantRow, roster: RosterInput) {
  await tx.rosterMember.deleteMany({
    where: { participantId, userId: { notIn: roster.map(({ userId }) => userId) } },
  });
  await tx.$executeRaw`
    INSERT INTO "roster_member" ("participantId", "userId", "tournamentId", "role")
    SELECT ${participantId}, m."userId", ${tournamentId}, m."role"
    FROM jsonb_to_recordset(${JSON.stringify(roster)}::jsonb) AS m("userId" text, "role" "roster_role")
    ON CONFLICT ("participantId", "userId") DO UPDATE SET "role" = EXCLUDED."role"`;
}

export const editMine = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}/registrations/me',
      tags,
      summary: 'Edit your registration',
      description:
        'Until the start, where the organizer allows it. Only what is sent changes: answers by key (null takes one back), the name of a team, its whole roster. Rosters may be locked earlier. Only the captain edits a team.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_REGISTERED',
      'FORBIDDEN',
      'EDIT_NOT_ALLOWED',
      'INVALID_STATE',
      'ROSTER_LOCKED',
      'ALREADY_ON_ROSTER',
      'VERSION_MISMATCH',
    ],
  })
  .input(editInput)
  .output(registration)
  .mutation(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const version = expectedVersion(ctx.ifMatch, input.version);
    return ctx.db.$transaction(async (tx) => {
      const { entrant: before, ...locked } = await lockOwnParticipant(tx, input.tournamentId, userId);
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
      if (changes.length === 0) return toRegistration(before, { userId, place, facts }, now);

      if (roster) await writeRoster(tx, before, roster);
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
      return toRegistration(row, { userId, place, facts }, now);
    });
  });

/** @throws VALIDATION_FAILED for an unknown or suspended player, ALREADY_ON_ROSTER, ALREADY_REGISTERED */
async function readSubstitute(tx: Tx, tournamentId: string, userId: string, asCaptain: boolean): Promise<void> {
  const user = await tx.user.findUnique({
    where: { id: userId, suspendedAt: null },
    select: {
      name: true,
      rosterEntries: { where: { tournamentId }, select: { participantId: true } },
      participations: { where: { tournamentId }, select: { id: true } },
    },
  });
  if (!user) {
    const issues = [{ path: 'substituteUserId', message: 'There is no such player.' }];
    throw refuse('VALIDATION_FAILED', { issues });
  }
  if (user.rosterEntries.length > 0) {
    throw refuse('ALREADY_ON_ROSTER', { message: `${user.name} is on a roster of this tournament already.` });
  }
  // A captain's registration is theirs, and nobody has two in one tournament.
  if (asCaptain && user.participations.length > 0) {
    throw refuse('ALREADY_REGISTERED', { message: `${user.name} has a registration of their own in this tournament.` });
  }
}

export const substitute = tournamentProcedure(staffActions.substitute)
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/{participantId}/substitute',
      tags,
      summary: 'Substitute a player of a team',
      description:
        'Someone who is on no roster of the tournament takes the place and the role of a player, also once rosters are locked. Who replaces the captain takes the registration over.',
    },
    errors: [
      'NOT_FOUND',
      'NOT_A_TEAM',
      'NOT_APPROVED',
      'INVALID_STATE',
      'ALREADY_ON_ROSTER',
      'ALREADY_REGISTERED',
      'VERSION_MISMATCH',
    ],
  })
  .input(substituteInput)
  .output(managedParticipant)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { participantId: id, substituteUserId: inUserId, reason } = input;
    const version = expectedVersion(ctx.ifMatch);
    return ctx.db.$transaction(async (tx) => {
      const { tournament, facts } = await lockForParticipants(tx, tournamentId);
      const before = await tx.participant.findUnique({ where: { id, tournamentId }, select: managedSelect });
      if (!before) throw refuse('NOT_FOUND', { message: 'There is no such entrant in this tournament.' });
      if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
      requireAllowed(decide('substitute', before, facts));
      const { member, issue } = replacedBy(before.roster, input.replacedUserId);
      if (!member) throw refuse('VALIDATION_FAILED', { issues: [issue] });
      const { userId: outUserId, role } = member;
      await readSubstitute(tx, tournamentId, inUserId, role === 'captain');

      await tx.rosterMember.delete({
        where: { participantId_userId: { participantId: id, userId: outUserId } },
        select: { userId: true },
      });
      await tx.rosterMember.create({
        data: { participantId: id, userId: inUserId, tournamentId, role },
        select: { userId: true },
      });
      const change = { tournamentId, participantId: id, outUserId, inUserId, role, reason, actorId: ctx.actingUser.id };
      await tx.rosterChange.create({ data: { id: newId('rch'), ...change }, select: { id: true } });
      const row = await tx.participant.update({
        where: { id },
        data: { ...(role === 'captain' ? { userId: inUserId } : {}), version: { increment: 1 } },
        select: managedSelect,
      });
      const { projectId } = tournament;
      const more = { reason, outUserId, inUserId };
      await emit(tx, ctx.by, participantEvent('participant.substituted', projectId, row, before, more));
      await audit(tx, ctx.by, {
        projectId,
        action: 'participant.substitute',
        targetType: 'participant',
        targetId: id,
        details: { tournamentId, ...more },
      });
      return toManaged(row, { userId: ctx.actingUser.id, role: ctx.scope.role, facts, place: null });
    });
  });
