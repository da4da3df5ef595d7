import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { tournamentKey } from '@/server/routers/tournaments/data';
import { type DataTournament, dataTournament, type ListDataTournamentsInput } from './schema';

const timestamps = new Set<string>([
  'startDate',
  'registrationOpensAt',
  'registrationClosesAt',
  'checkInOpensAt',
  'checkInClosesAt',
  'publishedAt',
  'startedAt',
  'completedAt',
  'cancelledAt',
  'createdAt',
  'updatedAt',
] satisfies (keyof DataTournament)[]);

/** The column behind a field, as it stands in JSON. */
function fieldSql(field: string): string {
  const column = field === 'game' ? '"gameId"' : `"${field}"`;
  const value = timestamps.has(field)
    ? `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : column;
  return `'${field}', ${value}`;
}

/**
 * A row as the API shows it, made by PostgreSQL: these routes are polled, and one JSON value costs this process a
 * fraction of three dozen columns. The fields are those of the schema.
 */
const tournamentJson = `json_build_object(${Object.keys(dataTournament.shape).map(fieldSql).join(', ')})`;

type Row = { tournament: DataTournament };

/** One page of a project's tournaments, latest start first, and how many there are. */
export async function listTournaments(
  projectId: string,
  input: ListDataTournamentsInput,
  page: { skip: number; take: number },
): Promise<{ tournaments: DataTournament[]; total: number }> {
  const values: unknown[] = [projectId];
  const conditions = ['"projectId" = $1'];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { status, gameId, from, to } = input;
  if (status) where((parameter) => `status = ${parameter}::tournament_status`, status);
  else conditions.push(`status IN ('PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED')`);
  if (gameId) where((parameter) => `"gameId" = ${parameter}`, gameId);
  if (from) where((parameter) => `"startDate" >= ${parameter}::timestamptz`, from);
  if (to) where((parameter) => `"startDate" <= ${parameter}::timestamptz`, to);
  const matching = `FROM tournament WHERE ${conditions.join(' AND ')}`;

  const [rows, count] = await Promise.all([
    pool.query<Row>(
      `SELECT ${tournamentJson} AS tournament ${matching}
       ORDER BY "startDate" DESC, id DESC LIMIT ${page.take} OFFSET ${page.skip}`,
      values,
    ),
    pool.query<{ total: number }>(`SELECT count(*)::int AS total ${matching}`, values),
  ]);
  return { tournaments: rows.rows.map(({ tournament }) => tournament), total: count.rows[0]?.total ?? 0 };
}

/**
 * A project's tournament by id or slug.
 * @throws NOT_FOUND for other projects' tournaments, and for drafts unless they were asked for
 */
export async function findTournament(projectId: string, idOrSlug: string, drafts: boolean): Promise<DataTournament> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const { rows } = await pool.query<Row>({
    name: `data_tournament_by_${column}`,
    text: `SELECT ${tournamentJson} AS tournament FROM tournament WHERE ${column} = $1 AND "projectId" = $2`,
    values: [idOrSlug, projectId],
  });
  const tournament = rows[0]?.tournament;
  if (!tournament || (tournament.status === 'DRAFT') !== drafts) {
    throw refuse('NOT_FOUND', { message: 'There is no such tournament in this project.' });
  }
  return tournament;
}
