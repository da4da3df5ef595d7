import { isDeepStrictEqual } from 'node:util';
import { newId } from '@/domain/ids';
import { dependOnRegistrations, type EditableField, lockedFields } from '@/domain/tournaments/rules';
import { db, isUniqueViolation } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, record, takeBulk } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { takeTournamentOfBlock } from '@/server/limits/take-now';
import { takeQuota } from '@/server/limits/take-quota';
import { hasActiveRegistrations } from '@/server/routers/participants/data';
import { type CheckedQuestions, checkQuestions } from '@/server/routers/participants/data-answers';
import { countPromotions, promoteFromWaitlist } from '@/server/routers/participants/data-waitlist';
import { projectProcedure } from '@/server/routers/projects/gate';
import { lockTournament, readDetail, settingsSelect } from './data';
import { registrationEvent, tournamentEvent, updatedEvent } from './data-events';
import { announcement, announcementEvents, restartSchedule } from './data-schedule';
import {
  changedColumns,
  checkSettings,
  completeSettings,
  inUtc,
  type TournamentSettings,
  toColumns,
  toSettings,
} from './data-settings';
import { tournamentProcedure } from './gate';
import { archiveQuestions, retypedQuestions } from './questions/data';
import {
  createTournamentInput,
  removedTournament,
  tournamentDetail,
  tournamentIdInput,
  updatedTournament,
  updateTournamentInput,
} from './schema';

const tags = ['Tournaments'];
export const create = projectProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects/{projectId}/tournaments',
      tags,
      summary: 'Create a tournament',
      description: 'Creates a draft, which only members of the project can see.',
    },
    status: 201,
    errors: ['SLUG_TAKEN'],
    quotas: ['tournaments', 'tournamentsOfBlock'],
  })
  .input(createTournamentInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { projectId: _projectId, ...given } = inUtc(input);
    const settings = completeSettings(given);
    const checked = await checkSettings(ctx.db, projectId, settings, ['startDate', 'game']);
    await takeTournamentOfBlock(ctx.ip);

    async function insert(slug: string) {
      const id = newId('trn');
      await db.$transaction(async (tx) => {
        await takeQuota(tx, 'tournaments', projectId);
        const row = await tx.tournament.create({
          data: { ...toColumns(settings), ...checked, id, slug, projectId, createdById: ctx.actingUser.id },
          select: settingsSelect,
        });
        await record(tx, ctx.by, [tournamentEvent('tournament.created', row)], {
          projectId,
          action: 'tournament.create',
          targetType: 'tournament',
          targetId: id,
        });
      });
      return readDetail(ctx.db, id, true);
    }

    try {
      return await insert(settings.slug);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (given.slug) throw refuse('SLUG_TAKEN');
      return insert(`${settings.slug}-${newId('trn').slice(-6)}`);
    }
  });

/** What has become of a change whose questions were checked against others than those that they replace. */
const outdated = Symbol('outdated');

