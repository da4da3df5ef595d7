import type pg from 'pg';
import { transaction } from '@/embedded/inngest/database';
import { type FunctionConfig, parseCron } from '@/embedded/inngest/functions';
import { insertEvents, internalEvent } from '@/server/jobs/embedded/events';

type Schedule = { functionId: string; cron: string };
/** A stored schedule with its next tick, and what the database has for now. */
type Tick = { function_id: string; cron: string; next_at: Date; now: Date };

function schedulesOf(functions: readonly FunctionConfig[]): Schedule[] {
  return functions.flatMap((fn) => [...new Set(fn.crons)].map((cron) => ({ functionId: fn.id, cron })));
}

/** The next time of a cron; far in the future for one that never comes again. */
function nextTick(cron: string, after: Date): string {
  return parseCron(cron).nextRun(after)?.toISOString() ?? '9999-01-01T00:00:00.000Z';
}

/** Stores the first tick of new schedules, and deletes those that these functions no longer have. */
export async function registerSchedules(pool: pg.Pool, functions: readonly FunctionConfig[]): Promise<void> {
  const schedules = schedulesOf(functions);
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ now: Date }>('SELECT now() AS now');
    const now = rows[0]?.now ?? new Date();
    await client.query(
      `DELETE FROM local_inngest.schedules s WHERE s.function_id = ANY($1) AND NOT EXISTS (
         SELECT FROM unnest($2::text[], $3::text[]) AS v (function_id, cron)
         WHERE v.function_id = s.function_id AND v.cron = s.cron)`,
      [functions.map((fn) => fn.id), schedules.map((one) => one.functionId), schedules.map((one) => one.cron)],
    );
    await client.query(
      `INSERT INTO local_inngest.schedules (function_id, cron, next_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[]) ON CONFLICT DO NOTHING`,
      [
        schedules.map((one) => one.functionId),
        schedules.map((one) => one.cron),
        schedules.map((one) => nextTick(one.cron, now)),
      ],
    );
  });
}

/**
 * Sends the event of every due tick and advances its schedule. Each tick is sent by one process. Ticks missed while no
 * process ran are sent as one.
 * @returns milliseconds until the next tick; null where no function has a schedule
 */
export async function tickSchedules(
  pool: pg.Pool,
  functions: readonly FunctionConfig[],
  owner: string,
): Promise<number | null> {
  if (schedulesOf(functions).length === 0) return null;
  return transaction(pool, async (client) => {
    const ids = functions.map((fn) => fn.id);
    const due = await client.query<Tick>(
      `SELECT function_id, cron, next_at, now() AS now FROM local_inngest.schedules
       WHERE next_at <= now() AND function_id = ANY($1) ORDER BY function_id, cron FOR UPDATE`,
      [ids],
    );
    if (due.rows.length > 0) {
      await setNextTicks(client, due.rows);
      // Without ids of their own: the ticks of a clock that was set back come at the same times again.
      const ticks = due.rows.map(({ function_id: target, cron }) =>
        internalEvent('inngest/scheduled.timer', { cron }, { target }),
      );
      await insertEvents(client, ticks, owner);
    }
    const { rows } = await client.query<Tick>(
      'SELECT function_id, cron, next_at, now() AS now FROM local_inngest.schedules WHERE function_id = ANY($1)',
      [ids],
    );
    // A clock that ran ahead and was set back has left ticks that are further away than the next one.
    const tooLate = rows.filter(({ cron, next_at, now }) => next_at > new Date(nextTick(cron, now)));
    if (tooLate.length > 0) await setNextTicks(client, tooLate);
    return tooLate.length > 0 ? 0 : Math.min(...rows.map(({ next_at, now }) => next_at.getTime() - now.getTime()));
  });
}

/** Sets the next tick of schedules from now on. */
async function setNextTicks(client: pg.PoolClient, ticks: readonly Tick[]): Promise<void> {
  await client.query(
    `UPDATE local_inngest.schedules s SET next_at = v.next_at
     FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS v (function_id, cron, next_at)
     WHERE s.function_id = v.function_id AND s.cron = v.cron`,
    [
      ticks.map((row) => row.function_id),
      ticks.map((row) => row.cron),
      ticks.map((row) => nextTick(row.cron, row.now)),
    ],
  );
}
