import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';

/**
 * Gives each test file its own migrated database and data directory before the file loads anything. It takes the first place that no
 * running file holds, by a lock that ends with its process, and drops the database of the file that had it before: the numbers that
 * Vitest gives its workers are not one worker's alone while projects follow each other.
 */
const adminUrl = inject('adminUrl');
const client = new Client({ connectionString: adminUrl });
await client.connect();
client.on('error', () => undefined);
let place = 0;
for (let isTaken = true; isTaken; ) {
  place += 1;
  const { rows } = await client.query<{ taken: boolean }>('SELECT NOT pg_try_advisory_lock($1) AS taken', [place]);
  isTaken = rows[0]?.taken ?? true;
}
const name = `test_${place}`;
await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
await client.query(`CREATE DATABASE ${name} TEMPLATE template_laurel STRATEGY FILE_COPY`);
process.env.DATABASE_URL = adminUrl.replace(/postgres$/, name);
process.env.LAUREL_DATA_DIR = await mkdtemp(path.join(inject('scratch'), 'data-'));
