import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ulid } from 'ulid';
import { CHANNEL } from '@/server/jobs/embedded/database';

/** An event as it is stored; `body` is what functions receive, as JSON. */
export type StoredEvent = { id: string; name: string; body: string; target: string | null };

/** Longest id or name of an event; both are indexed. */
const MAX_NAME_LENGTH = 500;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID made of a time and ten bytes, so that a retry of the SDK sends the same id. */
function seededId(at: number, entropy: Buffer, index: number): string {
  let bits = 0n;
  for (const byte of entropy.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  bits = ((BigInt(at) << 80n) | bits) + BigInt(index);
  let id = '';
  for (let position = 0; position < 26; position += 1) {
    id = (ALPHABET[Number(bits & 31n)] ?? '0') + id;
    bits >>= 5n;
  }
  return id;
}

/**
 * Makes ids for events that have none.
 * @param seed the SDK's `x-inngest-event-id-seed`: milliseconds and base64, separated by a comma
 */
function idMaker(seed: string | null): (index: number) => string {
  const [at = '', entropy = ''] = seed?.split(',') ?? [];
  const bytes = Buffer.from(entropy, 'base64');
  if (!/^\d{1,14}$/.test(at) || bytes.length < 10) return () => ulid();
  return (index) => seededId(Number(at), bytes, index);
}

/**
 * Reads what `inngest.send` posts.
 * @throws Error that names the invalid event
 */
export function readEvents(payload: unknown, seed: string | null): StoredEvent[] {
  const list = Array.isArray(payload) ? payload : [payload];
  const makeId = idMaker(seed);
  return list.map((event, index) => {
    if (!event || typeof event !== 'object' || typeof event.name !== 'string' || event.name === '') {
      throw new Error(`Event ${index} has no name`);
    }
    const id = typeof event.id === 'string' && event.id !== '' ? event.id : makeId(index);
    // Events of many senders share a statement, so one that PostgreSQL rejects would fail the others.
    for (const text of [id, event.name]) {
      if (text.length > MAX_NAME_LENGTH || text.includes('\0'))
        throw new Error(`Event ${index} has an invalid name or id`);
    }
    const body = JSON.stringify({ ...event, id, ts: event.ts ?? Date.now(), data: event.data ?? {} });
    return { id, name: event.name, body, target: null };
  });
}

/** An event that the executor itself sends, such as `inngest/function.failed`. @param options.target only this function */
export function internalEvent(name: string, data: object, options: { id?: string; target?: string } = {}): StoredEvent {
  const id = options.id ?? ulid();
  return { id, name, body: JSON.stringify({ id, name, data, ts: Date.now() }), target: options.target ?? null };
}

const INSERT = `
  WITH added AS (
    INSERT INTO local_inngest.events AS e (id, name, body, target)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    ON CONFLICT (id) DO UPDATE
      SET seq = DEFAULT, name = excluded.name, body = excluded.body, target = excluded.target,
          received_at = now(), dispatched_at = NULL
      WHERE e.received_at < now() - interval '24 hours' AND e.dispatched_at IS NOT NULL
    RETURNING 1
  )
  SELECT pg_notify('${CHANNEL}', $5) FROM added LIMIT 1`;

/**
 * Stores events and wakes every executor at commit. Drops events whose id was stored in the last 24 hours.
 * @param origin name of the sending process, so that it can ignore its own wake-ups
 */
export async function insertEvents(
  on: pg.Pool | pg.PoolClient,
  events: readonly StoredEvent[],
  origin: string,
): Promise<void> {
  // One statement cannot update the same row twice; the first event of an id wins.
  const unique = new Map<string, StoredEvent>();
  for (const event of events) if (!unique.has(event.id)) unique.set(event.id, event);
  if (unique.size === 0) return;
  const rows = [...unique.values()];
  await on.query({
    name: 'local_inngest_events',
    text: INSERT,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.name),
      rows.map((row) => row.body),
      rows.map((row) => row.target),
      `event ${origin}`,
    ],
  });
}

/** A name for one executor or sender, unique across processes. */
export function newProcessName(): string {
  return randomBytes(9).toString('base64url');
}
