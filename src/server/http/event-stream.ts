import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** What a stream of events consists of. */
export type EventStream = {
  headers: Record<string, string>;
  /** Milliseconds without an event after which the client is told that the stream is open. */
  pingMs: number;
  /** Milliseconds without a word after which the client takes the stream for broken. */
  reconnectAfterInactivityMs: number;
  /** Aborts when the response is over. */
  ended: AbortSignal;
  /** The events, until `ended` aborts. What this throws ends the stream, and so does the end of them. */
  open: () => Promise<AsyncIterable<unknown>>;
  toJson: (event: unknown) => string;
  /** The JSON that tells why the stream ended. */
  describe: (error: unknown) => string;
};

const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // Proxies that know it do not wait for more before they pass on an event.
  'X-Accel-Buffering': 'no',
};

/**
 * Sends events as they come, in the words that tRPC's client understands, until the client goes. A slow client gets the next
 * when it has read the last. tRPC's own response is a chain of web streams, and takes four times the memory for each page and
 * three times the time for each event.
 */
export async function sendEvents(res: ServerResponse, stream: EventStream): Promise<void> {
  const { headers, pingMs, reconnectAfterInactivityMs, ended, open, toJson, describe } = stream;
  if (ended.aborted) return;
  res.writeHead(200, { ...headers, ...eventHeaders });
  const write = (event: string, data: string) => res.write(`event: ${event}\ndata: ${data}\n\n`);
  write('connected', JSON.stringify({ reconnectAfterInactivityMs }));
  const pings = setInterval(() => res.writableNeedDrain || write('ping', ''), pingMs);
  try {
    for await (const event of await open()) {
      pings.refresh();
      if (!res.write(`data: ${toJson(event)}\n\n`)) await once(res, 'drain', { signal: ended });
    }
    write('return', '');
  } catch (error) {
    if (!ended.aborted) write('serialized-error', describe(error));
  } finally {
    clearInterval(pings);
    res.end();
  }
}
