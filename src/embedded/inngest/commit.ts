import type pg from 'pg';
import { valueAt } from '@/domain/json/value-at';
import type { LeasedJob } from '@/embedded/inngest/claim';
import { transaction } from '@/embedded/inngest/database';
import { comparable } from '@/embedded/inngest/expressions';
import { failedRun, type JobOutcome, type NewJob, type StepRecord, type Transition } from '@/embedded/inngest/plan';
import { afterOf, dateOf, dropRuns, insertJobs, insertWaits, type WaitRow } from '@/embedded/inngest/rows';
import { CHANNEL, isTransient, pause } from '@/server/jobs/embedded/database';
import { insertEvents, internalEvent, type StoredEvent } from '@/server/jobs/embedded/events';

/** A transition and the lease of the call that it comes from. */
export type Commit = { job: LeasedJob; transition: Transition; hasCancels: boolean };

/** `stale`: the lease was lost or the run has ended, and nothing was changed. */
export type CommitResult = 'applied' | 'stale';

type RunState = {
  id: string;
  status: string;
  pending: Set<string>;
  changed: boolean;
  parallel: boolean;
  output: string | null;
};

type Writes = {
  lines: Map<string, string>;
  done: string[];
  requeued: { job: LeasedJob; outcome: Extract<JobOutcome, { type: 'requeue' }> }[];
  jobs: (NewJob & { runId: string })[];
  waits: WaitRow[];
  dropped: string[];
  events: StoredEvent[];
};

const FENCE = `
  SELECT j.id FROM local_inngest.jobs j JOIN unnest($1::bigint[], $2::int[]) AS v (id, generation)
    ON j.id = v.id AND j.generation = v.generation
  WHERE j.leased_by = $3 ORDER BY j.id FOR UPDATE OF j`;

const LOCK_RUNS = `
  SELECT id, status, pending, parallel FROM local_inngest.runs WHERE id = ANY($1) ORDER BY id FOR UPDATE`;

const UPDATE_RUNS = `
  UPDATE local_inngest.runs r SET steps = r.steps || v.lines, pending = v.pending, parallel = v.parallel,
    status = v.status, output = v.output, ended_at = CASE WHEN v.status = 'running' THEN NULL ELSE now() END
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::text[], $6::text[])
    AS v (id, lines, pending, parallel, status, output)
  WHERE r.id = v.id`;

const REQUEUE = `
  UPDATE local_inngest.jobs j SET leased_by = NULL, leased_until = NULL, lost = 0, attempt = v.attempt,
    kind = CASE WHEN v.whole THEN 'run' ELSE j.kind END, step_id = CASE WHEN v.whole THEN NULL ELSE j.step_id END,
    at = coalesce(v.date, now() + v.after * interval '1 millisecond')
  FROM unnest($1::bigint[], $2::int[], $3::bool[], $4::float8[], $5::timestamptz[]) AS v (id, attempt, whole, after, date)
  WHERE j.id = v.id`;

const line = (step: StepRecord): string => `${JSON.stringify(step)}\n`;

function waitRows(commit: Commit): WaitRow[] {
  const { waits } = commit.transition;
  if (waits.length === 0) return [];
  const event: unknown = JSON.parse(commit.job.event);
  return waits.map((wait) => ({
    runId: commit.job.runId,
    stepId: wait.stepId,
    eventName: wait.eventName,
    path: wait.asyncPath ?? '',
    // Where the run's own event has no such value, no event can match it.
    value: (wait.eventPath === null ? null : comparable(valueAt(event, wait.eventPath))) ?? '',
    when: wait.when,
  }));
}

/** Applies one transition to the locked state of its run and collects the writes. */
function apply(commit: Commit, run: RunState, writes: Writes): void {
  const { job, transition } = commit;
  const waited = run.pending.size > 0;
  if (transition.finished.length > 0) {
    writes.lines.set(run.id, (writes.lines.get(run.id) ?? '') + transition.finished.map(line).join(''));
    for (const step of transition.finished) run.pending.delete(step.id);
  }
  for (const id of transition.pending) run.pending.add(id);
  if (transition.parallel !== null) run.parallel = transition.parallel;
  run.changed = true;
  if (transition.job.type === 'requeue') writes.requeued.push({ job, outcome: transition.job });
  else if (transition.job.type === 'done') writes.done.push(job.id);
  writes.jobs.push(...transition.spawn.map((spawn) => ({ ...spawn, runId: run.id })));
  writes.waits.push(...waitRows(commit));
  if (transition.end) {
    run.status = transition.end.status;
    const outcome = transition.end.status === 'completed' ? transition.end.output : transition.end.error;
    run.output = JSON.stringify(outcome ?? null);
    if (run.pending.size > 0 || commit.hasCancels) writes.dropped.push(run.id);
    run.pending.clear();
    if (transition.end.status === 'failed') {
      const data = {
        function_id: job.functionId,
        run_id: run.id,
        error: transition.end.error,
        event: JSON.parse(job.event),
      };
      writes.events.push(internalEvent('inngest/function.failed', data, { id: `failed:${run.id}` }));
    }
  } else if (waited && run.pending.size === 0 && transition.job.type !== 'requeue') {
    writes.jobs.push({ runId: run.id, kind: 'run', stepId: null, when: { afterMs: 0 } });
  }
}

