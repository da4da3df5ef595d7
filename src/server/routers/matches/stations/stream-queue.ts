import { isDecided } from '@/domain/brackets/play/match-state';
import { db } from '@/server/db';
import { type Issue, refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { type MatchRow, withBracket } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { tournamentIdInput } from '@/server/routers/matches/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { publicProcedure, router } from '@/server/trpc';
import { readStreamQueue } from './data';
import { setStreamQueueInput, streamQueue } from './schema';

const tags = ['Stations'];

const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/stream-queue',
      tags,
      summary: 'Read the stream queue',
      description: 'What is on stream now and what comes next.',
    },
    errors: ['NOT_FOUND'],
    wholeDraw: true,
  })
  .input(tournamentIdInput)
  .output(streamQueue)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    return readStreamQueue(ctx.db, id);
  });

/** The position of every match, by number, whose position the new queue changes. */
function newPositions(rows: ReadonlyMap<number, MatchRow>, matchIds: readonly string[]) {
  const byId = new Map([...rows.values()].map((row) => [row.id, row]));
  const issues = matchIds.flatMap((id, at): Issue[] => {
    const path = `matchIds.${at}`;
    if (!byId.has(id)) return [{ path, message: 'There is no such match in this tournament.' }];
    return matchIds.indexOf(id) < at ? [{ path, message: 'This match is listed twice.' }] : [];
  });
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  const over = matchIds.flatMap((id) => byId.get(id) ?? []).find(isDecided);
  if (over) throw refuse('MATCH_ALREADY_DECIDED', { message: `M${over.number} is already decided.` });
  const columns = new Map<number, { streamPosition: number | null }>();
  for (const { id, number, streamPosition: before } of rows.values()) {
    const at = matchIds.indexOf(id);
    const streamPosition = at < 0 ? null : at + 1;
    if (streamPosition !== before) columns.set(number, { streamPosition });
  }
  return columns;
}

const set = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'PUT',
      path: '/tournaments/{tournamentId}/stream-queue',
      tags,
      summary: 'Set the stream queue',
      description: 'Replaces the whole queue. Matches leave it when they are decided.',
    },
    errors: ['INVALID_STATE', 'MATCH_ALREADY_DECIDED'],
    wholeDraw: true,
  })
  .input(setStreamQueueInput)
  .output(streamQueue)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId, scope } = ctx;
    const { matchIds } = input;
    return db.$transaction(async (tx) => {
      const play = await withBracket(tx, tournamentId);
      const columns = newPositions(play.rows, matchIds);
      if (columns.size > 0) {
        await saveChange(tx, ctx.by, play, null, { columns });
        await audit(tx, ctx.by, {
          projectId: scope.projectId,
          action: 'tournament.stream_queue',
          targetType: 'tournament',
          targetId: tournamentId,
          details: { matchIds },
        });
      }
      return readStreamQueue(tx, tournamentId);
    });
  });

export const streamQueueRouter = router({ get, set });