export const update = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Change a tournament',
      description:
        'Only the fields you send change. Once someone has registered, game, team size, roster size and entry fee are locked; once the tournament has started, only texts, visibility and prize pool can change. Raising the maximum promotes participants from the waitlist. Changing the questions of a published tournament creates a new version of them; `questionWarnings` says which answers that affects.',
    },
    errors: ['FIELD_LOCKED', 'CAPACITY_TOO_LOW', 'SLUG_TAKEN', 'VERSION_MISMATCH'],
    quotas: ['bulkEvents'],
  })
  .input(updateTournamentInput)
  .output(updatedTournament)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId: _tournamentId, version, ...given } = inUtc(input);
    const expected = expectedVersion(ctx.ifMatch, version);
    const id = ctx.tournamentId;

    const change = (questions: CheckedQuestions | null) =>
      ctx.db.$transaction(async (tx) => {
        const { row, now } = await lockTournament(tx, id, settingsSelect);
        if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
        const before = toSettings(row);
        const next: TournamentSettings = { ...before, ...given };
        const changes = (Object.keys(given) as EditableField[]).filter(
          (field) => given[field] !== undefined && !isDeepStrictEqual(before[field], next[field]),
        );
        if (changes.length === 0) return null;

        const hasRegistrations = dependOnRegistrations(changes) && (await hasActiveRegistrations(tx, id));
        const locked = lockedFields(changes, { status: row.status, hasRegistrations });
        if (hasRegistrations) locked.push(...(await retypedQuestions(tx, id, before.customFields, next.customFields)));
        if (locked.length > 0) throw refuse('FIELD_LOCKED', { issues: locked });
        const checked = await checkSettings(tx, row.projectId, next, changes);
        const newQuestions = changes.includes('customFields') && row.publishedAt !== null;
        if (newQuestions && !isDeepStrictEqual(questions?.before, before.customFields)) return outdated;
        if (next.maxParticipants < row.currentParticipants) {
          throw refuse('CAPACITY_TOO_LOW', {
            message: `${row.currentParticipants} participants already have a slot, so the maximum cannot be ${next.maxParticipants}.`,
          });
        }

        const promotes = row.status === 'PUBLISHED' && next.maxParticipants > row.maxParticipants;
        if (promotes) {
          const limit = next.maxParticipants - row.currentParticipants;
          await takeBulk(tx, ctx.by, row.projectId, await countPromotions(tx, id, { limit }));
        }
        if (newQuestions) {
          const set = { version: row.customFieldsVersion, definitions: before.customFields };
          await archiveQuestions(tx, { tournamentId: id, createdById: ctx.actingUser.id, ...set });
        }
        const written = await tx.tournament.update({
          where: { id },
          data: {
            ...changedColumns(next, changes),
            ...checked,
            ...announcement({ ...row, ...toColumns(next) }, now),
            customFieldsVersion: newQuestions ? { increment: 1 } : undefined,
            version: { increment: 1 },
          },
          select: settingsSelect,
        });
        const { promoted, events } = promotes ? await promoteFromWaitlist(tx, written) : { promoted: 0, events: [] };
        const after = { ...written, currentParticipants: written.currentParticipants + promoted };
        const filled = changes.includes('maxParticipants') && after.currentParticipants === after.maxParticipants;
        const all = [
          updatedEvent(after, changes),
          ...events,
          ...(filled ? [registrationEvent('registration.full', after)] : []),
          ...announcementEvents(row, after),
        ];
        await record(tx, ctx.by, all, {
          projectId: row.projectId,
          action: 'tournament.update',
          targetType: 'tournament',
          targetId: id,
          details: { changes },
        });
        return { before: row, after };
      });

    let questions: CheckedQuestions | null;
    let changed: Awaited<ReturnType<typeof change>>;
    do {
      questions = given.customFields ? await checkQuestions(id, given.customFields) : null;
      changed = await change(questions).catch((error: unknown) => {
        throw isUniqueViolation(error) ? refuse('SLUG_TAKEN') : error;
      });
    } while (changed === outdated);
    if (changed) await restartSchedule(changed.after, changed.before);
    return { ...(await readDetail(ctx.db, id, true)), questionWarnings: (changed && questions?.warnings) ?? [] };
  });

export const remove = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Delete a draft',
      description: 'A published tournament cannot be deleted; cancel it instead.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(removedTournament)
  .mutation(async ({ ctx }) => {
    const expected = expectedVersion(ctx.ifMatch);
    await ctx.db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, settingsSelect);
      if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
      if (row.status !== 'DRAFT') {
        throw refuse('INVALID_STATE', { message: 'Only a draft can be deleted. Cancel the tournament instead.' });
      }
      await tx.tournament.delete({ where: { id: row.id }, select: { id: true } });
      await audit(tx, ctx.by, {
        projectId: row.projectId,
        action: 'tournament.delete',
        targetType: 'tournament',
        targetId: row.id,
        details: { name: row.name, slug: row.slug },
      });
    });
    return { id: ctx.tournamentId, deleted: true as const };
  });
