import { env } from '@/env';
import { Listener } from '@/server/listener';
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

type Live = {
  listener: Listener;
  eventListeners: Set<(notice: EventNotice) => void>;
  keyListeners: Set<(publicId: string) => void>;
};

function createLive(): Live {
  const eventListeners: Live['eventListeners'] = new Set();
  const keyListeners: Live['keyListeners'] = new Set();
  let openedBefore = false;
  const listener = new Listener({
    connectionString: env.DATABASE_URL,
    applicationName: 'laurel live',
    channels: ['laurel_event', 'laurel_api_key'],
    onNotification: (channel, payload) => {
      if (channel === 'laurel_api_key') tellAll(keyListeners, payload);
      else tellAll(eventListeners, JSON.parse(payload) as EventNotice);
    },
    onOpen: () => {
      if (openedBefore) tellAll(eventListeners, resumed);
      openedBefore = true;
    },
    onLost: (error, retryInMs) => logger.warn({ err: error, retryInMs }, 'the connection for live notices is down'),
  });
  return { listener, eventListeners, keyListeners };
}

const holder = globalThis as typeof globalThis & { laurelLive?: Live };
// Next bundles this module apart from the server's own copy; both share one connection.
holder.laurelLive ??= createLive();
const live = holder.laurelLive;

/** Opens this process's one listening connection and keeps it open, with backoff, until `stopLive`. */
export function startLive(): Promise<void> {
  return live.listener.start();
}

/** Closes the listening connection; listeners stay registered and hear nothing. */
export function stopLive(): Promise<void> {
  return live.listener.stop();
}

/** Whether notices arrive at this moment. Whoever caches on the strength of notices must ask. */
export function liveConnected(): boolean {
  return live.listener.connected;
}

/**
 * Calls `listener` for every domain event that any process commits, and with `live.resumed` after a gap.
 * Notices are hints: they may be lost with the connection, so a sweep must back up whatever matters.
 * @returns a function that stops the calls
 */
export function onDomainEvent(listener: (notice: EventNotice) => void): () => void {
  live.eventListeners.add(listener);
  void startLive();
  return () => live.eventListeners.delete(listener);
}

/** Calls `listener` with the public id of every API key that was revoked, changed or given another plan. */
export function onApiKeyChange(listener: (publicId: string) => void): () => void {
  live.keyListeners.add(listener);
  return () => live.keyListeners.delete(listener);
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
