import { matchesAt, onStream, streamQueue } from '@/domain/matches/stations';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, notifyPages, type Origin } from '@/server/events/emit';
import { type PageInput, pageArgs, toPage } from '@/server/paging';
import { findPlay } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { readListed } from '@/server/routers/matches/data-listed';
import { lockTournament } from '@/server/routers/tournaments/data';
import type { StationOutput } from './schema';

const stationSelect = { id: true, tournamentId: true, name: true, streamUrl: true, autoAssign: true } as const;
type Row = Omit<StationOutput, 'currentMatch' | 'queue'>;

const open = Prisma.sql`m."status" NOT IN ('completed', 'forfeited')`;

async function withMatches(tx: Tx, rows: readonly Row[]): Promise<StationOutput[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const matches = await readListed(
    tx,
    Prisma.sql`SELECT m.* FROM "match" m WHERE m."stationId" = ANY(${ids}) AND ${open}`,
  );
  return rows.map((row) => {
    const { current, queue } = matchesAt(row.id, matches, Date.now());
    return { ...row, currentMatch: current, queue };
  });
}

/** One page of a tournament's stations, in the order in which they were added. */
export async function listStations(tx: Tx, tournamentId: string, input: PageInput) {
  const where = { tournamentId };
  const orderBy = [{ position: 'asc' as const }, { id: 'asc' as const }];
  const [rows, total] = await Promise.all([
    tx.station.findMany({ where, orderBy, select: stationSelect, ...pageArgs(input) }),
    tx.station.count({ where }),
  ]);
  return toPage(await withMatches(tx, rows), total, input);
}

/** @throws NOT_FOUND */
export async function findStation(tx: Tx, tournamentId: string, stationId: string): Promise<StationOutput> {
  const row = await tx.station.findFirst({ where: { id: stationId, tournamentId }, select: stationSelect });
  const [station] = row ? await withMatches(tx, [row]) : [];
  if (!station) throw refuse('NOT_FOUND', { message: 'There is no such station.' });
  return station;
}

export type StationChange = {
  by: Origin;
  tournamentId: string;
  action: 'create' | 'update' | 'delete';
};

/**
 * Changes the stations of a tournament under its lock, and lets those that are free then take what is ready.
 * @param change returns the id of the station that it changed
 */
export async function changeStations(
  tx: Tx,
  { by, tournamentId, action }: StationChange,
  change: () => Promise<{ id: string; name: string }>,
): Promise<string> {
  const { row } = await lockTournament(tx, tournamentId, { id: true, projectId: true, status: true });
  const { id, name } = await change();
  const { projectId, status } = row;
  await audit(tx, by, {
    projectId,
    action: `station.${action}`,
    targetType: 'station',
    targetId: id,
    details: { tournamentId, name },
  });
  const play = status === 'IN_PROGRESS' ? await findPlay(tx, tournamentId) : null;
  if (play) await saveChange(tx, by, play, null);
  else notifyPages(tx, { type: 'station.changed', projectId, tournamentId });
  return id;
}

/** @throws STATION_NAME_TAKEN */
export async function requireFreeName(tx: Tx, tournamentId: string, name: string, except?: string): Promise<void> {
  const taken = await tx.station.findFirst({
    where: { tournamentId, name, ...(except ? { id: { not: except } } : {}) },
    select: { id: true },
  });
  if (taken) throw refuse('STATION_NAME_TAKEN');
}

/** The stream queue of a tournament, and what is on stream now. */
export async function readStreamQueue(tx: Tx, tournamentId: string) {
  const where = { tournamentId, streamUrl: { not: null } };
  const stations = await tx.station.findMany({ where, select: { id: true, streamUrl: true } });
  const matches = await readListed(
    tx,
    Prisma.sql`SELECT m.* FROM "match" m WHERE m."tournamentId" = ${tournamentId} AND ${open}
      AND (m."streamPosition" IS NOT NULL OR m."stationId" = ANY(${stations.map(({ id }) => id)}))`,
  );
  return { tournamentId, onStream: onStream(matches, stations, Date.now()), items: streamQueue(matches) };
}
