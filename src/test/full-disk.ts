import { onTestFinished } from 'vitest';
import { pool } from '@/server/db';

/**
 * Has PostgreSQL refuse what `when` says, such as `INSERT ON webhook_attempt`, as it does when its disk is full.
 * @returns how often it did so, and what makes room
 */
export async function fillDisk(when: string) {
  await pool.query(`
    CREATE SEQUENCE refused;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('refused');
      RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'No space left on device';
    END $$;
    CREATE TRIGGER refuse BEFORE ${when} FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const makeRoom = () => pool.query('DROP FUNCTION IF EXISTS refuse CASCADE; DROP SEQUENCE IF EXISTS refused');
  onTestFinished(async () => void (await makeRoom()));
  return {
    refusals: async () => Number((await pool.query('SELECT last_value FROM refused')).rows[0].last_value),
    makeRoom,
  };
}
