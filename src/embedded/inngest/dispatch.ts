import type pg from 'pg';
import { monotonicFactory } from 'ulid';
import { valueAt } from '@/domain/json/value-at';
import { arrayLiteral, DISPATCH_LOCK, transaction } from '@/embedded/inngest/database';
import { comparable, keyOf, parseWhen, type When } from '@/embedded/inngest/expressions';
import type { FunctionConfig } from '@/embedded/inngest/functions';
import { dropRuns, insertJobs, insertWaits, type WaitRow } from '@/embedded/inngest/rows';

/** Ids of runs sort in the order of their creation. */
const nextRunId = monotonicFactory();

type WaitingEvent = { id: string; seq: string; name: string; body: string; target: string | null };
type NewRun = {
  id: string;
  fn: FunctionConfig;
  event: WaitingEvent;
  keys: string[];
  limits: number[];
  idempotencyKey: string | null;
  cancelled: boolean;
  cancels: WaitRow[];
};
type Waiting = { run_id: string; step_id: string; event_name: string; match_path: string; match_value: string };

/** The functions that an event starts, by its name. */
export type Triggers = Map<string, { fn: FunctionConfig; condition: FunctionConfig['events'][number]['condition'] }[]>;

/** Functions by the name of the event that starts them. */
export function indexTriggers(functions: readonly FunctionConfig[]): Triggers {
  const triggers: Triggers = new Map();
  for (const fn of functions) {
    for (const { name, condition } of fn.events) {
      triggers.set(name, [...(triggers.get(name) ?? []), { fn, condition }]);
    }
  }
  return triggers;
}

const WAITING = `
  SELECT id, seq, name, body, target FROM local_inngest.events
  WHERE dispatched_at IS NULL ORDER BY seq LIMIT $1`;

// Steps through the index from one path to the next, since the table of waits has many rows and few paths.
const PATHS = `
  WITH RECURSIVE found AS (
    SELECT n.name, (SELECT min(w.match_path) FROM local_inngest.waits w WHERE w.event_name = n.name) AS path
    FROM unnest($1::text[]) AS n (name)
    UNION ALL
    SELECT f.name, (SELECT min(w.match_path) FROM local_inngest.waits w WHERE w.event_name = f.name AND w.match_path > f.path)
    FROM found f WHERE f.path IS NOT NULL
  )
  SELECT name, path FROM found WHERE path IS NOT NULL`;

const MATCHES = `
  SELECT DISTINCT w.run_id, w.step_id, w.event_name, w.match_path, w.match_value
  FROM unnest($1::text[], $2::text[], $3::text[]) AS v (name, path, value)
  JOIN local_inngest.waits w ON w.event_name = v.name AND w.match_path = v.path AND w.match_value = v.value
  WHERE w.expires_at IS NULL OR w.expires_at > now()`;

/** The runs that one event starts, not yet written. */
function startedBy(
  event: WaitingEvent,
  payload: unknown,
  triggers: Triggers,
  byId: Map<string, FunctionConfig>,
): NewRun[] {
  const target = event.target === null ? undefined : byId.get(event.target);
  const candidates =
    event.target === null ? (triggers.get(event.name) ?? []) : target ? [{ fn: target, condition: null }] : [];
  const fns = candidates
    .filter(({ condition }) => !condition || valueAt(payload, condition.path) === condition.value)
    .map(({ fn }) => fn);
  return [...new Set(fns)].map((fn) => newRun(fn, event, payload));
}

function newRun(fn: FunctionConfig, event: WaitingEvent, payload: unknown): NewRun {
  const id = nextRunId();
  const cancels = fn.cancels.map((cancel, index): WaitRow => {
    const value = cancel.match ? comparable(valueAt(payload, cancel.match.eventPath)) : '';
    return {
      runId: id,
      stepId: `cancel:${index}`,
      eventName: cancel.event,
      path: cancel.match?.asyncPath ?? '',
      value: value ?? '',
      when: cancel.timeout === null ? null : parseWhen(cancel.timeout),
    };
  });
  return {
    id,
    fn,
    event,
    keys: fn.concurrency.map(({ prefix, key }) => (key ? `${prefix}:${keyOf(key, payload)}` : prefix)),
    limits: fn.concurrency.map(({ limit }) => limit),
    idempotencyKey: fn.idempotency ? `${fn.id}:${keyOf(fn.idempotency, payload)}` : null,
    cancelled: false,
    cancels,
  };
}

const matches = (wait: { path: string; value: string }, payload: unknown): boolean =>
  wait.path === '' || (wait.value !== '' && comparable(valueAt(payload, wait.path)) === wait.value);

