import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { tournamentKey } from '@/server/routers/tournaments/data';
import { type DataTournament, dataTournament, type ListDataTournamentsInput } from './schema';

const timestamps = [
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
] as const satisfies (keyof DataTournament)[];

/** The columns behind the fields of the schema, under the fields' names. */
const columns = Object.keys(dataTournament.shape)
  .map((field) => (field === 'game' ? '"gameId" AS "game"' : `"${field}"`))
  .join(', ');

/**
 * Selects rows as JSON, one value each. These routes are polled, and parsing one value takes a fraction of the time of three
 * dozen columns.
 */
const selectJson = (rest: string) =>
  `SELECT row_to_json(t) AS tournament FROM (SELECT ${columns} FROM tournament ${rest}) t`;

type Row = { tournament: DataTournament };

/** PostgreSQL writes times with the offset of its session. The API writes UTC with milliseconds. */
function inUtc({ tournament }: Row): DataTournament {
  for (const field of timestamps) {
    const time = tournament[field];
    if (time !== null) tournament[field] = new Date(time).toISOString();
  }
  return tournament;
}

/** One page of a project's tournaments, latest start first, and the total number. */
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
  else conditions.push(`status <> 'DRAFT'`);
  if (gameId) where((parameter) => `"gameId" = ${parameter}`, gameId);
  if (from) where((parameter) => `"startDate" >= ${parameter}::timestamptz`, from);
  if (to) where((parameter) => `"startDate" <= ${parameter}::timestamptz`, to);
  const matching = `WHERE ${conditions.join(' AND ')}`;
  const order = 'ORDER BY "startDate" DESC, id DESC';

  const [rows, count] = await Promise.all([
    pool.query<Row>(
      // The ids come from the index, so that whole rows are only read for this page, however late it is.
      selectJson(`WHERE id = ANY (ARRAY(SELECT id FROM tournament ${matching} ${order}
        LIMIT ${page.take} OFFSET ${page.skip})) ${order}`),
      values,
    ),
    pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM tournament ${matching}`, values),
  ]);
  return { tournaments: rows.rows.map(inUtc), total: count.rows[0]?.total ?? 0 };
}

/** The refusal for a tournament of another project, or one that does not exist: a key cannot tell which. */
export const noSuchTournament = () =>
  refuse('NOT_FOUND', { message: 'This tournament does not exist in this project.' });

/** The largest number of reads that share a statement. */
const readsAtOnce = 100;

/** Reads tournaments by a unique column. Requests that arrive while a statement runs share the next one. */
function tournamentsBy(column: 'id' | 'slug') {
  // As `anyOf`: planned once.
  const text = selectJson(`WHERE ${column} = ANY (ARRAY(SELECT unnest($1::text[])))`);
  return new Batcher<string, DataTournament | null>(readsAtOnce, async (keys) => {
    const values = [[...new Set(keys)]];
    const { rows } = await pool.query<Row>({ name: `data_tournaments_by_${column}`, text, values });
    const found = new Map(rows.map((row) => [row.tournament[column], inUtc(row)]));
    return keys.map((key) => found.get(key) ?? null);
  });
}

const tournaments = { id: tournamentsBy('id'), slug: tournamentsBy('slug') };

/**
 * A project's tournament by id or slug.
 * @throws NOT_FOUND for tournaments of other projects, and for drafts unless `drafts` is true, and then for all others
 */
export async function findTournament(projectId: string, idOrSlug: string, drafts: boolean): Promise<DataTournament> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const found = await tournaments[column].add(idOrSlug);
  if (found?.projectId !== projectId || (found.status === 'DRAFT') !== drafts) throw noSuchTournament();
  return found;
}
