import { isDeepStrictEqual } from 'node:util';
import { newId } from '@/domain/ids';
import { patternIssues } from '@/domain/questions/patterns';
import { slugify } from '@/domain/text/slug';
import { type EditableField, lockedFields, settingsIssues, tournamentSlug } from '@/domain/tournaments/rules';
import { customFieldDefinition, formatOptions, money, type SettingsInput } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db, isUniqueViolation, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { projectProcedure } from '@/server/routers/projects/gate';
import {
  type DetailRow,
  detailSelect,
  lockTournament,
  promoteFromWaitlist,
  readDetail,
  recordRegistrationChange,
  registrationEvent,
  tournamentEvent,
  triggerSchedule,
  updatedEvent,
} from './data';
import { tournamentProcedure } from './gate';
import { archiveQuestions, questionWarnings, retypedQuestions } from './questions/data';
import {
  createTournamentInput,
  removedTournament,
  tournamentDetail,
  tournamentIdInput,
  updatedTournament,
  updateTournamentInput,
} from './schema';

const tags = ['Tournaments'];
const moments = [
  'startDate',
  'registrationOpensAt',
  'registrationClosesAt',
  'checkInOpensAt',
  'checkInClosesAt',
  'rosterLockAt',
] as const;

const defaults = {
  description: '',
  rules: '',
  format: 'single_elimination',
  teamSize: 1,
  visibility: 'public',
  timezone: 'UTC',
  registrationOpensAt: null,
  registrationClosesAt: null,
  checkInOpensAt: null,
  checkInClosesAt: null,
  rosterLockAt: null,
  requiresApproval: false,
  waitlistEnabled: false,
  allowCancel: true,
  allowEdit: true,
  requiresAntiCheat: false,
  customFields: [],
  entryFee: null,
  prizePool: null,
  formatOptions: {},
  autoStart: false,
  noShowGraceMinutes: 10,
  resultMode: 'confirm',
  autoConfirmMinutes: 15,
} as const;

type Complete = { [Field in EditableField]: Exclude<SettingsInput[Field], undefined> };

/** Settings as columns. */
function toColumns(settings: Complete) {
  const { game, entryFee, prizePool, ...rest } = settings;
  const dates = Object.fromEntries(
    moments.map((field) => [field, settings[field] === null ? null : new Date(settings[field])]),
  ) as Record<(typeof moments)[number], Date | null> & { startDate: Date };
  return {
    ...rest,
    ...dates,
    gameId: game,
    entryFee: entryFee ?? Prisma.DbNull,
    prizePool: prizePool ?? Prisma.DbNull,
  } satisfies Partial<TournamentUncheckedCreateInput>;
}

/** Columns as settings: what the input would have to say to leave the row as it is. */
function toSettings(row: DetailRow): Complete {
  const { gameId, startDate, ...rest } = row;
  const iso = (date: Date | null) => date?.toISOString() ?? null;
  return {
    name: rest.name,
    slug: rest.slug,
    description: rest.description,
    rules: rest.rules,
    game: gameId,
    format: rest.format,
    teamSize: rest.teamSize,
    rosterMin: rest.rosterMin,
    rosterMax: rest.rosterMax,
    maxParticipants: rest.maxParticipants,
    visibility: rest.visibility,
    startDate: startDate.toISOString(),
    timezone: rest.timezone,
    registrationOpensAt: iso(rest.registrationOpensAt),
    registrationClosesAt: iso(rest.registrationClosesAt),
    checkInOpensAt: iso(rest.checkInOpensAt),
    checkInClosesAt: iso(rest.checkInClosesAt),
    rosterLockAt: iso(rest.rosterLockAt),
    requiresApproval: rest.requiresApproval,
    waitlistEnabled: rest.waitlistEnabled,
    allowCancel: rest.allowCancel,
    allowEdit: rest.allowEdit,
    requiresAntiCheat: rest.requiresAntiCheat,
    customFields: customFieldDefinition.array().parse(rest.customFields),
    entryFee: money.nullable().parse(rest.entryFee),
    prizePool: money.nullable().parse(rest.prizePool),
    formatOptions: formatOptions.parse(rest.formatOptions),
    autoStart: rest.autoStart,
    noShowGraceMinutes: rest.noShowGraceMinutes,
    resultMode: rest.resultMode,
    autoConfirmMinutes: rest.autoConfirmMinutes,
  };
}

/** Timestamps with any offset become UTC, so that the same moment compares equal. */
function inUtc<T extends SettingsInput>(settings: T): T {
  const copy = { ...settings };
  for (const field of moments) {
    const value = copy[field];
    if (value) copy[field] = new Date(value).toISOString();
  }
  return copy;
}

