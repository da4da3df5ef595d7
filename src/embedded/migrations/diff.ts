import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { startEmbeddedPostgres } from '../postgres/postgres';
import { migrate } from './migrate';
import { schemaEngine } from './schema-engine';

/** Relations of the schema whose rows a trigger deletes: to check each row that is written would cost too much. */
const withoutForeignKey = [
  'webhook_delivery_eventId_fkey',
  'webhook_delivery_subscriptionId_fkey',
  'webhook_attempt_deliveryId_fkey',
];

/**
 * The SQL that would bring a database to the schema in prisma/; '' when nothing differs. Checks, triggers, and indexes that
 * Prisma cannot express are ignored, because the migrations own them, and foreign keys that are left out on purpose.
 */
export async function diffToSchema(databaseUrl: string, schemaDir: string): Promise<string> {
  const names = await readdir(schemaDir, { recursive: true });
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.prisma'))
      .sort()
      .map(async (name) => ({
        path: path.join(schemaDir, name),
        content: await readFile(path.join(schemaDir, name), 'utf8'),
      })),
  );
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const sqlOnly = await pool.query<{ name: string }>(
      'SELECT i.relname AS name FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indpred IS NOT NULL OR x.indexprs IS NOT NULL',
    );
    const engine = await schemaEngine(pool);
    const from = { tag: 'schemaDatasource', files, configDir: schemaDir } as const;
    const to = { tag: 'schemaDatamodel', files } as const;
    const filters = { externalTables: [], externalEnums: [] };
    const { stdout } = await engine.diff({ from, to, script: true, exitCode: null, filters });
    const steps = (stdout ?? '').split(/\n\n(?=-- )/);
    const isSqlOnly = (step: string) =>
      sqlOnly.rows.some(({ name }) => step.includes(`DROP INDEX "${name}"`)) ||
      withoutForeignKey.some((name) => step.includes(`ADD CONSTRAINT "${name}"`));
    const sql = steps
      .filter((step) => !isSqlOnly(step))
      .join('\n\n')
      .trim();
    return sql === '-- This is an empty migration.' ? '' : sql;
  } finally {
    await pool.end();
  }
}

/** Prints the missing SQL; with a name as argument, writes it as the next migration. */
async function main(): Promise<void> {
  const root = process.cwd();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'laurel-diff-'));
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true, log: () => undefined });
  try {
    await migrate(postgres.url);
    const sql = await diffToSchema(postgres.url, path.join(root, 'prisma'));
    const name = process.argv[2];
    if (!sql) return console.log('The migrations and the Prisma schema agree.');
    if (!name) return console.log(sql);
    const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    const folder = path.join(root, 'prisma', 'migrations', `${stamp}_${name}`);
    await mkdir(folder);
    await writeFile(path.join(folder, 'migration.sql'), `${sql}\n`);
    console.log(`Written: ${path.relative(root, folder)}/migration.sql. Review it before you commit it.`);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) await main();
