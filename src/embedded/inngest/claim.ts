import type pg from 'pg';
import { CLAIM_LOCK, transaction } from '@/embedded/inngest/database';
import { isDeadSql } from '@/server/alive-lock';
import { CHANNEL } from '@/server/jobs/embedded/database';

/** A job leased to this process. */
export type LeasedJob = {
  id: string;
  runId: string;
  functionId: string;
  kind: 'run' | 'step' | 'sleep' | 'timeout';
  stepId: string | null;
  attempt: number;
  /** Leases that expired in a row. */
  lost: number;
  generation: number;
  keys: string[];
  /** Null where the run was deleted. */
  status: string | null;
  event: string;
  steps: string;
  parallel: boolean;
  /** Milliseconds since the run was created. */
  age: number;
};

export type Claim = {
  jobs: LeasedJob[];
  /** Milliseconds until the next job is due; 0 where due jobs exceeded the limit, null where none waits. */
  nextIn: number | null;
};

export type ClaimOptions = {
  owner: string;
  functionIds: readonly string[];
  /** The most jobs to claim. */
  limit: number;
  leaseMs: number;
  /** Concurrency keys of which this process released a slot. */
  released: readonly string[];
};

type Candidate = { id: string; keys: string[]; limits: number[]; held: boolean };

const CANDIDATES = `
  WITH lost AS (
    SELECT id FROM local_inngest.jobs
    WHERE leased_by IS NOT NULL AND leased_until < now() AND function_id = ANY($1)
    ORDER BY leased_until LIMIT $2 FOR UPDATE SKIP LOCKED
  ), due AS (
    SELECT id FROM local_inngest.jobs
    WHERE leased_by IS NULL AND parked_on IS NULL AND at <= now() AND function_id = ANY($1)
    ORDER BY at, id LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  SELECT j.id, j.concurrency_keys AS keys, j.concurrency_limits AS limits, j.leased_by IS NOT NULL AS held
  FROM local_inngest.jobs j WHERE j.id IN (SELECT id FROM lost UNION ALL SELECT id FROM due)
  ORDER BY held DESC, j.at, j.id`;

// Milliseconds until the next waiting job, other than those granted, is due.
const NEXT_IN = `(
    SELECT (extract(epoch FROM min(at) - now()) * 1000)::float8 FROM local_inngest.jobs
    WHERE leased_by IS NULL AND parked_on IS NULL AND function_id = ANY($1) AND id <> ALL ($2::bigint[]))`;

const GRANT = `
  WITH granted AS (
    UPDATE local_inngest.jobs SET leased_by = $3, leased_until = now() + $4 * interval '1 millisecond',
      generation = generation + 1, lost = CASE WHEN leased_by IS NULL THEN lost ELSE lost + 1 END
    WHERE id = ANY($2::bigint[])
    RETURNING id, run_id, function_id, kind, step_id, attempt, lost, generation, concurrency_keys, at
  )
  SELECT g.id, g.run_id AS "runId", g.function_id AS "functionId", g.kind, g.step_id AS "stepId", g.attempt, g.lost,
    g.generation, g.concurrency_keys AS keys, r.status, r.event, r.steps, r.parallel,
    (extract(epoch FROM now() - r.created_at) * 1000)::float8 AS age, ${NEXT_IN} AS "nextIn"
  FROM granted g LEFT JOIN local_inngest.runs r ON r.id = g.run_id ORDER BY g.at, g.id`;

// Slots in use are counted from the leases, so that no counter is wrong after a process dies.
const BUSY = `
  SELECT k.key, count(*)::int AS count FROM local_inngest.jobs j, unnest(j.concurrency_keys) AS k (key)
  WHERE j.leased_by IS NOT NULL GROUP BY k.key`;

const PARK = `
  UPDATE local_inngest.jobs j SET parked_on = v.key
  FROM unnest($1::bigint[], $2::text[]) AS v (id, key) WHERE j.id = v.id`;

