import { z } from 'zod';
import { publicUrl } from '@/env';
import { refuse } from '@/server/errors';
import { tournamentIdInput } from '@/server/routers/matches/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure, router } from '@/server/trpc';
import { findPublicParticipant, readCalendar } from './data-calendar';
import { toCalendar } from './rules';

const tags = ['Matches'];
const contentType = 'text/calendar; charset=utf-8';
const calendarOutput = z.string().describe('iCalendar (RFC 5545), times in UTC.');

/** Browsers and calendars name the file so. */
const disposition = (slug: string) => `inline; filename="${slug}.ics"`;

const tournament = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/calendar.ics',
      tags,
      summary: 'Read a tournament as a calendar',
      description:
        'iCalendar: the tournament, its check-in and every match that has a time. Calendar programs can subscribe to it, because an entry keeps its UID, and its SEQUENCE rises with every change.',
    },
    contentType,
    errors: ['NOT_FOUND'],
  })
  .input(tournamentIdInput)
  .output(calendarOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    const contents = await readCalendar(ctx.db, id, null);
    ctx.setHeader('Content-Disposition', disposition(contents.tournament.slug));
    return toCalendar({ ...contents, participant: null, siteUrl: publicUrl });
  });

const participant = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/participants/{participantId}/calendar.ics',
      tags,
      summary: 'Read a participant’s calendar',
      description: 'iCalendar: the tournament, its check-in and the matches of this participant that have a time.',
    },
    contentType,
    errors: ['NOT_FOUND'],
  })
  .input(tournamentIdInput.extend({ participantId: z.string().max(60) }))
  .output(calendarOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    const name = await findPublicParticipant(ctx.db, id, input.participantId);
    if (name === null) throw refuse('NOT_FOUND', { message: 'There is no such participant.' });
    const contents = await readCalendar(ctx.db, id, input.participantId);
    ctx.setHeader('Content-Disposition', disposition(contents.tournament.slug));
    return toCalendar({ ...contents, participant: name, siteUrl: publicUrl });
  });

export const calendarRouter = router({ tournament, participant });