async function checkSettings(tx: Tx, settings: Complete, changed: readonly EditableField[]): Promise<void> {
  const columns = toColumns(settings);
  const issues = [...settingsIssues(columns), ...patternIssues(columns.customFields)];
  if (changed.includes('startDate') && columns.startDate <= new Date()) {
    issues.push({ path: 'startDate', message: 'must be in the future' });
  }
  if (changed.includes('game')) {
    const game = await tx.game.findUnique({ where: { id: settings.game }, select: { id: true } });
    if (!game) issues.push({ path: 'game', message: `There is no game ${settings.game}.` });
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
}

export const create = projectProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects/{projectId}/tournaments',
      tags,
      summary: 'Create a tournament',
      description: 'As a draft that only the project sees.',
    },
    status: 201,
    errors: ['SLUG_TAKEN'],
  })
  .input(createTournamentInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const { projectId: _projectId, ...given } = inUtc(input);
    const teamSize = given.teamSize ?? defaults.teamSize;
    const rosterMin = given.rosterMin ?? teamSize;
    const settings: Complete = {
      ...structuredClone(defaults),
      rosterMin,
      rosterMax: Math.max(teamSize, rosterMin),
      slug: slugify(given.name, tournamentSlug),
      ...given,
      customFields: given.customFields ?? [],
      formatOptions: given.formatOptions ?? {},
    };
    await checkSettings(ctx.db, settings, ['startDate', 'game']);

    async function insert(slug: string) {
      const id = newId('trn');
      await db.$transaction(async (tx) => {
        const row = await tx.tournament.create({
          data: { ...toColumns(settings), id, slug, projectId, createdById: ctx.actingUser.id },
          select: detailSelect,
        });
        await emit(tx, ctx.by, tournamentEvent('tournament.created', row));
        await audit(tx, ctx.by, { projectId, action: 'tournament.create', targetType: 'tournament', targetId: id });
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

export const update = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Change a tournament',
      description:
        'Only the fields sent change. Once someone has registered, what they relied on is fixed (game, team size, roster, entry fee); once it has started, only texts, visibility and prize pool change. Raising the cap promotes from the waitlist. Changing the questions of a published tournament begins a new version of them; `questionWarnings` tells whom that touches.',
    },
    errors: ['FIELD_LOCKED', 'CAPACITY_TOO_LOW', 'SLUG_TAKEN', 'VERSION_MISMATCH'],
  })
  .input(updateTournamentInput)
  .output(updatedTournament)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId: _tournamentId, version, ...given } = inUtc(input);
    const expected = expectedVersion(ctx.ifMatch, version);
    const id = ctx.tournamentId;

    const changed = await ctx.db
      .$transaction(async (tx) => {
        const { row, now } = await lockTournament(tx, id, detailSelect);
        if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
        const before = toSettings(row);
        const next: Complete = { ...before, ...given };
        const changes = (Object.keys(given) as EditableField[]).filter(
          (field) => given[field] !== undefined && !isDeepStrictEqual(before[field], next[field]),
        );
        if (changes.length === 0) return null;

        const entrant = await tx.participant.findFirst({
          where: { tournamentId: id, registrationStatus: { in: ['pending', 'approved', 'waitlisted'] } },
          select: { id: true },
        });
        const locked = lockedFields(changes, { status: row.status, hasRegistrations: entrant !== null });
        if (entrant) locked.push(...(await retypedQuestions(tx, id, before.customFields, next.customFields)));
        if (locked.length > 0) throw refuse('FIELD_LOCKED', { issues: locked });
        await checkSettings(tx, next, changes);
        if (next.maxParticipants < row.currentParticipants) {
          throw refuse('CAPACITY_TOO_LOW', {
            message: `${row.currentParticipants} entrants hold a slot already, so the cap cannot be ${next.maxParticipants}.`,
          });
        }

        const asksAnew = changes.includes('customFields') && row.publishedAt !== null;
        const warnings = asksAnew ? await questionWarnings(tx, id, before.customFields, next.customFields) : [];
        if (asksAnew) {
          const set = { version: row.customFieldsVersion, definitions: before.customFields };
          await archiveQuestions(tx, { tournamentId: id, createdById: ctx.actingUser.id, ...set });
        }
        const written = await tx.tournament.update({
          where: { id },
          data: {
            ...pick(toColumns(next), changes),
            customFieldsVersion: asksAnew ? { increment: 1 } : undefined,
            version: { increment: 1 },
          },
          select: detailSelect,
        });
        const { promoted, events } =
          row.status === 'PUBLISHED' && written.maxParticipants > row.maxParticipants
            ? await promoteFromWaitlist(tx, written)
            : { promoted: 0, events: [] };
        const after = { ...written, currentParticipants: written.currentParticipants + promoted };
        const filled = changes.includes('maxParticipants') && after.currentParticipants === after.maxParticipants;
        await emit(
          tx,
          ctx.by,
          updatedEvent(after, changes),
          ...events,
          ...(filled ? [registrationEvent('registration.full', after)] : []),
          ...(await recordRegistrationChange(tx, after, now)),
        );
        await audit(tx, ctx.by, {
          projectId: row.projectId,
          action: 'tournament.update',
          targetType: 'tournament',
          targetId: id,
          details: { changes },
        });
        return { after, warnings };
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? refuse('SLUG_TAKEN') : error;
      });

    if (changed) await triggerSchedule(changed.after);
    return { ...(await readDetail(ctx.db, id, true)), questionWarnings: changed?.warnings ?? [] };
  });

/** The columns of the settings that changed. */
function pick(columns: ReturnType<typeof toColumns>, changes: readonly EditableField[]) {
  const wanted = new Set<string>(changes.map((field) => (field === 'game' ? 'gameId' : field)));
  return Object.fromEntries(Object.entries(columns).filter(([column]) => wanted.has(column)));
}

export const remove = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/tournaments/{tournamentId}',
      tags,
      summary: 'Delete a draft',
      description: 'Whatever was published stays: cancel it instead.',
    },
    errors: ['INVALID_STATE', 'VERSION_MISMATCH'],
  })
  .input(tournamentIdInput)
  .output(removedTournament)
  .mutation(async ({ ctx }) => {
    const expected = expectedVersion(ctx.ifMatch);
    await ctx.db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, detailSelect);
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
