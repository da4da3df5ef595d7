import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { letOthersIn } from '@/server/limits/thread-meter';
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

/** Characters of texts and questions from which a tournament is large: to check it and to write it takes milliseconds. */
const largeLength = 32_768;
/** Characters of a question or a choice at most, which are not counted one by one. */
const lineLength = 120;
let largeBefore = Promise.resolve();

/** One round of the event loop for each large tournament: a hundred that share a statement would hold up everybody for a second. */
async function awaitTurn({ description, rules, customFields }: DataTournament): Promise<void> {
  const lines = customFields.reduce((sum, { options = [] }) => sum + 1 + options.length, 0);
  if (description.length + rules.length + lines * lineLength < largeLength) return;
  largeBefore = largeBefore.then(letOthersIn);
  await largeBefore;
}

/** PostgreSQL writes times with the offset of its session. The API writes UTC with milliseconds. */
function inUtc({ tournament }: Row): DataTournament {
  for (const field of timestamps) {
    const time = tournament[field];
    if (time !== null) tournament[field] = new Date(time).toISOString();
  }
  return tournament;
}

/** Bytes of a page as JSON. Of longer ones, with descriptions and rules of the largest size, each would hold up everybody for a second. */
const maxPageBytes = 4 * 1024 * 1024;
/** The bytes that a page has at least, which take PostgreSQL a hundredth of the time that writing it as JSON takes. */
const bytesOfPage = `SELECT sum(octet_length(description) + octet_length(rules) + octet_length("customFields"::text)) FROM page`;

/**
 * One page of a project's tournaments, latest start first, and the total number.
 * @throws VALIDATION_FAILED when the page is too long
 */
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
    pool.query<{ tournament: DataTournament | null }>(
      // The ids come from the index, so that whole rows are only read for this page, however late it is.
      `WITH page AS MATERIALIZED (SELECT ${columns} FROM tournament
         WHERE id = ANY (ARRAY(SELECT id FROM tournament ${matching} ${order} LIMIT ${page.take} OFFSET ${page.skip})) ${order}),
       written AS MATERIALIZED (SELECT CASE WHEN (${bytesOfPage}) <= ${maxPageBytes} THEN row_to_json(page) END AS tournament FROM page)
       SELECT CASE WHEN sum(octet_length(tournament::text)) OVER () <= ${maxPageBytes} THEN tournament END AS tournament
       FROM written`,
      values,
    ),
    pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM tournament ${matching}`, values),
  ]);
  const tournaments = rows.rows.map(({ tournament }) => {
    if (tournament) return inUtc({ tournament });
    const message = `These tournaments have more than ${maxPageBytes / 1024 / 1024} MiB. Ask for fewer with \`limit\`.`;
    throw refuse('VALIDATION_FAILED', { message, issues: [{ path: 'limit', message }] });
  });
  return { tournaments, total: count.rows[0]?.total ?? 0 };
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
  await awaitTurn(found);
  return found;
}
