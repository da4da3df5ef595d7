import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Pool } from 'pg';
import { StartError } from '../start-error';
import { type MigrationList, NO_FILTERS, schemaEngine } from './schema-engine';

/** Any number of ours: everyone who migrates this database waits for it. */
const LOCK = 5_702_887;

/**
 * Applies the migrations that the database lacks, each with its history row in one transaction, so that a kill leaves
 * either all of a migration or nothing. Processes that start at once wait for each other.
 * @returns the names applied, in order.
 * @throws StartError when the database has migrations that this release does not know, or one fails.
 */
export async function migrate(databaseUrl: string, directory = findMigrations()): Promise<string[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => undefined);
  try {
    await pool.query('SELECT pg_advisory_lock($1)', [LOCK]).catch((error) => {
      throw new StartError(`The database does not answer: ${error.message}; look at DATABASE_URL`);
    });
    const all = await readMigrations(directory);
    const names = all.migrationDirectories.map((migration) => migration.path);
    const pending = await pendingOf(pool, names);
    if (pending.length > 0) await apply(pool, all, pending);
    return pending;
  } finally {
    await pool.end();
  }
}

/** The migrations folder as the schema engine takes it, sorted by name. */
export async function readMigrations(directory = findMigrations()): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => {
      const value = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } as const } };
    }),
  );
  const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' };
  return { baseDir: directory, lockfile, shadowDbInitScript: '', migrationDirectories };
}

/** Names the database lacks; a row that another tool left unfinished stays for the engine to report. */
async function pendingOf(pool: Pool, names: string[]): Promise<string[]> {
  const history = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!history.rows[0]?.present) return names;
  const rows = await pool.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.rows.map((row) => row.migration_name));
  const unknown = [...applied].filter((name) => !names.includes(name)).sort();
  if (unknown.length > 0) {
    throw new StartError(
      `The database is newer than this release (it has migration ${unknown.at(-1)}); start the newer Laurel`,
    );
  }
  return names.filter((name) => !applied.has(name));
}

async function apply(pool: Pool, all: MigrationList, pending: string[]): Promise<void> {
  let answer: Error | undefined;
  const engine = await schemaEngine(pool, (error) => {
    answer = error;
  });
  for (const name of pending) {
    const migrationDirectories = all.migrationDirectories.filter((migration) => migration.path <= name);
    // The pool has one connection, so this transaction holds whatever the engine does.
    await pool.query('BEGIN');
    try {
      await engine.applyMigrations({ migrationsList: { ...all, migrationDirectories }, filters: NO_FILTERS });
      await pool.query('COMMIT');
    } catch (error) {
      await pool.query('ROLLBACK').catch(() => undefined);
      throw new StartError(`Migration ${name} fails: ${(answer ?? (error as Error)).message}`);
    }
  }
  engine.free();
}

/** prisma/migrations of the checkout this file, or the bundle made of it, lies in. */
function findMigrations(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) throw new Error('prisma/migrations is missing');
  }
}
