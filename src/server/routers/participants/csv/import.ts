import { consumeAttempts } from '@/server/limits/rate-limit';
import { factsOf, questionsOf, readTournamentContext } from '@/server/routers/participants/data';
import { lockForParticipants } from '@/server/routers/participants/data-transitions';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { planImport, presentImport, writeImport } from './data-import';
import { importHeader, toCsv } from './rules';
import { importInput, importOutput, importTemplateInput, importTemplateOutput } from './schema';

const tags = ['Participants'];

/** A file tells which addresses have an account; nobody shall ask for a whole list of strangers. */
const mostImports = { points: 60, seconds: 3600 };

const columns =
  'Individuals: a column `E-mail`. Teams: `Team`, `Captain e-mail`, `Player e-mails` and `Substitute e-mails`, several addresses in a cell. Answers: a column with the label or the key of the question. Everyone needs an account; the account is found by its address.';

export const importPreview = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/import/preview',
      tags,
      summary: 'Preview an import of entrants',
      description: `Says of every line what would become of it, or what is wrong in which column. Changes nothing. ${columns}`,
    },
    errors: ['INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
  })
  .input(importInput)
  .output(importOutput)
  .mutation(async ({ ctx, input }) => {
    await consumeAttempts('import', ctx.actingUser.id, mostImports);
    const tournament = await readTournamentContext(ctx.tournamentId);
    const plan = await planImport(ctx.db, { tournament, facts: factsOf(tournament, new Date()) }, input.csv);
    return presentImport(plan, false);
  });

export const importCommit = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/participants/import',
      tags,
      summary: 'Import entrants from CSV',
      description: `Enters every line that can be entered, in order and without asking for approval; at capacity onto the waitlist, where there is one. Lines that cannot are left out and say why. ${columns}`,
    },
    errors: ['INVALID_STATE', 'TOO_MANY_ATTEMPTS'],
  })
  .input(importInput)
  .output(importOutput)
  .mutation(async ({ ctx, input }) => {
    await consumeAttempts('import', ctx.actingUser.id, mostImports);
    return ctx.db.$transaction(
      async (tx) => {
        const locked = await lockForParticipants(tx, ctx.tournamentId);
        const plan = await planImport(tx, locked, input.csv);
        await writeImport(tx, ctx.by, locked, plan);
        return presentImport(plan, true);
      },
      { timeout: 60_000, maxWait: 15_000 },
    );
  });

/** The header of a file for this tournament, to fill in. */
export const importTemplate = tournamentProcedure('participants:write')
  .input(importTemplateInput)
  .output(importTemplateOutput)
  .query(async ({ ctx }) => {
    const tournament = await readTournamentContext(ctx.tournamentId);
    return { csv: toCsv([importHeader({ teams: tournament.teamSize > 1, definitions: questionsOf(tournament) })]) };
  });