// The limit is that of the first parked job. One job too many does no harm: the claim checks the limit again.
const UNPARK = `
  UPDATE local_inngest.jobs SET parked_on = NULL WHERE id IN (
    SELECT parked.id FROM unnest($1::text[], $2::int[]) AS v (key, busy)
    CROSS JOIN LATERAL (
      SELECT p.concurrency_limits[array_position(p.concurrency_keys, v.key)] AS size FROM local_inngest.jobs p
      WHERE p.parked_on = v.key ORDER BY p.at, p.id LIMIT 1
    ) slots
    CROSS JOIN LATERAL (
      SELECT p.id FROM local_inngest.jobs p WHERE p.parked_on = v.key ORDER BY p.at, p.id
      LIMIT greatest(coalesce(slots.size, 1) - v.busy, 0)
    ) parked)`;

const PARKED_KEYS = `
  WITH RECURSIVE found AS (
    SELECT min(parked_on) AS key FROM local_inngest.jobs WHERE parked_on IS NOT NULL
    UNION ALL
    SELECT (SELECT min(j.parked_on) FROM local_inngest.jobs j WHERE j.parked_on > f.key) FROM found f WHERE f.key IS NOT NULL
  )
  SELECT key FROM found WHERE key IS NOT NULL`;

/** The fewest jobs read in one round, and the most rounds in one transaction, so that no claim holds the lock for long. */
const MIN_SCAN = 100;
const MAX_ROUNDS = 10;

async function countBusy(client: pg.PoolClient): Promise<Map<string, number>> {
  const { rows } = await client.query<{ key: string; count: number }>({ name: 'local_inngest_busy', text: BUSY });
  return new Map(rows.map((row) => [row.key, row.count]));
}

async function unpark(client: pg.PoolClient, keys: readonly string[], busy: Map<string, number>): Promise<number> {
  if (keys.length === 0) return 0;
  const values = [keys, keys.map((key) => busy.get(key) ?? 0)];
  const done = await client.query({ name: 'local_inngest_unpark', text: UNPARK, values });
  return done.rowCount ?? 0;
}

/** Chooses the jobs that fit the concurrency limits, `limit` of them at most. Counts their slots in `busy`. */
export function choose(candidates: readonly Candidate[], busy: Map<string, number>, limit: number) {
  const granted: string[] = [];
  const parked: { id: string; key: string }[] = [];
  /** Keys that a job parked on another key was unparked for, and that have a slot left. */
  const free = new Set<string>();
  for (const job of candidates) {
    if (granted.length >= limit) break;
    // A lost lease still occupies its slot, so taking it over needs none.
    const full = job.held ? undefined : job.keys.find((key, index) => (busy.get(key) ?? 0) >= (job.limits[index] ?? 0));
    if (full === undefined) {
      granted.push(job.id);
      if (!job.held) for (const key of job.keys) busy.set(key, (busy.get(key) ?? 0) + 1);
    } else {
      parked.push({ id: job.id, key: full });
      for (const key of job.keys) if (key !== full) free.add(key);
    }
  }
  return { granted, parked, free: [...free] };
}

/**
 * Leases due jobs, and those whose lease expired, within the concurrency limits. Processes take turns. A job whose key
 * has no free slot is parked on the key, so that many of them do not hide the others, and is unparked when a slot is
 * released.
 */
