import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';

/**
 * Gives each test file its own migrated database and data directory before the file loads anything. The database of the
 * file that this worker slot ran before is dropped here, because that file's process is gone and nobody is connected.
 */
const slot = `test_${process.env.VITEST_POOL_ID ?? '0'}`;
const adminUrl = inject('adminUrl');
const client = new Client({ connectionString: adminUrl });
await client.connect();
await client.query(`DROP DATABASE IF EXISTS ${slot} WITH (FORCE)`);
await client.query(`CREATE DATABASE ${slot} TEMPLATE template_laurel STRATEGY FILE_COPY`);
await client.end();
process.env.DATABASE_URL = adminUrl.replace(/postgres$/, slot);
process.env.LAUREL_DATA_DIR = await mkdtemp(path.join(inject('scratch'), 'data-'));
