import { z } from 'zod';
import { type Context, callerOf } from '@/server/context';
import { refuse } from '@/server/errors';
import { findLarge, offloadLarge } from '@/server/routers/matches/data-size';
import {
  champion as championOutput,
  matchNumberInput,
  type StandingsOutput,
  type StandingsPage,
  standingsPageInput,
  standingsPage as standingsPageOutput,
  tournamentIdInput,
} from '@/server/routers/matches/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';
import { findDrawn } from './data-drawn';
import { toStandingsPage } from './rules';

type Asked = { tournamentId: string; places: number; table: number };
/** Null before the start. */
type Champion = Pick<StandingsOutput['final'][number], 'participantId' | 'name'> | null;

async function readStandings(tournamentId: string): Promise<StandingsOutput | null> {
  return (await findDrawn(tournamentId, null))?.drawn?.standings() ?? null;
}

const readPage = offloadLarge(
  'standings-page',
  'read',
  async ({ tournamentId, ...pages }: Asked): Promise<StandingsPage | null> => {
    const standings = await readStandings(tournamentId);
    return standings && toStandingsPage(standings, pages);
  },
);

const readChampion = offloadLarge(
  'champion',
  'read',
  async ({ tournamentId }: Pick<Asked, 'tournamentId'>): Promise<Champion> => {
    const first = (await readStandings(tournamentId))?.final.find(({ rank }) => rank === 1);
    return first ? { participantId: first.participantId, name: first.name } : null;
  },
);

/** Whose turn it is, and until when: nothing is read for a browser that has gone. */
async function asking(ctx: Context) {
  return { caller: await callerOf(ctx), from: { ip: ctx.ip, use: 'read' }, signal: ctx.signal } as const;
}

/** As much of the standings as a page shows; for our pages only. */
export const standingsPage = publicProcedure
  .meta({ errors: ['NOT_FOUND', 'BRACKET_NOT_AVAILABLE'] })
  .input(standingsPageInput)
  .output(standingsPageOutput)
  .query(async ({ ctx, input }) => {
    const { id: tournamentId } = await findVisible(input.tournamentId, await ctx.user());
    const page = await readPage({ ...input, tournamentId }, await asking(ctx));
    if (!page) throw refuse('BRACKET_NOT_AVAILABLE');
    return page;
  });

/** Who won the tournament; null while nobody has. For our pages only. */
export const champion = publicProcedure
  .meta({ errors: ['NOT_FOUND'] })
  .input(tournamentIdInput)
  .output(championOutput)
  .query(async ({ ctx, input }) => {
    const { id: tournamentId } = await findVisible(input.tournamentId, await ctx.user());
    return readChampion({ tournamentId }, await asking(ctx));
  });

/** The id of a match by its number; for our pages only. */
export const idOfNumber = publicProcedure
  .meta({ errors: ['NOT_FOUND'] })
  .input(matchNumberInput)
  .output(z.object({ id: z.string() }).nullable())
  .query(async ({ ctx, input: { tournamentId: idOrSlug, number } }) => {
    const { id: tournamentId } = await findVisible(idOrSlug, await ctx.user());
    return ctx.db.match.findUnique({ where: { tournamentId_number: { tournamentId, number } }, select: { id: true } });
  });

/** Whether the draw of a tournament is so large that a worker thread reads it; for our pages only, which then come without it. */
export const isLarge = publicProcedure
  .meta({ errors: ['NOT_FOUND'] })
  .input(tournamentIdInput)
  .output(z.boolean())
  .query(async ({ ctx, input }) => {
    const { id: tournamentId } = await findVisible(input.tournamentId, await ctx.user());
    return (await findLarge({ tournamentId }, 'read')) !== null;
  });
