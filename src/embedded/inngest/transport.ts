import type pg from 'pg';
import { Batcher, createPool, isTransient, pause } from '@/embedded/inngest/database';
import { insertEvents, newOwner, readEvents, type StoredEvent } from '@/embedded/inngest/events';

/** Takes the steps that the SDK saves in the middle of a call; false tells it to stop, since the call is no longer ours. */
export type CheckpointSink = (steps: unknown) => Promise<boolean>;

/** Calls under way in this process, by queue item id. */
const sinks = new Map<string, CheckpointSink>();

/** Directs checkpoints of one call to `sink` until the returned function is called. */
export function openCheckpoint(queueItemId: string, sink: CheckpointSink): () => void {
  sinks.set(queueItemId, sink);
  return () => sinks.delete(queueItemId);
}

type Sender = { pool: pg.Pool; batch: Batcher<StoredEvent[], true> };

const senders = new Map<string, Sender>();
const TRIES = 5;

function senderFor(connectionString: string): Sender {
  const known = senders.get(connectionString);
  if (known) return known;
  const pool = createPool(connectionString, 2);
  const origin = newOwner();
  const write = async (batch: StoredEvent[][]): Promise<true[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await insertEvents(pool, batch.flat(), origin);
        return batch.map(() => true);
      } catch (error) {
        if (attempt >= TRIES || !isTransient(error)) throw error;
        await pause(50 * 2 ** attempt);
      }
    }
  };
  const sender = { pool, batch: new Batcher(200, write) };
  senders.set(connectionString, sender);
  return sender;
}

/** Closes the senders' connections; a later send opens them again. */
export async function closeLocalSenders(): Promise<void> {
  const open = [...senders.values()];
  senders.clear();
  await Promise.all(open.map((sender) => sender.pool.end()));
}

const ACCEPTED = new Response(null, { status: 200 });
const STALE = new Response(null, { status: 409 });

async function checkpoint(body: string): Promise<Response> {
  const request: { qi_id?: string; steps?: unknown } = JSON.parse(body);
  const sink = sinks.get(request.qi_id ?? '');
  return sink && (await sink(request.steps)) ? ACCEPTED : STALE;
}

async function send(connectionString: string, body: string, seed: string | null): Promise<Response> {
  try {
    const events = readEvents(JSON.parse(body), seed);
    await senderFor(connectionString).batch.add(events);
    return Response.json({ ids: events.map((event) => event.id), status: 200 });
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The event could not be stored';
    return Response.json({ ids: [], status: 500, error: message }, { status: 500 });
  }
}

/**
 * A `fetch` for the SDK that stores events and checkpoints in PostgreSQL instead of calling a server.
 * Opens connections at the first event.
 * @param connectionString read at each send; throws where no database is configured
 */
export function createLocalFetch(connectionString: () => string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const body = typeof init?.body === 'string' ? init.body : '';
    if (url.pathname.startsWith('/v1/checkpoint/') && url.pathname.endsWith('/async')) return checkpoint(body);
    if (url.pathname.startsWith('/e/')) {
      return send(connectionString(), body, new Headers(init?.headers).get('x-inngest-event-id-seed'));
    }
    return Response.json(
      { error: `The embedded executor does not support ${url.pathname}`, status: 501 },
      { status: 501 },
    );
  };
}
