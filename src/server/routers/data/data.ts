import type { ResolvedKey } from '@/server/auth/api-keys';
import type { Context } from '@/server/context';
import { pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { turnOfCaller } from '@/server/events/project-turn';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { letOthersIn } from '@/server/limits/thread-meter';
import { tournamentKey } from '@/server/routers/tournaments/data';
import { FairQueue } from '@/server/worker/fair-queue';
import { gateOf } from '@/server/worker/thread-share';
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
const selectJson = (rest: string, json = 'row_to_json(t)') =>
  `SELECT ${json} AS tournament FROM (SELECT ${columns} FROM tournament ${rest}) t`;

/** Bytes of texts and questions, which take PostgreSQL a hundredth of the time that writing them as JSON takes. */
const bytes = `octet_length(description) + octet_length(rules) + octet_length("customFields"::text)`;

/** Bytes from which a tournament is large: to read it, to check it and to write it takes milliseconds. */
const largeBytes = 32_768;

/** What is read of a large tournament before its turn: it takes little to keep while it waits. */
const brief = ['id', 'slug', 'projectId', 'game', 'status'] as const satisfies (keyof DataTournament)[];
type Brief = Pick<DataTournament, (typeof brief)[number]>;

/** The tournament, or in brief if it is large. */
const jsonUnlessLarge = `CASE WHEN ${bytes} < ${largeBytes} THEN row_to_json(t)
  ELSE json_build_object(${brief.map((field) => `'${field}', "${field}"`).join(', ')}) END`;

type Row = { tournament: DataTournament };

const isWhole = (found: Brief): found is DataTournament => 'rules' in found;

/** PostgreSQL writes times with the offset of its session. The API writes UTC with milliseconds. */
function inUtc(tournament: DataTournament): DataTournament {
  for (const field of timestamps) {
    const time = tournament[field];
    if (time !== null) tournament[field] = new Date(time).toISOString();
  }
  return tournament;
}

/** Bytes of a page as JSON. Of longer ones, with descriptions and rules of the largest size, each would hold up everybody for a second. */
const maxPageBytes = 4 * 1024 * 1024;
/** The bytes that a page has at least. */
const bytesOfPage = `SELECT sum(${bytes}) FROM page`;

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
    if (tournament) return inUtc(tournament);
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

/**
 * Reads tournaments by a unique column, large ones in brief. Requests that arrive while a statement runs share the next one: a hundred
 * large ones would hold up all that share it, and everybody else.
 */
function tournamentsBy(column: 'id' | 'slug') {
  // As `anyOf`: planned once.
  const text = selectJson(`WHERE ${column} = ANY (ARRAY(SELECT unnest($1::text[])))`, jsonUnlessLarge);
  return new Batcher<string, Brief | null>(readsAtOnce, async (keys) => {
    const values = [[...new Set(keys)]];
    const { rows } = await pool.query<{ tournament: Brief }>({ name: `data_tournaments_by_${column}`, text, values });
    const found = new Map(
      rows.map(({ tournament }) => [tournament[column], isWhole(tournament) ? inUtc(tournament) : tournament]),
    );
    return keys.map((key) => found.get(key) ?? null);
  });
}

const tournaments = { id: tournamentsBy('id'), slug: tournamentsBy('slug') };

/**
 * Reads past those that fill the next statement take turns: in all, two further statements of them are under way, and of a block of
 * addresses one. Others take none, which would cost each of them a part of what it takes otherwise.
 */
const further = new FairQueue({ running: [2 * readsAtOnce, readsAtOnce], waiting: 8_000, waitingOfOwner: 2_000 });

const mayShareNext = () => further.size === 0 && tournaments.id.size + tournaments.slug.size < readsAtOnce;

const isFound = <Found extends Brief>(found: Found | null | undefined, projectId: string, drafts: boolean) =>
  found?.projectId === projectId && (found.status === 'DRAFT') === drafts;

/**
 * A project's tournament by id or slug, in brief if it is large.
 * @throws NOT_FOUND for tournaments of other projects, and for drafts unless `drafts` is true, and then for all others
 */
export async function findTournament(projectId: string, idOrSlug: string, drafts: boolean): Promise<Brief> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const found = await tournaments[column].add(idOrSlug);
  if (!found || !isFound(found, projectId, drafts)) throw noSuchTournament();
  return found;
}

/** Large tournaments that are read at a time, in all and of a block of addresses: each is kept until it is written. */
const large = new FairQueue({ running: [8, 4], gate: gateOf(4), waiting: 2_000, waitingOfOwner: 500 });

const oneLarge = { name: 'data_tournament', text: selectJson('WHERE id = $1') };
let largeBefore = Promise.resolve();

/** Who reads, with a key. */
type Reader = Pick<Context, 'ip' | 'signal' | 'requireKey' | 'requireCounted'> & { key: ResolvedKey };

/** Does what a reader waits for when it is their turn. @throws OVERLOADED, and the signal's reason when the client has gone before that */
async function inTurn<Found>(
  queue: FairQueue,
  { ip, signal, requireKey, requireCounted, key: { id, steps } }: Reader,
  work: () => Promise<Found>,
): Promise<Found> {
  // One request too many takes no turn.
  await requireCounted();
  return queue.run({ ...turnOfCaller({ ip, caller: id, project: steps }), signal }, async () => {
    // It may have been revoked meanwhile.
    await requireKey();
    return work();
  });
}

/**
 * The same as a whole, in turn where many are read. A large one is read when it is its turn, and written in a round of the event loop of
 * its own.
 * @throws OVERLOADED when too many wait, and the signal's reason when the client has gone before that
 */
export async function readTournament(reader: Reader, idOrSlug: string, drafts: boolean): Promise<DataTournament> {
  const { projectId } = reader.key;
  const find = () => findTournament(projectId, idOrSlug, drafts);
  const found = await (mayShareNext() ? find() : inTurn(further, reader, find));
  if (isWhole(found)) return found;
  return new Promise((resolve, reject) => {
    const readAndLeave = async () => {
      const { rows } = await pool.query<Row>({ ...oneLarge, values: [found.id] });
      const tournament = rows[0]?.tournament;
      if (!tournament || !isFound(tournament, projectId, drafts)) throw noSuchTournament();
      largeBefore = largeBefore.then(letOthersIn);
      await largeBefore;
      resolve(inUtc(tournament));
      // What it takes to check and to write it counts for its turn.
      await letOthersIn();
    };
    inTurn(large, reader, readAndLeave).catch(reject);
  });
}
