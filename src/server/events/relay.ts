import { pool } from '@/server/db';
import { inngest } from '@/server/jobs/client';
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
/**
 * Of those, what is due in projects that were created from one block of addresses, so that its jobs that fail delay no others: no more
 * than a process does in the turns of one block until the next look, for what is sent faster than it is done piles up.
 */
const blockSize = 50;
/** Pieces in which it hands over what is due between two looks, and the least that it sends at once. */
const pieces = 20;
const leastPiece = 5;
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
    SELECT id, data, number FROM numbered WHERE number <= ${blockSize} ORDER BY number, id LIMIT ${batchSize}
  ), taken AS (
    INSERT INTO resent_job AS r (job, "jobId", times, "nextAt") SELECT $2, id, 1, now() + $1::interval FROM due
    ON CONFLICT (job, "jobId") DO UPDATE
      SET times = r.times + 1, "nextAt" = now() + least($1::interval * 2 ^ least(r.times, 20), $3::interval)
      WHERE r."nextAt" <= now()
    RETURNING "jobId"
  )
  SELECT due.id, due.data FROM due JOIN taken ON taken."jobId" = due.id ORDER BY due.number, due.id`;

const PUT_BACK = `UPDATE resent_job SET times = times - 1, "nextAt" = now() WHERE job = $1 AND "jobId" = ANY ($2)`;

/** Takes what was not handled within `patienceMs`, the first of each block in front. Nobody else gets the same for as long again. */
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
  /** From one look at the database to the next. */
  everyMs?: number;
};

/**
 * Sends the events of jobs again that the database says were not handled: their event was lost with the process that should
 * have sent it, or with the server that took it. Goes on for as long as the process lives.
 */
export function startRelay({ jobs, logger, patienceMs = 20_000, everyMs = 5_000 }: RelayOptions): Relay {
  const stopped = new AbortController();

  /** Evenly until the next look: what is sent at once has runs that begin at once, and stand before those of everybody. */
  async function sendAgain(job: RelayedJob<never>): Promise<void> {
    const due = await takeOverdue(job, patienceMs);
    const size = Math.max(leastPiece, Math.ceil(due.length / pieces));
    let left = due;
    try {
      while (left.length > 0 && !stopped.signal.aborted) {
        await inngest.send(job.events(left.slice(0, size)));
        left = left.slice(size);
        if (left.length > 0) await pause(everyMs / pieces, stopped.signal);
      }
    } finally {
      const count = due.length - left.length;
      if (count > 0) {
        countSentAgain(job.name, count);
        logger.warn({ job: job.name, count }, 'sent again what was not handled in time');
      }
      if (left.length > 0) {
        const ids = left.map(({ id }) => id);
        await pool.query({ name: 'relay_put_back', text: PUT_BACK, values: [job.name, ids] });
      }
    }
  }

  async function run(job: RelayedJob<never>): Promise<void> {
    while (!stopped.signal.aborted) {
      const nextLook = pause(everyMs, stopped.signal);
      try {
        await sendAgain(job);
      } catch (error) {
        logger.warn({ err: error, job: job.name }, 'could not send again what was not handled in time; will try again');
      }
      await nextLook;
    }
  }

  const running = Promise.all(jobs.map(run));
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
