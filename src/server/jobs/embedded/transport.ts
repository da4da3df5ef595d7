import type pg from 'pg';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { createPool, isTransient, pause } from '@/server/jobs/embedded/database';
import { insertEvents, newProcessName, readEvents, type StoredEvent } from '@/server/jobs/embedded/events';

/** Saves the steps that the SDK reports in the middle of a call; false tells the SDK to stop: the lease was lost. */
export type CheckpointSink = (steps: unknown) => Promise<boolean>;

/** Connects the SDK with PostgreSQL where there is no Inngest server. */
export type EmbeddedTransport = {
  /** A `fetch` for the SDK: stores events and checkpoints in PostgreSQL instead of calling a server. */
  fetch: typeof fetch;
  /** Sends the checkpoints of one call to `sink` until the returned function is called. */
  openCheckpoint(queueItemId: string, sink: CheckpointSink): () => void;
  /** Closes the connections; a later event opens them again. */
  close(): Promise<void>;
};

type Sender = { pool: pg.Pool; batch: Batcher<StoredEvent[], true> };

const MAX_ATTEMPTS = 5;
const MAX_BATCH_SIZE = 200;
const CONNECTIONS = 2;

function createSender(connectionString: string): Sender {
  const pool = createPool(connectionString, CONNECTIONS);
  const origin = newProcessName();
  const write = async (batch: StoredEvent[][]): Promise<true[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await insertEvents(pool, batch.flat(), origin);
        return batch.map(() => true);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isTransient(error)) throw error;
        await pause(50 * 2 ** attempt);
      }
    }
  };
  return { pool, batch: new Batcher(MAX_BATCH_SIZE, write) };
}

/**
 * Makes a transport that connects at its first event.
 * @param connectionString called at the first event; throws where no database is configured
 */
export function createEmbeddedTransport(connectionString: () => string): EmbeddedTransport {
  /** Calls under way in this process, by queue item id. */
  const sinks = new Map<string, CheckpointSink>();
  let sender: Sender | null = null;

  async function checkpoint(body: string): Promise<Response> {
    const request: { qi_id?: string; steps?: unknown } = JSON.parse(body);
    const sink = sinks.get(request.qi_id ?? '');
    const saved = sink !== undefined && (await sink(request.steps));
    return new Response(null, { status: saved ? 200 : 409 });
  }

  async function send(body: string, seed: string | null): Promise<Response> {
    try {
      const events = readEvents(JSON.parse(body), seed);
      sender ??= createSender(connectionString());
      await sender.batch.add(events);
      return Response.json({ ids: events.map((event) => event.id), status: 200 });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'The event could not be stored';
      return Response.json({ ids: [], status: 500, error: message }, { status: 500 });
    }
  }

  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      const body = typeof init?.body === 'string' ? init.body : '';
      if (url.pathname.startsWith('/v1/checkpoint/') && url.pathname.endsWith('/async')) return checkpoint(body);
      if (url.pathname.startsWith('/e/')) {
        return send(body, new Headers(init?.headers).get('x-inngest-event-id-seed'));
      }
      const error = `The embedded executor does not support ${url.pathname}`;
      return Response.json({ error, status: 501 }, { status: 501 });
    },
    openCheckpoint(queueItemId, sink) {
      sinks.set(queueItemId, sink);
      return () => sinks.delete(queueItemId);
    },
    async close() {
      const open = sender;
      sender = null;
      await open?.pool.end();
    },
  };
}
