import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { env } from '@/env';
import { Prisma, PrismaClient } from '@/generated/prisma/client';
import { logger } from '@/server/logger';
import { createStatementNames } from '@/server/statement-names';

type Database = { pool: pg.Pool; prisma: PrismaClient; nameOf: ReturnType<typeof createStatementNames> };

const holder = globalThis as typeof globalThis & { laurelDatabase?: Database };

function connect(): Database {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  // Without a listener, the error of an idle connection that the server closes would end the process.
  pool.on('error', ({ message, name }) => logger.warn({ reason: `${name}: ${message}` }, 'database connection lost'));
  // Prisma adds a listener for every query that starts before its client is connected. That is not a leak.
  pool.setMaxListeners(0);
  // Many registrations for one tournament wait for its row, for longer than Prisma's default of 2 s.
  const transactionOptions = { maxWait: 15_000, timeout: 15_000 };
  const nameOf = createStatementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOf });
  return { pool, prisma: new PrismaClient({ adapter, transactionOptions }), nameOf };
}

// Next bundles its own copy of this module; both copies share one pool.
holder.laurelDatabase ??= connect();

/** PostgreSQL connections, for statements on hot paths. */
export const pool = holder.laurelDatabase.pool;
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

const int8 = 20;
/** As Prisma reads them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? BigInt : pg.types.getTypeParser(oid, format)),
};

/**
 * The rows of a statement on a hot path. Outside of a transaction it goes straight to `pg`: Prisma's own part takes longer
 * than a small statement. Not for decimals and lists of enums, which Prisma reads in another way.
 */
export async function rowsOf<Row extends object>(tx: Tx, statement: Prisma.Sql): Promise<Row[]> {
  if (tx !== db) return tx.$queryRaw<Row[]>(statement);
  const { text, values } = statement;
  const name = holder.laurelDatabase?.nameOf({ sql: text, args: values });
  return (await pool.query<Row>({ name, text, values, types })).rows;
}

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '23505';
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  // Prisma's own statements fail with P2002; a raw one carries PostgreSQL's code.
  return error.code === 'P2002' || JSON.stringify(error.meta ?? {}).includes('23505');
}

/** Closes every connection, so that the process can end. */
export async function closeDatabase(): Promise<void> {
  await db.$disconnect();
  if (!pool.ended) await pool.end();
}