/** Waits in the database that one of the events ends. */
async function findWaits(
  client: pg.PoolClient,
  events: readonly WaitingEvent[],
  payloads: unknown[],
): Promise<Waiting[]> {
  const names = [...new Set(events.map((event) => event.name))];
  const paths = await client.query<{ name: string; path: string }>({
    name: 'local_inngest_paths',
    text: PATHS,
    values: [names],
  });
  if (paths.rows.length === 0) return [];
  const wanted: [string[], string[], string[]] = [[], [], []];
  events.forEach((event, index) => {
    for (const { name, path } of paths.rows) {
      if (name !== event.name) continue;
      const value = path === '' ? '' : comparable(valueAt(payloads[index], path));
      if (value === null) continue;
      wanted[0].push(name);
      wanted[1].push(path);
      wanted[2].push(value);
    }
  });
  const found = await client.query<Waiting>({ name: 'local_inngest_matches', text: MATCHES, values: wanted });
  return found.rows;
}

type Settlement = { runId: string; lines: string[]; steps: string[]; cancelled: boolean };

/** Decides, in the order of the events, which waits end and which runs are cancelled, also among the new ones. */
function settle(
  events: readonly WaitingEvent[],
  payloads: unknown[],
  waits: Waiting[],
  started: NewRun[][],
): Settlement[] {
  const settlements = new Map<string, Settlement>();
  const open = new Set(waits);
  const fresh: NewRun[] = [];
  events.forEach((event, index) => {
    for (const wait of open) {
      if (wait.event_name !== event.name) continue;
      if (!matches({ path: wait.match_path, value: wait.match_value }, payloads[index])) continue;
      open.delete(wait);
      const entry = settlements.get(wait.run_id) ?? { runId: wait.run_id, lines: [], steps: [], cancelled: false };
      settlements.set(wait.run_id, entry);
      if (entry.cancelled) continue;
      if (wait.step_id.startsWith('cancel:')) entry.cancelled = true;
      else {
        entry.steps.push(wait.step_id);
        entry.lines.push(`{"id":${JSON.stringify(wait.step_id)},"type":"data","data":${event.body}}\n`);
      }
    }
    for (const run of fresh) {
      const found = run.cancels.some((wait) => wait.eventName === event.name && matches(wait, payloads[index]));
      if (found) run.cancelled = true;
    }
    fresh.push(...(started[index] ?? []).filter((run) => run.cancels.length > 0));
  });
  return [...settlements.values()];
}

/** Writes ended waits and cancelled runs. @returns the ages of the cancelled ones, in milliseconds */
async function writeSettlements(client: pg.PoolClient, settlements: Settlement[]): Promise<number[]> {
  if (settlements.length === 0) return [];
  const locked = await client.query<{ id: string; pending: string }>(
    `SELECT id, pending FROM local_inngest.runs WHERE id = ANY($1) AND status = 'running' ORDER BY id FOR UPDATE`,
    [settlements.map((entry) => entry.runId)],
  );
  const pendingOf = new Map(locked.rows.map((row) => [row.id, row.pending]));
  // A wait that was deleted since the query has timed out.
  const deleted = await client.query<{ run_id: string; step_id: string }>(
    `DELETE FROM local_inngest.waits w USING unnest($1::text[], $2::text[]) AS v (run_id, step_id)
     WHERE w.run_id = v.run_id AND w.step_id = v.step_id RETURNING w.run_id, w.step_id`,
    [settlements.flatMap((s) => s.steps.map(() => s.runId)), settlements.flatMap((s) => s.steps)],
  );
  const ended = new Set(deleted.rows.map((row) => `${row.run_id} ${row.step_id}`));
  const rows: { id: string; lines: string; pending: string; wake: boolean }[] = [];
  for (const entry of settlements) {
    const before = pendingOf.get(entry.runId);
    if (before === undefined || entry.cancelled) continue;
    const pending = new Set(before.split(' ').filter(Boolean));
    const steps = entry.steps.map((step, index) => ({ step, line: entry.lines[index] ?? '' }));
    const own = steps.filter(({ step }) => ended.has(`${entry.runId} ${step}`));
    if (own.length === 0) continue;
    for (const { step } of own) pending.delete(step);
    const left = [...pending].join(' ');
    rows.push({ id: entry.runId, lines: own.map(({ line }) => line).join(''), pending: left, wake: left === '' });
  }
  await client.query(
    `UPDATE local_inngest.runs r SET steps = r.steps || v.lines, pending = v.pending
     FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, lines, pending) WHERE r.id = v.id`,
    [rows.map((row) => row.id), rows.map((row) => row.lines), rows.map((row) => row.pending)],
  );
  await client.query(
    `DELETE FROM local_inngest.jobs WHERE id IN (
       SELECT j.id FROM local_inngest.jobs j JOIN unnest($1::text[], $2::text[]) AS v (run_id, step_id)
         ON j.run_id = v.run_id AND j.step_id = v.step_id
       WHERE j.kind = 'timeout' AND j.leased_by IS NULL FOR UPDATE OF j SKIP LOCKED)`,
    [deleted.rows.map((row) => row.run_id), deleted.rows.map((row) => row.step_id)],
  );
  const now: When = { afterMs: 0 };
  await insertJobs(
    client,
    rows.filter((row) => row.wake).map((row) => ({ runId: row.id, kind: 'run', stepId: null, when: now })),
  );
  const cancelled = settlements.filter((entry) => entry.cancelled && pendingOf.has(entry.runId)).map((s) => s.runId);
  if (cancelled.length === 0) return [];
  const ages = await client.query<{ age: number }>(
    `UPDATE local_inngest.runs SET status = 'cancelled', ended_at = now(), pending = '' WHERE id = ANY($1)
     RETURNING (extract(epoch FROM now() - created_at) * 1000)::float8 AS age`,
    [cancelled],
  );
  await dropRuns(client, cancelled);
  return ages.rows.map((row) => row.age);
}

