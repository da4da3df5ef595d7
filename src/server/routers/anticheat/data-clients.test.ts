import { afterAll, expect, test } from 'vitest';
import { closeDatabase, db, pool } from '@/server/db';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { isKnownTo } from './data-clients';

afterAll(() => closeDatabase());

test('whether somebody knows of a project is found without reading the participants of others', async () => {
  const { project } = await makeProject();
  const hidden = await makeTournament(project.id, { visibility: 'private' });
  const large = await makeTournament((await makeProject()).project.id);
  const [player, outsider] = [await makeUser(), await makeUser()];
  await pool.query(
    `INSERT INTO participant (id, "tournamentId", "userId", name, "registrationStatus", "updatedAt")
     SELECT 'prt_k' || n, CASE WHEN n = 0 THEN $1 ELSE $2 END, CASE WHEN n = 0 THEN $3 END, 'Guest', 'approved', now()
     FROM generate_series(0, 10000) n`,
    [hidden.id, large.id, player.id],
  );
  await pool.query(
    `INSERT INTO tournament SELECT copy.* FROM tournament t, generate_series(1, 500) n,
       jsonb_populate_record(t, jsonb_build_object('id', 'trn_k' || n, 'slug', 'known-' || n)) copy WHERE t.id = $1`,
    [hidden.id],
  );
  await pool.query('ANALYZE participant, tournament');
  await db.$transaction(async (tx) => {
    expect(await isKnownTo(tx, project.id, player.id)).toBe(true);
    expect(await isKnownTo(tx, project.id, outsider.id)).toBe(false);
    const [read] = await tx.$queryRaw<{ rows: bigint }[]>`
      SELECT "seq_tup_read" + "idx_tup_fetch" AS rows FROM pg_stat_xact_user_tables WHERE "relname" = 'participant'`;
    expect(Number(read?.rows)).toBeLessThan(100);
  });
});
