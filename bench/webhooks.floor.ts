import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Agent } from 'undici';
import { newId } from '@/domain/ids';
import { countStatements } from './count-statements';
import { examplePayload, signedPost } from './signed-post';
import type { Publication } from './webhooks.publisher';

/**
 * What no design of a webhook engine can leave out, in as many processes as Laurel's: one commits events, another finds them,
 * posts them signed and stores what the delivery log shows. Tables and indexes are Laurel's; each row is written once, by
 * prepared statements, without foreign keys, claims, retries, filters, tenants or limits. Run with `publisher` or `sender`;
 * the messages are those of `webhooks.publisher` and `webhooks.worker`.
 */
const [role] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: role === 'sender' ? 2 : 24,
  options: role === 'sender' ? '-c synchronous_commit=off' : undefined,
});

const projectId = 'prj_01k9x9a6r0e7g9h1j2m3n4p5q6';

const TABLES = `
  CREATE TABLE IF NOT EXISTS floor_event (LIKE domain_event INCLUDING ALL, url text NOT NULL);
  CREATE TABLE IF NOT EXISTS floor_pending (LIKE pending_event INCLUDING ALL);
  CREATE TABLE IF NOT EXISTS floor_delivery (LIKE webhook_delivery INCLUDING ALL);
  CREATE TABLE IF NOT EXISTS floor_attempt (LIKE webhook_attempt INCLUDING ALL)`;

const publishing = (events: string) => `
  WITH added AS (
    INSERT INTO floor_event (id, "projectId", type, "aggregateType", "aggregateId", payload, metadata, "occurredAt", url)
    SELECT id, '${projectId}', 'participant.checked_in', 'participant', 'prt_01k9x9a6r0e7g9h1j2m3n4p5q6', payload,
      '{"actor": {"type": "system", "id": null}, "requestId": null}', clock_timestamp(), $1
    FROM ${events} AS v (id, payload) RETURNING id, "projectId", sequence
  ) INSERT INTO floor_pending ("eventId", "projectId", sequence) SELECT * FROM added`;
const PUBLISH = publishing('unnest($2::text[], $3::jsonb[])');
const PUBLISH_ONE = publishing('(VALUES ($2, $3::jsonb))');

/** @returns milliseconds until all of it was committed */
async function publish({ projectId: url, events, parallel, batch = 1 }: Publication): Promise<number> {
  const started = performance.now();
  const payload = JSON.stringify(examplePayload);
  let taken = 0;
  async function loop(): Promise<void> {
    while (taken < events) {
      taken += batch;
      const ids = Array.from({ length: batch }, () => newId('evt'));
      if (batch === 1) await pool.query({ name: 'one', text: PUBLISH_ONE, values: [url, ids[0], payload] });
      else await pool.query({ name: 'many', text: PUBLISH, values: [url, ids, ids.map(() => payload)] });
    }
  }
  await Promise.all(Array.from({ length: parallel }, loop));
  return performance.now() - started;
}

type FloorEvent = { id: string; url: string; payload: unknown; occurredAt: Date };

const NEW = `
  WITH found AS MATERIALIZED (
    SELECT "eventId" FROM floor_pending WHERE "projectId" = '${projectId}' ORDER BY sequence LIMIT 128
  ), taken AS (
    DELETE FROM floor_pending WHERE "eventId" IN (SELECT "eventId" FROM found)
  ) SELECT e.id, e.url, e.payload, e."occurredAt" FROM found JOIN floor_event e ON e.id = found."eventId"`;
const STORE = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::jsonb[], $7::jsonb[])
      AS v (event, delivery, attempt, status, body, "requestHeaders", "responseHeaders")
  ), delivered AS (
    INSERT INTO floor_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", status, "attemptCount", "expiresAt",
      "completedAt", "updatedAt")
    SELECT delivery, 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6', '${projectId}', event, 'participant.checked_in', 'delivered', 1,
      now(), now(), now() FROM v
  )
  INSERT INTO floor_attempt (id, "deliveryId", number, outcome, "durationMs", timings, "requestBody", "requestHeaders",
    "responseStatus", "responseHeaders", "responseBody", "peerAddress")
  SELECT attempt, delivery, 1, 'succeeded', 1, '{"dnsMs": null, "connectMs": null, "tlsMs": null, "firstByteMs": 0.4, "totalMs": 0.5}',
    body, "requestHeaders", status, "responseHeaders", 'ok', '127.0.0.1' FROM v`;
const parallel = 10;
const gatherMs = 10;
const pollMs = 2;

type Outcome = { event: string; status: number; body: string; requestHeaders: object; responseHeaders: object };

/** Posts what is committed, and writes the outcomes of some milliseconds together, which wait for no disk, as in Laurel. */
async function send(): Promise<void> {
  const agent = new Agent();
  const waiting: FloorEvent[] = [];
  const outcomes: Outcome[] = [];
  let posting = 0;
  function fill(): void {
    while (posting < parallel) {
      const next = waiting.shift();
      if (!next) return;
      posting += 1;
      void signedPost(agent, next.url, next).then((sent) => {
        posting -= 1;
        outcomes.push({ event: next.id, ...sent });
        fill();
      });
    }
  }
  async function store(): Promise<void> {
    for (;;) {
      await pause(gatherMs);
      const batch = outcomes.splice(0);
      if (batch.length === 0) continue;
      const values = [
        batch.map(({ event }) => event),
        batch.map(() => newId('whd')),
        batch.map(() => newId('wha')),
        batch.map(({ status }) => status),
        batch.map(({ body }) => body),
        batch.map(({ requestHeaders }) => JSON.stringify(requestHeaders)),
        batch.map(({ responseHeaders }) => JSON.stringify(responseHeaders)),
      ];
      await pool.query({ name: 'store', text: STORE, values });
    }
  }
  void store();
  for (;;) {
    const { rows } = await pool.query<FloorEvent>({ name: 'new', text: NEW });
    waiting.push(...rows);
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