const INSERT_RUNS = `
  INSERT INTO local_inngest.runs
    (id, function_id, event_id, event, idempotency_key, concurrency_keys, concurrency_limits, status, ended_at)
  SELECT v.id, v.function_id, v.event_id, v.event, v.idempotency_key, v.keys::text[], v.limits::integer[],
         v.status, CASE WHEN v.status = 'running' THEN NULL ELSE now() END
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    AS v (id, function_id, event_id, event, idempotency_key, keys, limits, status)
  ON CONFLICT (idempotency_key) DO NOTHING
  RETURNING id`;

async function writeRuns(client: pg.PoolClient, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return;
  const keyed = runs.flatMap((run) => run.idempotencyKey ?? []);
  if (keyed.length > 0) {
    await client.query(
      `UPDATE local_inngest.runs SET idempotency_key = NULL
       WHERE idempotency_key = ANY($1) AND created_at < now() - interval '24 hours'`,
      [keyed],
    );
  }
  const written = await client.query<{ id: string }>({
    name: 'local_inngest_runs',
    text: INSERT_RUNS,
    values: [
      runs.map((run) => run.id),
      runs.map((run) => run.fn.id),
      runs.map((run) => run.event.id),
      runs.map((run) => run.event.body),
      runs.map((run) => run.idempotencyKey),
      runs.map((run) => arrayLiteral(run.keys)),
      runs.map((run) => `{${run.limits.join(',')}}`),
      runs.map((run) => (run.cancelled ? 'cancelled' : 'running')),
    ],
  });
  const ids = new Set(written.rows.map((row) => row.id));
  const live = runs.filter((run) => ids.has(run.id) && !run.cancelled);
  await insertJobs(
    client,
    live.map((run) => ({ runId: run.id, kind: 'run', stepId: null, when: { afterMs: 0 } })),
  );
  await insertWaits(
    client,
    live.flatMap((run) => run.cancels),
  );
}

/** The number of events that one round dispatched, and the ages of the runs that they cancelled, in milliseconds. */
export type Dispatched = { events: number; cancelled: number[] };

/**
 * Dispatches waiting events: starts runs, ends waits and cancels runs, all in one transaction. Processes take turns, so that
 * events take effect in the order of their arrival.
 * @param limit the most events
 */
export async function dispatchEvents(
  pool: pg.Pool,
  triggers: Triggers,
  byId: Map<string, FunctionConfig>,
  limit: number,
): Promise<Dispatched> {
  return transaction(
    pool,
    async (client) => {
      const waiting = await client.query<WaitingEvent>({
        name: 'local_inngest_waiting',
        text: WAITING,
        values: [limit],
      });
      const events = waiting.rows;
      if (events.length === 0) return { events: 0, cancelled: [] };
      const payloads: unknown[] = events.map((event) => JSON.parse(event.body));
      const started = events.map((event, index) => startedBy(event, payloads[index], triggers, byId));
      const waits = await findWaits(client, events, payloads);
      const cancelled = await writeSettlements(client, settle(events, payloads, waits, started));
      await writeRuns(client, started.flat());
      await client.query({
        name: 'local_inngest_dispatched',
        text: 'UPDATE local_inngest.events SET dispatched_at = now() WHERE id = ANY($1)',
        values: [events.map((event) => event.id)],
      });
      return { events: events.length, cancelled };
    },
    DISPATCH_LOCK,
  );
}

/** Skips the next event, which cannot be dispatched. @returns its id and name */
export async function skipEvent(pool: pg.Pool): Promise<{ id: string; name: string } | undefined> {
  const skipped = await pool.query<{ id: string; name: string }>(
    `UPDATE local_inngest.events SET dispatched_at = now() WHERE id = (
       SELECT id FROM local_inngest.events WHERE dispatched_at IS NULL ORDER BY seq LIMIT 1) RETURNING id, name`,
  );
  return skipped.rows[0];
}
