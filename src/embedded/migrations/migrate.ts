import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { StartError } from '../start-error';

interface Migration {
  /** Its folder in prisma/migrations; migrations are applied in the order of their names. */
  name: string;
  sql: string;
  /** SHA-256 of the SQL, in hexadecimal, as Prisma stores it. */
  checksum: string;
}

/** An arbitrary number: all processes that migrate this database wait for this lock. */
const LOCK = 5_702_887;

/** Prisma's own table, so that its tools can read the history. */
const HISTORY = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

export interface MigrateOptions {
  /** The folder of the migrations. */
  directory?: string;
  /** What to do with a database that cannot be upgraded, as the end of a sentence. */
  startOver?: string;
}

/**
 * Applies the migrations that the database lacks, each with its history row in one transaction, so that a kill leaves
 * either all of a migration or nothing. Processes that start at once wait for each other.
 * @returns the names applied, in order.
 * @throws StartError when the database has migrations that this release does not know, or one fails.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { directory = findMigrations(), startOver = 'set DATABASE_URL to an empty database' } = options;
  const migrations = await readMigrations(directory);
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    try {
      await client.connect();
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    } catch (error) {
      throw new StartError(`The database does not answer: ${(error as Error).message}; look at DATABASE_URL`);
    }
    await client.query(HISTORY);
    const pending = await pendingOf(client, migrations, startOver);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** The migrations in a folder, sorted by name. */
export async function readMigrations(directory = findMigrations()): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The migrations that the database lacks. */
async function pendingOf(client: Client, migrations: Migration[], startOver: string): Promise<Migration[]> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  const newest = migrations.at(-1)?.name ?? '';
  const later = [...applied.keys()].find((name) => name > newest);
  if (later) {
    throw new StartError(`The database is newer than this release (it has migration ${later}); start the newer Laurel`);
  }
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const changed = [...applied].find(([name, checksum]) => known.get(name) !== checksum)?.[0];
  if (changed) {
    throw new StartError(
      `The database was made by a development version of Laurel and cannot be upgraded (its migration ${changed} is not part of this release); ${startOver}`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    // The connection is closed now, which rolls the transaction back.
    throw new StartError(`Migration ${name} fails: ${(error as Error).message}`);
  }
}

/** prisma/migrations of the checkout that contains this file or its bundle. */
function findMigrations(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) throw new Error('prisma/migrations is missing');
  }
}
