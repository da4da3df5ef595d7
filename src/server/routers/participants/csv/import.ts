import { consumeAttemptsOf } from '@/server/limits/rate-limit';
import { takeNow } from '@/server/limits/take-now';
import { factsOf, lockForParticipants, questionsOf, readTournamentContext } from '@/server/routers/participants/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { planImport, prepareImport, presentImport, writeImport } from './data-import';
import { importHeader, toCsv } from './rules';
import { importInput, importOutput, importTemplateInput, importTemplateOutput } from './schema';

const tags = ['Participants'];

/** An import is decided in one piece, however long it is. */
const importRateLimit = { points: 60, seconds: 3600 };

const columns =
  'Individuals: a column `Email`. Teams: `Team`, `Captain email`, `Player emails` and `Substitute emails`, with several addresses in a cell. Answers: a column named after the label or the key of the question. Everyone needs an account with the given address, which they have confirmed.';

async function readContext(tournamentId: string) {
  const tournament = await readTournamentContext(tournamentId);
  return { tournament, facts: factsOf(tournament, new Date()) };
}

export const importPreview = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/import/preview',
      tags,
      summary: 'Preview an import of participants',
      description: `Returns the outcome of every line, or what is wrong in which column. Changes nothing. ${columns}`,
    },
    errors: ['INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
    quotas: ['importedAddresses', 'heavyCalls'],
    wholeDraw: true,
  })
  .input(importInput)
  .output(importOutput)
  .mutation(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    await consumeAttemptsOf(ctx.actingUser, 'import', importRateLimit);
    const read = await readContext(ctx.tournamentId);
    const prepared = await prepareImport(read, { csv: input.csv, askedById: ctx.actingUser.id });
    const plan = await ctx.db.$transaction((tx) => planImport(tx, read, prepared));
    return presentImport(plan, false);
  });

export const importCommit = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/import',
      tags,
      summary: 'Import participants from CSV',
      description: `Registers every valid line, in order and without approval. When every slot is taken, the rest joins the waitlist if the tournament has one. Invalid lines are skipped and say why. Players whom a captain named, and who have not accepted, leave that roster. ${columns}`,
    },
    errors: ['INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
    quotas: ['importedAddresses', 'heavyCalls', 'bulkEvents'],
    wholeDraw: true,
  })
  .input(importInput)
  .output(importOutput)
  .mutation(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    await consumeAttemptsOf(ctx.actingUser, 'import', importRateLimit);
    const read = await readContext(ctx.tournamentId);
    const prepared = await prepareImport(read, { csv: input.csv, askedById: ctx.actingUser.id });
    return ctx.db.$transaction(
      async (tx) => {
        const locked = await lockForParticipants(tx, ctx.tournamentId);
        const plan = await planImport(tx, locked, prepared);
        await writeImport(tx, ctx.by, locked, plan);
        return presentImport(plan, true);
      },
      { timeout: 60_000, maxWait: 15_000 },
    );
  });

/** An empty file for this tournament: only the header. */
export const importTemplate = tournamentProcedure('participants:write')
  .input(importTemplateInput)
  .output(importTemplateOutput)
  .query(async ({ ctx }) => {
    const tournament = await readTournamentContext(ctx.tournamentId);
    return { csv: toCsv([importHeader({ teams: tournament.teamSize > 1, definitions: questionsOf(tournament) })]) };
  });
