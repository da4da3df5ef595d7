import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '@/embedded/migrations/migrate';
import { startEmbeddedPostgres } from '@/embedded/postgres/postgres';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the database `postgres` in the run's own PostgreSQL. */
    adminUrl: string;
    /** The run's own directory, deleted afterwards. */
    scratch: string;
  }
}

/** One temporary PostgreSQL per run, with its own directory and port, and a migrated database to clone. */
export default async function setup({ vitest }: TestProject) {
  const run = vitest.getRootProject();
  // Another project of the run has started it.
  if ('adminUrl' in run.getProvidedContext()) return;
  const directory = await mkdtemp(path.join(tmpdir(), 'laurel-test-'));
  // PostgreSQL's own user has to pass through when the tests run as root.
  await chmod(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory, fast: true, log: () => undefined });
  const adminUrl = postgres.url.replace(/laurel$/, 'postgres');
  await migrate(postgres.url);
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('ALTER DATABASE laurel RENAME TO template_laurel');
  await client.end();
  run.provide('adminUrl', adminUrl);
  run.provide('scratch', directory);
  return async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
