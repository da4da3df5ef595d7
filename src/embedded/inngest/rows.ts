import type pg from 'pg';
import type { When } from '@/embedded/inngest/expressions';
import type { NewJob } from '@/embedded/inngest/plan';

/** Writes that several transactions share, each for a whole batch. */

/** `path` and `value` are empty where every event of that name matches; `when` is the expiry, null for none. */
export type WaitRow = {
  runId: string;
  stepId: string;
  eventName: string;
  path: string;
  value: string;
  when: When | null;
};

/** A moment as two columns: a number of milliseconds from now, or a date. */
export const afterOf = (when: When | null): number | null => (when && 'afterMs' in when ? when.afterMs : null);
export const dateOf = (when: When | null): string | null => (when && 'at' in when ? when.at : null);

// Times are by the database's clock, since the clocks of processes differ.
const MOMENT = `coalesce(v.date, now() + v.after * interval '1 millisecond')`;

/** Queues jobs of existing runs; calls of user code inherit the run's concurrency keys. */
export async function insertJobs(client: pg.PoolClient, jobs: readonly (NewJob & { runId: string })[]): Promise<void> {
  if (jobs.length === 0) return;
  await client.query({
    name: 'local_inngest_jobs',
    text: `
      INSERT INTO local_inngest.jobs (run_id, function_id, kind, step_id, at, concurrency_keys, concurrency_limits)
      SELECT r.id, r.function_id, v.kind, v.step_id, ${MOMENT},
             CASE WHEN v.kind IN ('run', 'step') THEN r.concurrency_keys ELSE '{}' END,
             CASE WHEN v.kind IN ('run', 'step') THEN r.concurrency_limits ELSE '{}' END
      FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[]) WITH ORDINALITY
        AS v (run_id, kind, step_id, after, date, position)
      JOIN local_inngest.runs r ON r.id = v.run_id
      ORDER BY v.position`,
    values: [
      jobs.map((job) => job.runId),
      jobs.map((job) => job.kind),
      jobs.map((job) => job.stepId),
      jobs.map((job) => afterOf(job.when)),
      jobs.map((job) => dateOf(job.when)),
    ],
  });
}

export async function insertWaits(client: pg.PoolClient, waits: readonly WaitRow[]): Promise<void> {
  if (waits.length === 0) return;
  await client.query({
    name: 'local_inngest_waits',
    text: `
      INSERT INTO local_inngest.waits (run_id, step_id, event_name, match_path, match_value, expires_at)
      SELECT v.run_id, v.step_id, v.event_name, v.path, v.value, ${MOMENT}
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::timestamptz[])
        AS v (run_id, step_id, event_name, path, value, after, date)
      ON CONFLICT (run_id, step_id) DO NOTHING`,
    values: [
      waits.map((wait) => wait.runId),
      waits.map((wait) => wait.stepId),
      waits.map((wait) => wait.eventName),
      waits.map((wait) => wait.path),
      waits.map((wait) => wait.value),
      waits.map((wait) => afterOf(wait.when)),
      waits.map((wait) => dateOf(wait.when)),
    ],
  });
}

/** Deletes the jobs and waits of runs that ended. Calls under way notice when they commit. */
export async function dropRuns(client: pg.PoolClient, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await client.query({
    name: 'local_inngest_drop_jobs',
    text: `
      DELETE FROM local_inngest.jobs WHERE id IN (
        SELECT id FROM local_inngest.jobs WHERE run_id = ANY($1) AND leased_by IS NULL FOR UPDATE SKIP LOCKED)`,
    values: [runIds],
  });
  await client.query({
    name: 'local_inngest_drop_waits',
    text: 'DELETE FROM local_inngest.waits WHERE run_id = ANY($1)',
    values: [runIds],
  });
}
