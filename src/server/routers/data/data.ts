import type { Prisma } from '@/generated/prisma/client';
import type { TournamentGetPayload } from '@/generated/prisma/models';
import { db, pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { tournamentKey } from '@/server/routers/tournaments/data';
import type { DataTournament, ListDataTournamentsInput } from './schema';

const tournamentSelect = {
  id: true,
  slug: true,
  projectId: true,
  name: true,
  description: true,
  rules: true,
  gameId: true,
  format: true,
  teamSize: true,
  rosterMin: true,
  rosterMax: true,
  maxParticipants: true,
  currentParticipants: true,
  status: true,
  visibility: true,
  startDate: true,
  timezone: true,
  registrationOpensAt: true,
  registrationClosesAt: true,
  checkInOpensAt: true,
  checkInClosesAt: true,
  requiresApproval: true,
  waitlistEnabled: true,
  allowCancel: true,
  allowEdit: true,
  requiresAntiCheat: true,
  customFields: true,
  entryFee: true,
  prizePool: true,
  formatOptions: true,
  publishedAt: true,
  startedAt: true,
  completedAt: true,
  cancelledAt: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.TournamentSelect;

type Row = TournamentGetPayload<{ select: typeof tournamentSelect }>;

const iso = (date: Date | null) => date?.toISOString() ?? null;

function toDataTournament({ gameId, ...row }: Row): DataTournament {
  return {
    ...row,
    game: gameId,
    startDate: row.startDate.toISOString(),
    registrationOpensAt: iso(row.registrationOpensAt),
    registrationClosesAt: iso(row.registrationClosesAt),
    checkInOpensAt: iso(row.checkInOpensAt),
    checkInClosesAt: iso(row.checkInClosesAt),
    publishedAt: iso(row.publishedAt),
    startedAt: iso(row.startedAt),
    completedAt: iso(row.completedAt),
    cancelledAt: iso(row.cancelledAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    // Checked when they were written, and again by the route's output schema.
    customFields: row.customFields as DataTournament['customFields'],
    entryFee: row.entryFee as DataTournament['entryFee'],
    prizePool: row.prizePool as DataTournament['prizePool'],
    formatOptions: row.formatOptions as DataTournament['formatOptions'],
  };
}

/** One page of a project's tournaments, latest start first, and how many there are. */
export async function listTournaments(
  projectId: string,
  input: ListDataTournamentsInput,
  page: { skip: number; take: number },
): Promise<{ tournaments: DataTournament[]; total: number }> {
  const { status, gameId, from, to } = input;
  const where = {
    projectId,
    gameId,
    status: status ?? { in: ['PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'] },
    startDate: { gte: from, lte: to },
  } satisfies Prisma.TournamentWhereInput;
  const [rows, total] = await Promise.all([
    db.tournament.findMany({
      where,
      orderBy: [{ startDate: 'desc' }, { id: 'desc' }],
      select: tournamentSelect,
      ...page,
    }),
    db.tournament.count({ where }),
  ]);
  return { tournaments: rows.map(toDataTournament), total };
}

const columns = Object.keys(tournamentSelect)
  .map((column) => `"${column}"`)
  .join(', ');

/**
 * A project's tournament by id or slug. This is the route that integrators poll, so it is one prepared statement.
 * @throws NOT_FOUND for other projects' tournaments, and for drafts unless they were asked for
 */
export async function findTournament(projectId: string, idOrSlug: string, drafts: boolean): Promise<DataTournament> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const { rows } = await pool.query<Row>({
    name: `data_tournament_by_${column}`,
    text: `SELECT ${columns} FROM "tournament" WHERE "${column}" = $1 AND "projectId" = $2`,
    values: [idOrSlug, projectId],
  });
  const [row] = rows;
  if (!row || (row.status === 'DRAFT') !== drafts) {
    throw refuse('NOT_FOUND', { message: 'There is no such tournament in this project.' });
  }
  return toDataTournament(row);
}
