import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Agent } from 'undici';
import { countStatements } from './count-statements';
import { examplePayload, signedPost } from './signed-post';
import type { Publication } from './webhooks.publisher';

/**
 * What no design of a webhook engine can leave out, in as many processes as Laurel's: one commits events, another finds them,
 * posts them signed and stores that it did. Two tables with one index each, prepared statements, no claims, retries, filters,
 * tenants, limits or log. Run with `publisher` or `sender`; the messages are those of `webhooks.publisher` and `webhooks.worker`.
 */
const [role] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: role === 'sender' ? 2 : 24,
  options: role === 'sender' ? '-c synchronous_commit=off' : undefined,
});

const TABLES = `
  CREATE TABLE IF NOT EXISTS floor_event (
    sequence bigserial PRIMARY KEY, url text NOT NULL, payload jsonb NOT NULL, "occurredAt" timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS floor_outcome (sequence bigint PRIMARY KEY, status int NOT NULL, at timestamptz NOT NULL)`;

const PUBLISH = `
  INSERT INTO floor_event (url, payload, "occurredAt")
  SELECT $1, payload, clock_timestamp() FROM unnest($2::jsonb[]) AS v (payload)`;
const PUBLISH_ONE = 'INSERT INTO floor_event (url, payload, "occurredAt") VALUES ($1, $2, clock_timestamp())';

/** @returns milliseconds until all of it was committed */
async function publish({ projectId: url, events, parallel, batch = 1 }: Publication): Promise<number> {
  const started = performance.now();
  const payload = JSON.stringify(examplePayload);
  let taken = 0;
  async function loop(): Promise<void> {
    while (taken < events) {
      taken += batch;
      if (batch === 1) await pool.query({ name: 'one', text: PUBLISH_ONE, values: [url, payload] });
      else
        await pool.query({ name: 'many', text: PUBLISH, values: [url, Array.from({ length: batch }, () => payload)] });
    }
  }
  await Promise.all(Array.from({ length: parallel }, loop));
  return performance.now() - started;
}

type FloorEvent = { sequence: string; url: string; payload: unknown; occurredAt: Date };

const NEW = 'SELECT * FROM floor_event WHERE sequence > $1 ORDER BY sequence LIMIT 500';
const STORE = `
  INSERT INTO floor_outcome (sequence, status, at)
  SELECT sequence, status, now() FROM unnest($1::bigint[], $2::int[]) AS v (sequence, status)`;
const parallel = 10;
const gatherMs = 10;
const pollMs = 2;

/** Posts what is committed, and writes the outcomes of some milliseconds together, which wait for no disk, as in Laurel. */
async function send(): Promise<void> {
  const agent = new Agent();
  const waiting: FloorEvent[] = [];
  const outcomes: { sequence: string; status: number }[] = [];
  const seen = new Set<number>();
  // Events may be committed in another order than they were numbered: everything up to here was seen.
  let complete = 0;
  let posting = 0;
  function fill(): void {
    while (posting < parallel) {
      const next = waiting.shift();
      if (!next) return;
      posting += 1;
      void signedPost(agent, next.url, { ...next, id: next.sequence }).then((status) => {
        posting -= 1;
        outcomes.push({ sequence: next.sequence, status });
        fill();
      });
    }
  }
  async function store(): Promise<void> {
    for (;;) {
      await pause(gatherMs);
      const batch = outcomes.splice(0);
      if (batch.length === 0) continue;
      const values: [string[], number[]] = [batch.map(({ sequence }) => sequence), batch.map(({ status }) => status)];
      await pool.query({ name: 'store', text: STORE, values });
    }
  }
  void store();
  for (;;) {
    const { rows } = await pool.query<FloorEvent>({ name: 'new', text: NEW, values: [complete] });
    for (const event of rows) {
      const sequence = Number(event.sequence);
      if (seen.has(sequence)) continue;
      seen.add(sequence);
      waiting.push(event);
    }
    while (seen.delete(complete + 1)) complete += 1;
    fill();
    await pause(pollMs);
  }
}

if (role === 'sender') {
  const statements = countStatements();
  await pool.query(TABLES);
  process.on('message', () => process.send?.(statements()));
  void send();
}
if (role === 'publisher') {
  process.on('message', async (publication: Publication) => process.send?.(await publish(publication)));
}
if (role) {
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}
