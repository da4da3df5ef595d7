import { randomBytes } from 'node:crypto';
import { inWords } from '@/domain/tournaments/rules';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { takeNow } from '@/server/limits/take-now';
import { toBracket } from '@/server/routers/matches/data-views';
import { type DrawOutput, drawInput, draw as drawOutput, startInput } from '@/server/routers/matches/schema';
import { noSuchTournament, readDetail } from '@/server/routers/tournaments/data';
import { restartSchedule } from '@/server/routers/tournaments/data-schedule';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { tournamentDetail } from '@/server/routers/tournaments/schema';
import {
  computeDraw,
  type Draw,
  type DrawParticipant,
  drawAgain,
  drawSelect,
  playOf,
  startTournament,
} from './data-start';

const tags = ['Brackets'];

function toDraw(tournamentId: string, draw: Draw): DrawOutput {
  const status = ({ status }: DrawParticipant) => (status === 'registered' ? status : 'checked_in');
  return {
    tournamentId,
    drawHash: draw.drawHash,
    randomSeed: draw.randomSeed,
    participants: draw.participants.map((one, at) => {
      return { participantId: one.id, name: one.name, seed: at + 1, status: status(one) };
    }),
    notCheckedIn: draw.notCheckedIn.map((one) => ({ participantId: one.id, name: one.name, status: status(one) })),
    bracket: toBracket(playOf(tournamentId, draw, (number) => `draw_${number}`)),
  };
}

async function readForDraw(tx: Tx, id: string) {
  const row = await tx.tournament.findUnique({ where: { id }, select: drawSelect });
  if (!row) throw noSuchTournament();
  return row;
}

const drawErrors = ['INVALID_STATE', 'NOT_ENOUGH_PARTICIPANTS', 'FORMAT_NOT_PLAYABLE'] as const;

export const draw = tournamentProcedure('participants:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/draw',
      tags,
      summary: 'Preview the draw',
      description:
        'The bracket that the start would draw now, and who has not checked in. Its matches have ids of the preview only.',
    },
    errors: drawErrors,
    quotas: ['heavyCalls'],
    wholeDraw: true,
  })
  .input(drawInput)
  .output(drawOutput)
  .query(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    const row = await readForDraw(ctx.db, ctx.tournamentId);
    if (row.status !== 'PUBLISHED' && row.status !== 'DRAFT') {
      throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(row.status)}. Read its bracket instead.` });
    }
    return toDraw(row.id, await computeDraw(ctx.db, row, input.removeNoShows ?? false));
  });

export const redraw = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/draw',
      tags,
      summary: 'Draw again',
      description:
        'With a new random seed; seeds that were set by hand stay. Also after the start, while nothing was played: then the bracket is replaced, and reports are gone, also disputed ones of matches that staff did not start.',
    },
    errors: drawErrors,
    quotas: ['heavyCalls', 'bulkEvents'],
    wholeDraw: true,
  })
  .input(drawInput)
  .output(drawOutput)
  .mutation(async ({ ctx, input }) => {
    await takeNow('heavyCalls', ctx.actingUser.id);
    const drawSeed = randomBytes(16).toString('hex');
    const removeNoShows = input.removeNoShows ?? false;
    const { tournament, draw } = await ctx.db.$transaction((tx) =>
      drawAgain(tx, ctx.by, ctx.tournamentId, { drawSeed, removeNoShows }),
    );
    return toDraw(tournament.id, draw);
  });

export const start = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/start',
      tags,
      summary: 'Start a tournament',
      description:
        'Closes registration and check-in, draws the bracket and makes every approved participant active. With `drawHash` only if the draw is still the one that was looked at.',
    },
    errors: [...drawErrors, 'DRAW_CHANGED'],
    quotas: ['bulkEvents'],
    wholeDraw: true,
  })
  .input(startInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx, input }) => {
    const { removeNoShows, drawHash } = input;
    const row = await ctx.db.$transaction((tx) =>
      startTournament(tx, ctx.by, ctx.tournamentId, { removeNoShows, drawHash }),
    );
    await restartSchedule(row);
    return readDetail(ctx.db, row.id, true);
  });
