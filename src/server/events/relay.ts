import { pool } from '@/server/db';
import { inngest, inngestServer } from '@/server/jobs/client';
import { pause } from '@/server/jobs/embedded/database';
import type { logger as Logger } from '@/server/logger';
import { countSentAgain } from '@/server/metrics';

/** One thing that is to be done: its id, and what its event contains. */
export type Due<Data> = { id: string; data: Data };

/** A kind of work that an event announces, while the database says whether it was done. */
export type RelayedJob<Data = unknown> = {
  /** Names it in the log and the metric. */
  name: string;
  /**
   * SELECT of `id`, `projectId` and `data` (jsonb) of all that should have been handled more than `$1` (an interval) ago. It stops
   * to be selected once it is handled.
   */
  overdue: string;
  /** What announces them once more. */
  events: (due: Due<Data>[]) => Parameters<typeof inngest.send>[0];
  /** The longest pause between two times, in seconds. */
  longestPause?: number;
};

const batchSize = 500;
/** Of those, what is due in projects that were created from one block of addresses, so that its jobs that fail delay no others. */
const blockSize = 150;
const hour = 3_600;

// What fails every time is not sent every time: each pause is twice as long. The row of a job lets one process send it.
const take = (overdue: string) => `
  WITH numbered AS (
    SELECT o.id, o.data, row_number() OVER (
      PARTITION BY coalesce(p."createdFrom", p."createdById", o."projectId", o.id) ORDER BY r."nextAt" NULLS FIRST, o.id
    ) AS number
    FROM (${overdue}) o LEFT JOIN resent_job r ON r.job = $2 AND r."jobId" = o.id LEFT JOIN project p ON p.id = o."projectId"
    WHERE r."nextAt" IS NULL OR r."nextAt" <= now()
  ), due AS (
    SELECT id, data FROM numbered WHERE number <= ${blockSize} ORDER BY number, id LIMIT ${batchSize}
  ), taken AS (
    INSERT INTO resent_job AS r (job, "jobId", times, "nextAt") SELECT $2, id, 1, now() + $1::interval FROM due
    ON CONFLICT (job, "jobId") DO UPDATE
      SET times = r.times + 1, "nextAt" = now() + least($1::interval * 2 ^ least(r.times, 20), $3::interval)
      WHERE r."nextAt" <= now()
    RETURNING "jobId"
  )
  SELECT due.id, due.data FROM due JOIN taken ON taken."jobId" = due.id`;

const PUT_BACK = `UPDATE resent_job SET times = times - 1, "nextAt" = now() WHERE job = $1 AND "jobId" = ANY ($2)`;

/** Takes what was not handled within `patienceMs`. Nobody else gets the same for as long again. */
export async function takeOverdue<Data>(job: RelayedJob<Data>, patienceMs: number): Promise<Due<Data>[]> {
  const { rows } = await pool.query<Due<Data>>({
    name: `relay_${job.name}`,
    text: take(job.overdue),
    values: [`${patienceMs} ms`, job.name, `${job.longestPause ?? hour} s`],
  });
  return rows;
}

/** Deletes what the relay remembers of jobs that it has not sent for two days. */
export async function deleteOldMarks(): Promise<number> {
  const { rowCount } = await pool.query(`DELETE FROM resent_job WHERE "nextAt" < now() - interval '2 days'`);
  return rowCount ?? 0;
}

export type Relay = {
  /** Stops; resolves when what is under way is done. */
  stop(): Promise<void>;
};

export type RelayOptions = {
  jobs: readonly RelayedJob<never>[];
  logger: typeof Logger;
  /** How long a job is left to the event that announced it. */
  patienceMs?: number;
  /** Pause between two looks at the database. */
  everyMs?: number;
};

/**
 * Sends the events of jobs again that the database says were not handled: their event was lost with the process that should
 * have sent it, or with the server that took it. Goes on for as long as the process lives.
 */
export function startRelay({ jobs, logger, patienceMs = 20_000, everyMs = 5_000 }: RelayOptions): Relay {
  const stopped = new AbortController();

  async function sendAgain(job: RelayedJob<never>): Promise<void> {
    const due = await takeOverdue(job, patienceMs);
    if (due.length === 0) return;
    try {
      await inngest.send(job.events(due));
    } catch (error) {
      const ids = due.map(({ id }) => id);
      await pool.query({ name: 'relay_put_back', text: PUT_BACK, values: [job.name, ids] });
      throw error;
    }
    countSentAgain(job.name, due.length);
    logger.warn({ job: job.name, count: due.length }, 'sent again what was not handled in time');
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      for (const job of jobs) {
        if (stopped.signal.aborted) break;
        try {
          await sendAgain(job);
        } catch (error) {
          logger.warn(
            { err: error, job: job.name },
            'could not send again what was not handled in time; will try again',
          );
          // The others would wait for the same server.
          if (inngestServer?.reachable() === false) break;
        }
      }
      await pause(everyMs, stopped.signal);
    }
  }

  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
