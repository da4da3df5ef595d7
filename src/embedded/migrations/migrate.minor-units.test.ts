import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject, makeTournament } from '@/test/factories';

const migration = 'prisma/migrations/20261128170500_minor_units/migration.sql';

test('amounts that were shown without a minor unit are shown as before, and no other changes', async () => {
  const { project } = await makeProject();
  const money = (amount: number, currency: string) => ({ amount, currency });
  const changed = await makeTournament(project.id, { entryFee: money(5_000, 'HUF'), prizePool: money(7_000, 'IQD') });
  const kept = await makeTournament(project.id, { entryFee: money(5_000, 'EUR'), prizePool: money(7_000, 'JPY') });
  const most = await makeTournament(project.id, { prizePool: money(1_000_000_000_000, 'IDR') });

  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(await readFile(migration, 'utf8')).finally(() => client.end());

  const read = ({ id }: { id: string }) =>
    db.tournament.findUniqueOrThrow({ where: { id }, select: { entryFee: true, prizePool: true, version: true } });
  expect(await read(changed)).toMatchObject({ entryFee: money(500_000, 'HUF'), prizePool: money(7_000_000, 'IQD') });
  const { entryFee, prizePool, version } = kept;
  expect(await read(kept)).toEqual({ entryFee, prizePool, version });
  expect((await read(most)).prizePool).toEqual(money(1_000_000_000_000, 'IDR'));
  expect((await read(changed)).version).toBeGreaterThan(changed.version);
});
