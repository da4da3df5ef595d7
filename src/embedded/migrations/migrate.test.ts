import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { diffToSchema } from './diff';
import { migrate, readMigrations } from './migrate';

const migrated = process.env.DATABASE_URL ?? '';

async function query(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function emptyDatabase(name: string): Promise<string> {
  const database = `${new URL(migrated).pathname.slice(1)}_${name}`;
  await query(inject('adminUrl'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await query(inject('adminUrl'), `CREATE DATABASE ${database}`);
  return migrated.replace(/[^/]+$/, database);
}

/** A copy of the migrations with one more at the end. */
async function withMigration(name: string, sql: string): Promise<string> {
  const directory = path.join(await mkdtemp(path.join(tmpdir(), 'laurel-migrations-')), 'migrations');
  await cp('prisma/migrations', directory, { recursive: true });
  await mkdir(path.join(directory, name));
  await writeFile(path.join(directory, name, 'migration.sql'), sql);
  return directory;
}

describe('migrations', () => {
  let names: string[];
  beforeAll(async () => {
    names = (await readMigrations()).map(({ name }) => name);
  });

  it('bring a database to exactly what the Prisma schema describes', async () => {
    expect(await diffToSchema(migrated, 'prisma')).toBe('');
  });

  it('are applied once when several processes start together, and have nothing to do afterwards', async () => {
    const url = await emptyDatabase('together');
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(applied.flat()).toEqual(names);
    expect(await migrate(url)).toEqual([]);
  });

  it('leave nothing of one that fails, so that a fixed one is applied', async () => {
    const url = await emptyDatabase('failing');
    await migrate(url);
    const broken = await withMigration(
      '29990101000000_broken',
      'CREATE TABLE "half" ("id" TEXT); SELECT no_such_function();',
    );
    await expect(migrate(url, { directory: broken })).rejects.toThrow(/29990101000000_broken.*no_such_function/s);
    expect(await query(url, `SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
    const fixed = await withMigration('29990101000000_broken', 'CREATE TABLE "half" ("id" TEXT);');
    expect(await migrate(url, { directory: fixed })).toEqual(['29990101000000_broken']);
  });

  it('of a newer release are refused with one line', async () => {
    const url = await emptyDatabase('newer');
    await migrate(url, { directory: await withMigration('29990101000000_later', 'SELECT 1;') });
    await expect(migrate(url)).rejects.toThrow(
      /^The database is newer than this release \(it has migration 29990101000000_later\).*$/,
    );
  });

  it.each([
    ['that are gone', `UPDATE _prisma_migrations SET migration_name = '20200101000000_init'`, '20200101000000_init'],
    ['that have changed', `UPDATE _prisma_migrations SET checksum = 'another'`, '\\d+_baseline'],
  ])('%s since a database was made are refused with what to do instead', async (what, change, name) => {
    const url = await emptyDatabase(what.split(' ').at(-1) ?? '');
    await migrate(url);
    await query(url, `${change} WHERE migration_name LIKE '%_baseline'`);
    const sentence = `^The database was made by a development version of Laurel and cannot be upgraded \\(its migration ${name} is not part of this release\\);`;
    await expect(migrate(url)).rejects.toThrow(new RegExp(`${sentence} set DATABASE_URL to an empty database$`));
    await expect(migrate(url, { startOver: 'delete it' })).rejects.toThrow(new RegExp(`${sentence} delete it$`));
  });

  it('keep the history where the tools of Prisma look for it', async () => {
    const url = await emptyDatabase('history');
    await migrate(url);
    const rows = await query(
      url,
      `SELECT migration_name, length(checksum) AS checksum FROM _prisma_migrations
       WHERE finished_at >= started_at AND applied_steps_count = 1 AND rolled_back_at IS NULL ORDER BY 1`,
    );
    expect(rows).toEqual(names.map((name) => ({ migration_name: name, checksum: 64 })));
  });

  it('run function bodies whole', async () => {
    const url = await emptyDatabase('functions');
    const body = 'CREATE FUNCTION "two"() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;';
    await migrate(url, { directory: await withMigration('29990101000000_function', body) });
    expect(await query(url, 'SELECT two()')).toEqual([{ two: 2 }]);
  });
});

describe('the difference to the Prisma schema', () => {
  it('names a missing column and an index that nobody knows', async () => {
    const url = await emptyDatabase('drift');
    await migrate(url);
    await query(url, 'ALTER TABLE "user" DROP COLUMN "name"; CREATE INDEX "stray" ON "user" ("createdAt")');
    const sql = await diffToSchema(url, 'prisma');
    expect(sql).toMatch(/ALTER TABLE "user" ADD COLUMN\s+"name"/);
    expect(sql).toContain('DROP INDEX "stray"');
  });

  it('lets partial and expression indexes be', async () => {
    const url = await emptyDatabase('partial');
    await migrate(url);
    await query(
      url,
      'CREATE INDEX "partial" ON "user" ("id") WHERE "name" IS NULL; CREATE INDEX "folded" ON "user" (lower("name"))',
    );
    expect(await diffToSchema(url, 'prisma')).toBe('');
  });
});
