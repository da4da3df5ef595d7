import { Client } from 'pg';
import { describe, expect, it } from 'vitest';

describe('a test file', () => {
  it('has a migrated database of its own', async () => {
    const client = new Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS n FROM _prisma_migrations');
    expect(rows[0].n).toBeGreaterThan(0);
    await client.end();
  });
});
