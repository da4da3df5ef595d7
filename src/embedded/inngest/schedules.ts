import type pg from 'pg';
import { transaction } from '@/embedded/inngest/database';
import { type FunctionConfig, parseCron } from '@/embedded/inngest/functions';
import { insertEvents, internalEvent } from '@/server/jobs/embedded/events';

type Schedule = { functionId: string; cron: string };

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
    const due = await client.query<{ function_id: string; cron: string; next_at: Date; now: Date }>(
      `SELECT function_id, cron, next_at, now() AS now FROM local_inngest.schedules
       WHERE next_at <= now() AND function_id = ANY($1) ORDER BY function_id, cron FOR UPDATE`,
      [ids],
    );
    if (due.rows.length > 0) {
      await client.query(
        `UPDATE local_inngest.schedules s SET next_at = v.next_at
         FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS v (function_id, cron, next_at)
         WHERE s.function_id = v.function_id AND s.cron = v.cron`,
        [
          due.rows.map((row) => row.function_id),
          due.rows.map((row) => row.cron),
          due.rows.map((row) => nextTick(row.cron, row.now)),
        ],
      );
      const ticks = due.rows.map((row) => {
        const id = `cron:${row.function_id}:${row.cron}:${row.next_at.toISOString()}`;
        return internalEvent('inngest/scheduled.timer', { cron: row.cron }, { id, target: row.function_id });
      });
      await insertEvents(client, ticks, owner);
    }
    const next = await client.query<{ nextIn: number | null }>(
      `SELECT (extract(epoch FROM min(next_at) - now()) * 1000)::float8 AS "nextIn"
       FROM local_inngest.schedules WHERE function_id = ANY($1)`,
      [ids],
    );
    return next.rows[0]?.nextIn ?? null;
  });
}
