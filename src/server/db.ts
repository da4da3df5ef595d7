import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { env } from '@/env';
import { Prisma, PrismaClient } from '@/generated/prisma/client';
import { logger } from '@/server/logger';
import { createStatementNames } from '@/server/statement-names';

type Database = { pool: pg.Pool; prisma: PrismaClient };

const holder = globalThis as typeof globalThis & { laurelDatabase?: Database };

function connect(): Database {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  // Without a listener, the error of an idle connection that the server closes would end the process.
  pool.on('error', ({ message, name }) => logger.warn({ reason: `${name}: ${message}` }, 'database connection lost'));
  // Prisma adds a listener for every query that starts before its client is connected. That is not a leak.
  pool.setMaxListeners(0);
  // Many registrations for one tournament wait for its row, for longer than Prisma's default of 2 s.
  const transactionOptions = { maxWait: 15_000, timeout: 15_000 };
  const adapter = new PrismaPg(pool, { statementNameGenerator: createStatementNames() });
  return { pool, prisma: new PrismaClient({ adapter, transactionOptions }) };
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

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  // Prisma's own statements fail with P2002; a raw one carries PostgreSQL's code.
  return error.code === 'P2002' || JSON.stringify(error.meta ?? {}).includes('23505');
}

/** Closes every connection, so that the process can end. */
export async function closeDatabase(): Promise<void> {
  await db.$disconnect();
  if (!pool.ended) await pool.end();
}
