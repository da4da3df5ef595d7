import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { env } from '@/env';
import { Prisma, PrismaClient } from '@/generated/prisma/client';
import { connectionSettings, idleTimeoutMillis } from '@/server/jobs/embedded/database';
import { beginPiece, endPiece, meterInUse, type ThreadMeter } from '@/server/limits/thread-meter';
import { logger } from '@/server/logger';

type Database = {
  pool: pg.Pool;
  deliveryPool: pg.Pool;
  queuePool: pg.Pool;
  reportPools: { quick: pg.Pool; slow: pg.Pool };
  prisma: PrismaClient;
  /** Names the statements that connections keep prepared. */
  nameOf: (query: { sql: string }) => string;
  /** What to do when the open transactions have committed. */
  committed: WeakMap<object, (() => void)[]>;
};

const holder = globalThis as typeof globalThis & { laurelDatabase?: Database };

/** Statements that a connection keeps prepared, and how often a text must have come before it becomes one of them. */
const maxPrepared = 300;
const preparedFrom = 4;
const maxCounted = 5_000;

/**
 * Names the texts that come again and again, so that PostgreSQL parses and plans them once for a connection. Others, such as
 * those with lists of many lengths, would fill its memory.
 */
function statementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return ({ sql }) => {
    const name = names.get(sql) ?? '';
    if (name || names.size >= maxPrepared || !/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql)) return name;
    const count = (counts.get(sql) ?? 0) + 1;
    if (counts.size >= maxCounted) counts.clear();
    counts.set(sql, count);
    if (count < preparedFrom) return '';
    counts.delete(sql);
    const added = `prisma_${names.size}`;
    names.set(sql, added);
    return added;
  };
}

/** How often a transaction is begun that PostgreSQL ends because it and another one waited for each other. */
const maxBegun = 3;

/** Milliseconds for which a transaction that may not wait for locks is begun again, and between two times. */
const beginAgain = { maxMs: 10_000, pauseMs: 200 };

/** An expression after which a transaction waits for each lock for a moment only, and is then begun again. */
export const waitBriefly = Prisma.sql`set_config('lock_timeout', '50ms', true)`;

/** Whether PostgreSQL ended a transaction, of which nothing was written, for such a reason. Raw statements fail with its codes. */
const failedWith = (error: unknown, code: string, ofPrisma?: string): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  (error.code === ofPrisma || JSON.stringify(error.meta ?? {}).includes(code));
const isDeadlock = (error: unknown) => failedWith(error, '40P01', 'P2034');
const isLockTimeout = (error: unknown) => failedWith(error, '55P03');

/**
 * Runs what `afterCommit` was given, when the transaction of an interactive `$transaction` has committed. The work runs
 * again after a deadlock, such as deleting what others are just writing to, and where it may not wait for a lock.
 */
function watchCommits(prisma: PrismaClient, committed: Database['committed']): void {
  const begin = prisma.$transaction.bind(prisma) as (work: unknown, options?: unknown) => Promise<unknown>;
  const watched = async (
    work: (tx: Tx) => Promise<unknown>,
    options?: unknown,
    { times, until } = { times: 1, until: performance.now() + beginAgain.maxMs },
  ): Promise<unknown> => {
    const hooks: (() => void)[] = [];
    let result: unknown;
    try {
      result = await begin((tx: Tx) => {
        committed.set(tx, hooks);
        return work(tx);
      }, options);
    } catch (error) {
      const mayWait = isLockTimeout(error) && performance.now() < until;
      if (mayWait) await pause(beginAgain.pauseMs);
      else if (!isDeadlock(error) || times >= maxBegun) throw error;
      return watched(work, options, { times: mayWait ? times : times + 1, until });
    }
    for (const hook of hooks) hook();
    return result;
  };
  prisma.$transaction = ((work: never, options?: unknown) =>
    typeof work === 'function' ? watched(work, options) : begin(work, options)) as typeof prisma.$transaction;
}

/** One that takes events, and one that stores results. */
const deliveryConnections = 2;
/** So few that a project with many queues leaves processors and connections to others. */
export const queueConnections = 3;
/**
 * So few that what counts the rows of a large project leaves processors and connections to others; and how long a statement
 * may take.
 */