export async function claimJobs(pool: pg.Pool, options: ClaimOptions): Promise<Claim> {
  return transaction(
    pool,
    async (client) => {
      let busy: Map<string, number> | null = null;
      if (options.released.length > 0) {
        busy = await countBusy(client);
        await unpark(client, [...new Set(options.released)], busy);
      }
      const granted: string[] = [];
      const scan = Math.max(options.limit, MIN_SCAN);
      let more = options.limit > 0;
      for (let round = 0; more && round < MAX_ROUNDS && granted.length < options.limit; round += 1) {
        const values = [options.functionIds, scan];
        const found = await client.query<Candidate>({ name: 'local_inngest_candidates', text: CANDIDATES, values });
        // Jobs chosen in an earlier round are leased only below, so the query returns them again.
        const candidates = found.rows.filter((row) => !granted.includes(row.id));
        if (busy === null && candidates.some((job) => job.keys.length > 0)) busy = await countBusy(client);
        const counts: Map<string, number> = busy ?? new Map();
        const chosen = choose(candidates, counts, options.limit - granted.length);
        granted.push(...chosen.granted);
        const left = candidates.length - chosen.granted.length - chosen.parked.length;
        more = left > 0 || found.rows.length >= scan || chosen.parked.length > 0;
        if (chosen.parked.length === 0) break;
        await client.query({
          name: 'local_inngest_park',
          text: PARK,
          values: [chosen.parked.map((job) => job.id), chosen.parked.map((job) => job.key)],
        });
        await unpark(client, chosen.free, counts);
      }
      const jobs = await grant(client, options, granted);
      if (more) {
        await client.query(`SELECT pg_notify('${CHANNEL}', $1)`, [`job ${options.owner}`]);
        return { jobs, nextIn: 0 };
      }
      if (jobs[0]) return { jobs, nextIn: jobs[0].nextIn };
      const next = await client.query<{ nextIn: number | null }>({
        name: 'local_inngest_next',
        text: `SELECT ${NEXT_IN} AS "nextIn"`,
        values: [options.functionIds, []],
      });
      return { jobs, nextIn: next.rows[0]?.nextIn ?? null };
    },
    CLAIM_LOCK,
  );
}

async function grant(client: pg.PoolClient, options: ClaimOptions, ids: string[]) {
  if (ids.length === 0) return [];
  const values = [options.functionIds, ids, options.owner, options.leaseMs];
  const granted = await client.query<LeasedJob & { nextIn: number | null }>({
    name: 'local_inngest_grant',
    text: GRANT,
    values,
  });
  return granted.rows;
}

/** Unparks jobs whose slot was released by a process that died before it unparked them. */
export async function sweepParked(pool: pg.Pool): Promise<number> {
  return transaction(
    pool,
    async (client) => {
      const parked = await client.query<{ key: string }>(PARKED_KEYS);
      return unpark(
        client,
        parked.rows.map((row) => row.key),
        await countBusy(client),
      );
    },
    CLAIM_LOCK,
  );
}

/** Extends leases, locking in the same order as commits. @returns ids of the jobs that are still leased to `owner` */
export async function extendLeases(pool: pg.Pool, owner: string, ids: string[], leaseMs: number): Promise<Set<string>> {
  const held = await pool.query<{ id: string }>(
    `UPDATE local_inngest.jobs SET leased_until = now() + $3 * interval '1 millisecond'
     WHERE id IN (
       SELECT id FROM local_inngest.jobs WHERE id = ANY($2::bigint[]) AND leased_by = $1 ORDER BY id FOR UPDATE)
     RETURNING id`,
    [owner, ids, leaseMs],
  );
  return new Set(held.rows.map((row) => row.id));
}

/** Expires the leases of processes that died, so that their jobs are taken over at once. @returns how many */
export async function expireDeadLeases(pool: pg.Pool): Promise<number> {
  const ended = await pool.query(
    `UPDATE local_inngest.jobs SET leased_until = now() - interval '1 millisecond'
     WHERE leased_until > now() AND ${isDeadSql('executor', 'leased_by')}`,
  );
  return ended.rowCount ?? 0;
}

/** Releases everything leased to `owner`. The generation rejects a late result. */
export async function releaseLeases(pool: pg.Pool, owner: string): Promise<number> {
  const released = await pool.query(
    `WITH released AS (
       UPDATE local_inngest.jobs SET leased_by = NULL, leased_until = NULL, generation = generation + 1
       WHERE leased_by = $1 RETURNING id
     ) SELECT count(*), pg_notify('${CHANNEL}', $2) FROM released HAVING count(*) > 0`,
    [owner, `job ${owner}`],
  );
  return Number(released.rows[0]?.count ?? 0);
}
