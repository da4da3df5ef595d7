import { readerOf } from '@/server/context';
import { requireRight } from '@/server/events/emit';
import { limitOf, quotas } from '@/server/limits/quotas';
import { takeInPortions } from '@/server/limits/take-now';
import { toPage } from '@/server/paging';
import { moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { findMatchForView } from '@/server/routers/matches/reading/data-match';
import { publicProcedure } from '@/server/trpc';
import { countFeedEvents, listFeed } from './data-list';
import { appendEvents } from './data-post';
import { listEventsInput, listEventsOutput, payloadBytes, postEventsInput, postEventsOutput } from './schema';

const tags = ['Matches'];

/** Events after which a process counts them for the project: as many as it may post in a second. */
const portionOfEvents = () => Math.ceil(limitOf('matchEventsOfProject') / quotas.matchEventsOfProject.seconds);
/** KiB of events after which a process counts them for the project. */
const portionKib = 1_024;
/** What an event takes in the database in addition to its JSON; one without a payload takes twenty times as much as was sent. */
const rowBytes = 400;

export const postEvents = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/events',
      tags,
      summary: 'Post events of a match',
      description:
        'One event, or up to 500 in `events`, all of them or none. A personal access token lets a script post them. An event whose `clientId` is known already changes nothing; such events are returned as they were stored, as long as their payloads have at most 512 KiB together or no more than twice what was posted.',
    },
    status: 201,
    errors: ['MATCH_NOT_READY'],
    quotas: ['matchEvents', 'matchEventsOfProject', 'matchEventKib'],
  })
  .input(postEventsInput)
  .output(postEventsOutput)
  .mutation(async ({ ctx, input }) => {
    const { matchId: _, events, type, ...rest } = input;
    const posted = events ?? (type === undefined ? [] : [{ ...rest, type }]);
    const { id, projectId } = ctx.match;
    const about = JSON.stringify(posted.map((event) => ({ ...event, payload: undefined })));
    const bytes = posted.reduce((sum, event) => sum + payloadBytes(event) + rowBytes, Buffer.byteLength(about));
    const kib = Math.ceil(bytes / 1024);
    await takeInPortions('matchEventsOfProject', projectId, posted.length, portionOfEvents());
    await takeInPortions('matchEventKib', projectId, kib, portionKib);
    return ctx.db.$transaction(async (tx) => {
      const stored = await appendEvents(tx, id, posted, { single: !events, bytes });
      await requireRight(tx, ctx.by);
      return stored;
    });
  });

export const listEvents = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/matches/{matchId}/events',
      tags,
      summary: 'List the events of a match',
      description: 'In the order of `sequence`, the same types for every game.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listEventsInput)
  .output(listEventsOutput)
  .query(async ({ ctx, input }) => {
    const { matchId, ...filter } = input;
    const user = await ctx.user();
    const { id } = await findMatchForView(ctx.db, matchId, user?.id ?? null);
    const asker = await readerOf(ctx);
    const [items, total] = await Promise.all([listFeed(asker, id, filter), countFeedEvents(asker, id, filter)]);
    return toPage(items, total, filter);
  });