export const reportLimits = { quick: { connections: 3, maxMs: 200 }, slow: { connections: 3, maxMs: 8_000 } };
// Their statements run many times a second, so that planning them for their values costs more than another plan could
// save; a plan that was made while a table was small must not read all of it when it is large. No commit waits for the
// disk: what is lost with PostgreSQL's last moments before a crash is done again.
const queueSettings = 'SET synchronous_commit = off';
const deliverySettings = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; ${queueSettings}`;

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;

/** The part of a client that its types leave out. */
type WithConnection = {
  connection: { stream: Socket; prependListener: (event: 'readyForQuery', listener: () => void) => void };
};

/** Counts what the database sends, and when it has answered, in the meter of the work that a connection is taken for. */
class MeteredPool extends pg.Pool {
  private readonly taken = new WeakMap<pg.PoolClient, { meter: ThreadMeter; bytesBefore: number }>();

  constructor(options: pg.PoolConfig) {
    super(options);
    this.on('connect', (client) => {
      const { connection } = client as unknown as WithConnection;
      // Before the client itself tells who waits for the answer, and is taken for something else.
      connection.prependListener('readyForQuery', () => beginPiece(this.taken.get(client)?.meter));
      Object.assign(client, {
        query: (...asked: unknown[]) => {
          endPiece();
          return Reflect.apply(pg.Client.prototype.query, client, asked);
        },
      });
    });
    this.on('release', (_error, client) => {
      const { meter, bytesBefore = 0 } = this.taken.get(client) ?? {};
      if (meter) meter.bytes += (client as unknown as WithConnection).connection.stream.bytesRead - bytesBefore;
      this.taken.delete(client);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error)));
      });
    }
    const meter = meterInUse();
    endPiece();
    super.connect((error, client, done) => {
      if (client && meter) {
        const bytesBefore = (client as unknown as WithConnection).connection.stream.bytesRead;
        this.taken.set(client, { meter, bytesBefore });
      }
      callback(error, client, done);
    });
  }
}

/** After so long without use, a connection is probed. */
const keepAliveInitialDelayMillis = 10_000;

/** @param settings of each connection, as statements */
function openPool(options: Omit<pg.PoolConfig, 'onConnect'>, settings = ''): pg.Pool {
  const pool = new MeteredPool({
    connectionString: env.DATABASE_URL,
    // A connection that nobody has used may have been forgotten by a firewall on the way, and would never answer.
    keepAlive: true,
    keepAliveInitialDelayMillis,
    onConnect: (client) => client.query(`${connectionSettings}; ${settings}`),
    ...options,
  });
  // Without listeners, the error of a connection that the server closes would end the process: the pool's is for idle ones,
  // and one in use, between two statements of a transaction, needs its own. Its next statement fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', ({ message, name }) => logger.warn({ reason: `${name}: ${message}` }, 'database connection lost'));
  return pool;
}

function openReportPool(lane: keyof typeof reportLimits): pg.Pool {
  const { connections, maxMs } = reportLimits[lane];
  // Helpers of a statement would take the processors from others.
  const settings = `SET statement_timeout = ${maxMs}; SET max_parallel_workers_per_gather = 0`;
  return openPool({ max: connections, idleTimeoutMillis: lane === 'quick' ? 0 : idleTimeoutMillis }, settings);
}

function connect(): Database {
  // They stay open: a new one takes hundreds of milliseconds while the processors are busy, and plans each statement anew.
  const pool = openPool({ max: env.DATABASE_POOL_SIZE, idleTimeoutMillis: 0 });
  // What takes events sends BEGIN and COMMIT with the statements between them, and waits half as often.
  const pipelined = { max: deliveryConnections, idleTimeoutMillis: 0, pipeline: true };
  const deliveryPool = openPool(pipelined, deliverySettings);
  const queuePool = openPool({ max: queueConnections, idleTimeoutMillis }, queueSettings);
  const reportPools = { quick: openReportPool('quick'), slow: openReportPool('slow') };
  // Prisma adds a listener for every query that starts before its client is connected. That is not a leak.
  pool.setMaxListeners(0);
  // Many registrations for one tournament wait for its row, for longer than Prisma's default of 2 s.
  const transactionOptions = { maxWait: 15_000, timeout: 15_000 };
  const nameOf = statementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOf });
  const prisma = new PrismaClient({ adapter, transactionOptions });
  const committed: Database['committed'] = new WeakMap();
  watchCommits(prisma, committed);
  return { pool, deliveryPool, queuePool, reportPools, prisma, nameOf, committed };
}

// Next bundles its own copy of this module; both copies share one pool.
holder.laurelDatabase ??= connect();

/** PostgreSQL connections, for statements on hot paths. */
export const pool = holder.laurelDatabase.pool;
/** Those of the deliveries of all projects, which wait for no statement about one queue, and for no request. */
export const deliveryPool = holder.laurelDatabase.deliveryPool;
/** Those of statements about one queue of webhooks. */
export const queuePool = holder.laurelDatabase.queuePool;
/** Those of statements that read as many rows as a project has. */
export const reportPools = holder.laurelDatabase.reportPools;
export const db = holder.laurelDatabase.prisma;

/** A Prisma client inside a transaction. */
export type Tx = Prisma.TransactionClient;

/** The columns of a `select` without relations, for a statement of one's own. */
export function columnsOf(table: string, select: object): Prisma.Sql {
  return Prisma.raw(
    Object.keys(select)
      .map((column) => `${table}."${column}"`)
      .join(', '),
  );
}

/**
 * `"id" = anyOf(ids)`, so that PostgreSQL plans a statement once for a connection. One with the list itself it plans
 * anew for every short list, which takes longer than to find its rows.
 */
export function anyOf(ids: Iterable<string>): Prisma.Sql {
  return Prisma.sql`ANY (ARRAY(SELECT unnest(${[...new Set(ids)]}::text[])))`;
}

/**
 * Values as an array of PostgreSQL, for a parameter of a large statement: `pg` itself looks for what is to be escaped in each of
 * them. Not for text that people write: here, nothing is.
 */
export function plainArray<Item>(
  items: readonly Item[],
  fieldOf: (item: Item, index: number) => string | number | boolean | Date | null | undefined,
): string {
  const parts = items.map((item, index) => {
    const value = fieldOf(item, index) ?? 'NULL';
    return value instanceof Date ? value.toISOString() : value;
  });
  return `{${parts.join(',')}}`;
}

const int8 = 20;
/** As Prisma reads them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? BigInt : pg.types.getTypeParser(oid, format)),
};

/**
 * Milliseconds after which a statement that many requests share fails, and its connection is closed: that may have gone silent, and
 * whoever came later would wait behind it. Nothing that is read this way takes nearly as long. What writes may wait for a row that an
 * import has for a minute, and is written after it: until then nobody may hear that it failed.
 */
const silentMs = { read: 10_000, write: 75_000 };

/**
 * The rows of a statement on a hot path. Outside of a transaction it goes straight to `pg`: Prisma's own part takes longer
 * than a small statement. Not for decimals and lists of enums, which Prisma reads in another way.
 */
export async function rowsOf<Row extends object>(
  tx: Tx,
  statement: Prisma.Sql,
  kind: keyof typeof silentMs = 'read',
): Promise<Row[]> {
  if (tx !== db) return tx.$queryRaw<Row[]>(statement);
  const { text, values } = statement;
  const name = holder.laurelDatabase?.nameOf({ sql: text });
  const query: pg.QueryConfig & { query_timeout: number } = {
    name,
    text,
    values,
    types,
    query_timeout: silentMs[kind],
  };
  return (await pool.query<Row>(query)).rows;
}

/**
 * Does something when the transaction has committed; nothing when it is rolled back, or the process dies first. Outside
 * of an interactive transaction, where each statement commits by itself, it is done at once.
 */
export function afterCommit(tx: Tx, work: () => void): void {
  const hooks = holder.laurelDatabase?.committed.get(tx);
  if (hooks) hooks.push(work);
  else work();
}

/** Rows that one statement of `deleteInBatches` deletes at most. */
export const deleteBatchSize = 10_000;

/**
 * Repeats a statement that deletes up to `deleteBatchSize` rows until it finds fewer, so that no transaction is long.
 * @returns how many rows were deleted
 */
export async function deleteInBatches(statement: string, values: readonly unknown[] = []): Promise<number> {
  for (let deleted = 0; ; ) {
    const { rowCount } = await pool.query(statement, [...values]);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < deleteBatchSize) return deleted;
  }
}

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '23505';
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  // Prisma's own statements fail with P2002; a raw one carries PostgreSQL's code.
  return error.code === 'P2002' || JSON.stringify(error.meta ?? {}).includes('23505');
}

/** Whether the database ended a statement that took longer than it may. */
export const isTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014';

/** Closes every connection, so that the process can end. */
export async function closeDatabase(): Promise<void> {
  await db.$disconnect();
  const all = [pool, deliveryPool, queuePool, reportPools.quick, reportPools.slow];
  for (const each of all) if (!each.ended) await each.end();
}
