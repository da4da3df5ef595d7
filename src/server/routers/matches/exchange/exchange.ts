import { toBracketsManager } from '@/domain/brackets/exchange/brackets-manager';
import { newId } from '@/domain/ids';
import { holdsSlot } from '@/domain/participants/statuses';
import { slugify } from '@/domain/text/slug';
import { tournamentSlug } from '@/domain/tournaments/rules';
import { isUniqueViolation } from '@/server/db';
import { refuse } from '@/server/errors';
import { record, takeBulk } from '@/server/events/emit';
import { takeNow, takeTournamentOfBlock } from '@/server/limits/take-now';
import { takeQuota } from '@/server/limits/take-quota';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { writePlay } from '@/server/routers/matches/data-draw';
import { inBracket } from '@/server/routers/matches/rules';
import { projectProcedure } from '@/server/routers/projects/gate';
import { readDetail, settingsSelect } from '@/server/routers/tournaments/data';
import { tournamentEvent } from '@/server/routers/tournaments/data-events';
import { recordRegistrationChange, restartSchedule } from '@/server/routers/tournaments/data-schedule';
import { checkSettings, completeSettings, inUtc, toColumns } from '@/server/routers/tournaments/data-settings';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { tournamentDetail } from '@/server/routers/tournaments/schema';
import { readFile } from './data-export';
import { type ImportPlan, planImport, writeParticipants } from './data-import';
import { exportInput, exportOutput, importInput } from './schema';

const tags = ['Tournaments'];

export const exportFile = tournamentProcedure('participants:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/export',
      tags,
      summary: 'Export a tournament',
      description:
        'As a file of its own format, `laurel`, which can be imported again: settings, participants by name, the draw, results and standings, without accounts, addresses, answers and match feeds. Or as the database of brackets-manager.',
    },
    errors: ['BRACKET_NOT_AVAILABLE', 'INVALID_STATE'],
    quotas: ['heavyCalls'],
    wholeDraw: 'with rosters and games',
  })
  .input(exportInput)
  .output(exportOutput)
  .query(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    if (input.format === 'laurel') return readFile(ctx.db, ctx.tournamentId);
    const play = await readPlay(ctx.db, ctx.tournamentId);
    if (!play) throw refuse('BRACKET_NOT_AVAILABLE');
    checkGames(play.bracket.matches);
    return inBracket(() => toBracketsManager(play.bracket, play.names), { INVALID_TREE: 'INVALID_STATE' });
  });

/** Games in a file for brackets-manager: it has one row for each that a match can have, as that library makes them. */
const maxGames = 100_000;

/** @throws INVALID_STATE when there are so many that the thread runs out of memory */
function checkGames(matches: readonly { bestOf: number }[]): void {
  if (matches.reduce((sum, { bestOf }) => sum + bestOf, 0) <= maxGames) return;
  const message = `A file for brackets-manager has at most ${maxGames.toLocaleString('en')} games, and this tournament has more.`;
  throw refuse('INVALID_STATE', { message });
}

export const importFile = projectProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/projects/{projectId}/tournaments/import',
      tags,
      summary: 'Import a tournament',
      description:
        'Makes a new tournament of a file that was exported as `laurel`, in the state it was in. Nobody in it has an account; claim links hand participants over. Results are played again, so a file that contradicts itself is refused and says where. Swiss pairings and trees of matches are taken as they are.',
    },
    status: 201,
    quotas: ['tournaments', 'tournamentsOfBlock', 'guests', 'heavyCalls', 'bulkEvents'],
    wholeDraw: 'of a file',
  })
  .input(importInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx, input: { projectId: _projectId, ...file } }) => {
    const { projectId } = ctx.scope;
    await takeNow('heavyCalls', ctx.actingUser.id);
    const { status: _status, publishedAt, startedAt, completedAt, cancelledAt, ...given } = inUtc(file.tournament);
    const settings = completeSettings(given);
    const { gameScope } = await checkSettings(ctx.db, projectId, settings, ['game']);
    const id = newId('trn');
    const plan = planImport(file, settings, id);
    const moments = { publishedAt, startedAt, completedAt, cancelledAt };
    await takeTournamentOfBlock(ctx.ip);

    async function insert(slug: string) {
      const row = await ctx.db.$transaction(async (tx) => {
        const { participants, play, status } = plan;
        // What is refused writes none of its thousands of rows, while others who choose the same slug wait.
        await takeBulk(tx, ctx.by, projectId, play?.rows.size ?? 0);
        await takeQuota(tx, 'tournaments', projectId);
        if (participants.length > 0) await takeQuota(tx, 'guests', projectId, participants.length);
        const created = await tx.tournament.create({
          data: {
            ...toColumns({ ...plan.settings, slug }),
            gameScope,
            ...lifecycle(plan, moments),
            ...{ id, slug, projectId, status, createdById: ctx.actingUser.id },
            currentParticipants: participants.filter(holdsSlot).length,
          },
          select: settingsSelect,
        });
        const isTeam = plan.settings.teamSize > 1;
        await writeParticipants(tx, { tournamentId: id, isTeam, decidedById: ctx.actingUser.id }, participants);
        if (play) await writePlay(tx, play);
        const registration = await recordRegistrationChange(tx, created);
        await record(tx, ctx.by, [tournamentEvent('tournament.created', created), ...registration], {
          ...{ projectId, action: 'tournament.import', targetType: 'tournament', targetId: id },
          details: { participants: participants.length, matches: play?.rows.size ?? 0 },
        });
        return created;
      });
      await restartSchedule(row);
      return readDetail(ctx.db, id, true);
    }

    const slug = slugify(settings.name, tournamentSlug);
    try {
      return await insert(slug);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return insert(`${slug}-${id.slice(-6)}`);
    }
  });

type Moments = Record<'publishedAt' | 'startedAt' | 'completedAt' | 'cancelledAt', string | null>;

/** When an imported tournament went through its statuses; now, where the file does not say. */
function lifecycle({ status, play }: ImportPlan, moments: Moments) {
  const when = (is: boolean, moment: string | null) => (is ? (moment ? new Date(moment) : new Date()) : null);
  const isPublic = status !== 'DRAFT' && (status !== 'CANCELLED' || moments.publishedAt !== null || play !== null);
  return {
    publishedAt: when(isPublic, moments.publishedAt),
    startedAt: when(play !== null, moments.startedAt),
    completedAt: when(status === 'COMPLETED', moments.completedAt),
    cancelledAt: when(status === 'CANCELLED', moments.cancelledAt),
  };
}
