import pg from 'pg';
import { env } from '@/env';
import { logger } from '@/server/logger';

/** What is told of a domain event at its commit: enough to know whether to read again, never the payload. */
export type EventNotice = {
  /** `evt_…`; empty for `live.resumed`. */
  id: string;
  /** The event's type, or `live.resumed`: notices may have been missed, read everything again. */
  type: string;
  projectId: string | null;
  aggregateType: string;
  aggregateId: string;
  tournamentId: string | null;
  userId: string | null;
};

/** A subscriber gets the notices that concern any one of these. `tournamentIds` may grow while they listen. */
export type LiveFilter = {
  tournamentId?: string;
  tournamentIds?: ReadonlySet<string>;
  projectId?: string;
  userId?: string;
};

type State = {
  client: pg.Client | null;
  connected: boolean;
  /** Whether it should be connected. */
  wanted: boolean;
  everConnected: boolean;
  failures: number;
  retry: NodeJS.Timeout | null;
  heartbeat: NodeJS.Timeout | null;
  eventListeners: Set<(notice: EventNotice) => void>;
  keyListeners: Set<(publicId: string) => void>;
};

const holder = globalThis as typeof globalThis & { laurelLive?: State };
// Next bundles this module apart from the server's own copy; both share one connection.
holder.laurelLive ??= {
  client: null,
  connected: false,
  wanted: false,
  everConnected: false,
  failures: 0,
  retry: null,
  heartbeat: null,
  eventListeners: new Set(),
  keyListeners: new Set(),
};
const state: State = holder.laurelLive;

const heartbeatMs = 10_000;
const longestBackoffMs = 5_000;
const bufferedNotices = 200;

const resumed: EventNotice = {
  id: '',
  type: 'live.resumed',
  projectId: null,
  aggregateType: 'live',
  aggregateId: '',
  tournamentId: null,
  userId: null,
};

function tellAll<T>(listeners: Set<(value: T) => void>, value: T): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (error) {
      logger.error({ err: error }, 'a live listener failed');
    }
  }
}

function onNotification({ channel, payload }: pg.Notification): void {
  if (!payload) return;
  if (channel === 'laurel_api_key') tellAll(state.keyListeners, payload);
  if (channel === 'laurel_event') tellAll(state.eventListeners, JSON.parse(payload) as EventNotice);
}

function lose(client: pg.Client, error?: unknown): void {
  if (state.client !== client) return;
  state.client = null;
  state.connected = false;
  if (state.heartbeat) clearInterval(state.heartbeat);
  state.heartbeat = null;
  client.removeAllListeners();
  // A connection that is already broken may still report so; nobody is left to tell.
  client.on('error', () => undefined);
  client.end().catch(() => undefined);
  if (!state.wanted) return;
  const wait = Math.min(longestBackoffMs, 100 * 2 ** state.failures) * (0.75 + Math.random() / 2);
  state.failures += 1;
  logger.warn({ err: error, retryInMs: Math.round(wait) }, 'the connection for live notices is down');
  state.retry = setTimeout(() => void connect(), wait);
}

async function connect(): Promise<void> {
  if (!state.wanted || state.client) return;
  const client = new pg.Client({
    connectionString: env.DATABASE_URL,
    application_name: 'laurel live',
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  state.client = client;
  client.on('error', (error) => lose(client, error));
  client.on('end', () => lose(client));
  client.on('notification', onNotification);
  try {
    await client.connect();
    await client.query('LISTEN laurel_event');
    await client.query('LISTEN laurel_api_key');
  } catch (error) {
    lose(client, error);
    return;
  }
  if (state.client !== client) return;
  state.connected = true;
  state.failures = 0;
  // A peer that vanished without closing is noticed here, since LISTEN alone would wait for ever.
  state.heartbeat = setInterval(() => {
    client.query('SELECT 1').catch((error: unknown) => lose(client, error));
  }, heartbeatMs);
  if (state.everConnected) tellAll(state.eventListeners, resumed);
  state.everConnected = true;
}

/** Opens this process's one listening connection and keeps it open, with backoff, until `stopLive`. */
export async function startLive(): Promise<void> {
  if (state.wanted) return;
  state.wanted = true;
  await connect();
}

/** Closes the listening connection; listeners stay registered and hear nothing. */
export async function stopLive(): Promise<void> {
  state.wanted = false;
  if (state.retry) clearTimeout(state.retry);
  state.retry = null;
  const { client } = state;
  if (!client) return;
  lose(client);
}

/** Whether notices arrive at this moment. Whoever caches on the strength of notices must ask. */
export function liveConnected(): boolean {
  return state.connected;
}

/**
 * Calls `listener` for every domain event that any process commits, and with `live.resumed` after a gap.
 * Notices are hints: they may be lost with the connection, so a sweep must back up whatever matters.
 * @returns a function that stops the calls
 */
export function onDomainEvent(listener: (notice: EventNotice) => void): () => void {
  state.eventListeners.add(listener);
  void startLive();
  return () => state.eventListeners.delete(listener);
}

/** Calls `listener` with the public id of every API key that was revoked, changed or given another plan. */
export function onApiKeyChange(listener: (publicId: string) => void): () => void {
  state.keyListeners.add(listener);
  return () => state.keyListeners.delete(listener);
}

function concerns(filter: LiveFilter, notice: EventNotice): boolean {
  if (notice.type === resumed.type) return true;
  const { tournamentId, tournamentIds, projectId, userId } = filter;
  if (tournamentId && (notice.tournamentId === tournamentId || notice.aggregateId === tournamentId)) return true;
  if (tournamentIds?.has(notice.tournamentId ?? notice.aggregateId)) return true;
  if (projectId && notice.projectId === projectId) return true;
  return Boolean(userId && (notice.userId === userId || notice.aggregateId === userId));
}

/**
 * Notices for one subscriber, from this call on and until `signal` aborts. A slow reader is not waited for: waiting
 * notices of one type and aggregate become one, and too many of them become a single `live.resumed`.
 */
export function liveEvents(filter: LiveFilter, signal: AbortSignal): AsyncGenerator<EventNotice, void> {
  const waiting = new Map<string, EventNotice>();
  let wake: () => void = () => undefined;
  const stop = onDomainEvent((notice) => {
    if (!concerns(filter, notice)) return;
    if (notice.type === resumed.type || waiting.size >= bufferedNotices) {
      waiting.clear();
      waiting.set(resumed.type, resumed);
    } else if (!waiting.has(resumed.type)) {
      waiting.set(`${notice.type} ${notice.aggregateId}`, notice);
    }
    wake();
  });
  function end() {
    stop();
    wake();
  }
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });

  async function* read(): AsyncGenerator<EventNotice, void> {
    try {
      while (!signal.aborted) {
        if (waiting.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const batch = [...waiting.values()];
        waiting.clear();
        for (const notice of batch) {
          if (signal.aborted) return;
          yield notice;
        }
      }
    } finally {
      stop();
      signal.removeEventListener('abort', end);
    }
  }
  return read();
}