async function write(client: pg.PoolClient, runs: RunState[], writes: Writes, owner: string): Promise<void> {
  const changed = runs.filter((run) => run.changed);
  if (changed.length > 0) {
    await client.query({
      name: 'local_inngest_update_runs',
      text: UPDATE_RUNS,
      values: [
        changed.map((run) => run.id),
        changed.map((run) => writes.lines.get(run.id) ?? ''),
        changed.map((run) => [...run.pending].join(' ')),
        changed.map((run) => run.parallel),
        changed.map((run) => run.status),
        changed.map((run) => run.output),
      ],
    });
  }
  if (writes.done.length > 0) {
    const text = 'DELETE FROM local_inngest.jobs WHERE id = ANY($1::bigint[])';
    await client.query({ name: 'local_inngest_done', text, values: [writes.done] });
  }
  if (writes.requeued.length > 0) {
    const outcomes = writes.requeued.map((entry) => entry.outcome);
    await client.query({
      name: 'local_inngest_requeue',
      text: REQUEUE,
      values: [
        writes.requeued.map((entry) => entry.job.id),
        outcomes.map((outcome) => outcome.attempt),
        outcomes.map((outcome) => outcome.kind === 'run'),
        outcomes.map((outcome) => afterOf(outcome.when)),
        outcomes.map((outcome) => dateOf(outcome.when)),
      ],
    });
  }
  await insertJobs(client, writes.jobs);
  await insertWaits(client, writes.waits);
  await dropRuns(client, writes.dropped);
  await insertEvents(client, writes.events, owner);
  if (writes.jobs.length > 0 || writes.requeued.length > 0) {
    await client.query(`SELECT pg_notify('${CHANNEL}', $1)`, [`job ${owner}`]);
  }
}

async function commitBatch(pool: pg.Pool, owner: string, commits: readonly Commit[]): Promise<CommitResult[]> {
  return transaction(pool, async (client) => {
    const fenced = await client.query<{ id: string }>({
      name: 'local_inngest_fence',
      text: FENCE,
      values: [commits.map(({ job }) => job.id), commits.map(({ job }) => job.generation), owner],
    });
    const held = new Set(fenced.rows.map((row) => row.id));
    // Every transaction locks runs in this order, and before their waits, so that none can deadlock.
    const locked = await client.query<{ id: string; status: string; pending: string; parallel: boolean }>({
      name: 'local_inngest_lock_runs',
      text: LOCK_RUNS,
      values: [[...new Set(commits.map(({ job }) => job.runId))]],
    });
    const runs = new Map<string, RunState>();
    for (const row of locked.rows) {
      const pending = new Set(row.pending.split(' ').filter(Boolean));
      runs.set(row.id, { ...row, pending, changed: false, output: null });
    }
    const timeouts = commits.filter(({ job }) => job.kind === 'timeout' && held.has(job.id));
    const timedOut = await deleteWaits(client, timeouts);
    const writes: Writes = { lines: new Map(), done: [], requeued: [], jobs: [], waits: [], dropped: [], events: [] };
    const results = commits.map((commit): CommitResult => {
      const { job, transition } = commit;
      if (!held.has(job.id)) return 'stale';
      const run = runs.get(job.runId);
      const moot = job.kind === 'timeout' && !timedOut.has(`${job.runId} ${job.stepId}`);
      if (run?.status !== 'running' || moot) {
        if (transition.job.type !== 'keep') writes.done.push(job.id);
        return 'stale';
      }
      apply(commit, run, writes);
      return 'applied';
    });
    await write(client, [...runs.values()], writes, owner);
    return results;
  });
}

/** Deletes the waits that timed out; one that is already deleted was ended by an event. */
async function deleteWaits(client: pg.PoolClient, timeouts: readonly Commit[]): Promise<Set<string>> {
  if (timeouts.length === 0) return new Set();
  const deleted = await client.query<{ run_id: string; step_id: string }>(
    `DELETE FROM local_inngest.waits w USING unnest($1::text[], $2::text[]) AS v (run_id, step_id)
     WHERE w.run_id = v.run_id AND w.step_id = v.step_id RETURNING w.run_id, w.step_id`,
    [timeouts.map(({ job }) => job.runId), timeouts.map(({ job }) => job.stepId)],
  );
  return new Set(deleted.rows.map((row) => `${row.run_id} ${row.step_id}`));
}

/**
 * Applies transitions, many in one transaction. Tries again while the database cannot be reached. The check of the leases
 * makes that safe: a batch that did commit has no leases any more. A transition that PostgreSQL rejects fails its run alone.
 */
export async function commitAll(
  pool: pg.Pool,
  owner: string,
  commits: readonly Commit[],
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<CommitResult[]> {
  for (let wait = 20; ; wait = Math.min(wait * 2, 2000)) {
    try {
      return await commitBatch(pool, owner, commits);
    } catch (error) {
      onError(error);
      if (signal.aborted) throw error;
      if (isTransient(error)) {
        await pause(wait, signal);
        continue;
      }
      if (commits.length > 1) {
        const results: CommitResult[] = [];
        for (const commit of commits) results.push(...(await commitAll(pool, owner, [commit], onError, signal)));
        return results;
      }
      const reason = failedRun(`The result could not be stored: ${error instanceof Error ? error.message : 'unknown'}`);
      await commitBatch(
        pool,
        owner,
        commits.map((commit) => ({ ...commit, transition: reason })),
      );
      return commits.map(() => 'stale');
    }
  }
}
