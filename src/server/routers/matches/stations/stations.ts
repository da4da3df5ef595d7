import { newId } from '@/domain/ids';
import { maxStations } from '@/domain/matches/forms';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { findVisible } from '@/server/routers/tournaments/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { publicProcedure, router } from '@/server/trpc';
import { changeStations, findStation, listStations, requireFreeName } from './data';
import {
  createStationInput,
  listStationsInput,
  listStationsOutput,
  station,
  stationInput,
  updateStationInput,
} from './schema';

const tags = ['Stations'];

const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/stations',
      tags,
      summary: 'List stations',
      description: 'In the order in which they were added, each with what is played there.',
    },
    errors: ['NOT_FOUND'],
    wholeDraw: true,
  })
  .input(listStationsInput)
  .output(listStationsOutput)
  .query(async ({ ctx, input }) => {
    const { tournamentId, ...page } = input;
    const { id } = await findVisible(tournamentId, await ctx.user());
    return listStations(ctx.db, id, page);
  });

const get = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/stations/{stationId}',
      tags,
      summary: 'Read a station',
      description: 'With what is played there now, and what waits for it.',
    },
    errors: ['NOT_FOUND'],
    wholeDraw: true,
  })
  .input(stationInput)
  .output(station)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    return findStation(ctx.db, id, input.stationId);
  });

const create = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/stations',
      tags,
      summary: 'Add a station',
      description: 'With `autoAssign` it takes the next ready match at once.',
    },
    status: 201,
    errors: ['STATION_NAME_TAKEN', 'INVALID_STATE'],
    wholeDraw: true,
  })
  .input(createStationInput)
  .output(station)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { name, streamUrl, autoAssign } = input;
    const id = await db.$transaction((tx) =>
      changeStations(tx, { by: ctx.by, tournamentId, action: 'create' }, async () => {
        await requireFreeName(tx, tournamentId, name);
        const { _count, _max } = await tx.station.aggregate({
          where: { tournamentId },
          _count: true,
          _max: { position: true },
        });
        if (_count >= maxStations) {
          throw refuse('INVALID_STATE', { message: `A tournament has at most ${maxStations} stations.` });
        }
        const position = (_max.position ?? 0) + 1;
        const data = { id: newId('sta'), tournamentId, name, streamUrl, autoAssign, position };
        return tx.station.create({ data, select: { id: true, name: true } });
      }),
    );
    return findStation(db, tournamentId, id);
  });

const update = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/tournaments/{tournamentId}/stations/{stationId}',
      tags,
      summary: 'Change a station',
      description: 'Fields that are left out stay as they are.',
    },
    errors: ['STATION_NAME_TAKEN'],
    wholeDraw: true,
  })
  .input(updateStationInput)
  .output(station)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { stationId, name, streamUrl, autoAssign } = input;
    await db.$transaction((tx) =>
      changeStations(tx, { by: ctx.by, tournamentId, action: 'update' }, async () => {
        await findStation(tx, tournamentId, stationId);
        if (name !== undefined) await requireFreeName(tx, tournamentId, name, stationId);
        const data = { name, streamUrl, autoAssign };
        return tx.station.update({ where: { id: stationId }, data, select: { id: true, name: true } });
      }),
    );
    return findStation(db, tournamentId, stationId);
  });

const remove = tournamentProcedure('matches:moderate')
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/tournaments/{tournamentId}/stations/{stationId}',
      tags,
      summary: 'Remove a station',
      description: 'Its matches are at no station then. Returns what was there.',
    },
    wholeDraw: true,
  })
  .input(stationInput)
  .output(station)
  .mutation(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { stationId } = input;
    return db.$transaction(async (tx) => {
      const found = await findStation(tx, tournamentId, stationId);
      await changeStations(tx, { by: ctx.by, tournamentId, action: 'delete' }, async () => {
        await tx.match.updateMany({ where: { stationId }, data: { stationId: null, version: { increment: 1 } } });
        const { count } = await tx.station.deleteMany({ where: { id: stationId, tournamentId } });
        if (count === 0) throw refuse('NOT_FOUND', { message: 'There is no such station.' });
        return found;
      });
      return found;
    });
  });

export const stationsRouter = router({ list, get, create, update, remove });
