import { z } from 'zod';
import { type Context, callerOf } from '@/server/context';
import { refuse } from '@/server/errors';
import { offloadLarge } from '@/server/routers/matches/data-size';
import { tournamentIdInput } from '@/server/routers/matches/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure, router } from '@/server/trpc';
import { type CalendarParticipant, findPublicParticipant } from './data-calendar';
import { readCalendarText } from './data-text';

const tags = ['Matches'];
const contentType = 'text/calendar; charset=utf-8';
const calendarOutput = z.string().describe('iCalendar (RFC 5545), times in UTC.');

/** Browsers and calendars name the file so. */
const disposition = (slug: string) => `inline; filename="${slug}.ics"`;

type Asked = { tournamentId: string; participant: CalendarParticipant };

/** In the worker thread for a large tournament, because pages ask for it too: thousands of entries take a while. */
const makeCalendar = offloadLarge('calendar', 'read', ({ tournamentId, participant }: Asked) =>
  readCalendarText(tournamentId, participant),
);

async function sendCalendar(ctx: Context, asked: Asked): Promise<string> {
  const asking = { caller: await callerOf(ctx), from: { ip: ctx.ip, use: 'read' }, signal: ctx.signal } as const;
  const { text, slug } = await makeCalendar(asked, asking);
  ctx.setHeader('Content-Disposition', disposition(slug));
  return text;
}

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
    wholeDraw: true,
  })
  .input(tournamentIdInput)
  .output(calendarOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    return sendCalendar(ctx, { tournamentId: id, participant: null });
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
    wholeDraw: true,
  })
  .input(tournamentIdInput.extend({ participantId: z.string().max(60) }))
  .output(calendarOutput)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    const name = await findPublicParticipant(ctx.db, id, input.participantId);
    if (name === null) throw refuse('NOT_FOUND', { message: 'There is no such participant.' });
    return sendCalendar(ctx, { tournamentId: id, participant: { id: input.participantId, name } });
  });

export const calendarRouter = router({ tournament, participant });
