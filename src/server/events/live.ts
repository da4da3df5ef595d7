import { randomUUID } from 'node:crypto';
import { env } from '@/env';
import { pool } from '@/server/db';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { Listener } from '@/server/listener';
import { logger } from '@/server/logger';

/** A notice of a committed change: enough to decide whether to refetch, and never the payload. */
export type EventNotice = {
  /** `evt_…`; empty where no domain event was written. */
  id: string;
  /**
   * The event's type, or `live.resumed`: notices may have been missed, so refetch everything. A type that
   * ends with `.changed` is no domain event.
   */
  type: string;
  projectId: string | null;
  aggregateType: string;
  aggregateId: string;
  tournamentId: string | null;
  userId: string | null;
};

/** Tells everyone to read everything again: notices may have been missed. */
export const resumed: EventNotice = {
  id: '',
  type: 'live.resumed',
  projectId: null,
  aggregateType: 'live',
  aggregateId: '',
  tournamentId: null,
  userId: null,
};

function notifyAll<T>(listeners: Set<(value: T) => void>, value: T): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (error) {
      logger.error({ err: error }, 'a live listener failed');
    }
  }
}

/** What processes tell each other. `from` is the sender, who knows it already. */
type Message = { from: string; notices: EventNotice[] };

type Live = {
  listener: Listener;
  /** Names this process in its messages. */
  name: string;
  eventListeners: Set<(notice: EventNotice) => void>;
  keyListeners: Set<(publicId: string) => void>;
};

function createLive(): Live {
  const eventListeners: Live['eventListeners'] = new Set();
  const keyListeners: Live['keyListeners'] = new Set();
  const name = randomUUID().slice(0, 8);
  let openedBefore = false;
  const listener = new Listener({
    connectionString: env.DATABASE_URL,
    applicationName: 'laurel live',
    channels: ['laurel_event', 'laurel_api_key'],
    onNotification: (channel, payload) => {
      if (channel === 'laurel_api_key') return notifyAll(keyListeners, payload);
      const { from, notices } = JSON.parse(payload) as Message;
      if (from !== name) for (const notice of notices) notifyAll(eventListeners, notice);
    },
    onOpen: () => {
      if (openedBefore) notifyAll(eventListeners, resumed);
      openedBefore = true;
    },
    onLost: (error, retryInMs) => logger.warn({ err: error, retryInMs }, 'lost the connection for live notices'),
  });
  return { listener, name, eventListeners, keyListeners };
}

const holder = globalThis as typeof globalThis & { laurelLive?: Live };
// Next bundles its own copy of this module; both copies share one connection.
holder.laurelLive ??= createLive();
const live = holder.laurelLive;

/** Opens this process's one listening connection and keeps it open, with backoff, until `stopLive`. */
export function startLive(): Promise<void> {
  return live.listener.start();
}

/** Closes the listening connection. Listeners stay registered, but are not called. */
export function stopLive(): Promise<void> {
  return live.listener.stop();
}

/** Whether notices arrive right now. Caches that rely on notices have to check it. */
export function liveConnected(): boolean {
  return live.listener.connected;
}

/** PostgreSQL accepts less than 8,000 bytes in one notice. */
const maxMessageBytes = 7_500;

/** Notices as the messages that carry them to other processes, several in each. */
function toMessages(notices: readonly EventNotice[]): string[] {
  const messages: string[] = [];
  let parts: string[] = [];
  let size = 0;
  const close = () => {
    if (parts.length > 0) messages.push(`{"from":"${live.name}","notices":[${parts.join(',')}]}`);
    parts = [];
    size = 0;
  };
  for (const notice of notices) {
    const text = JSON.stringify(notice);
    const bytes = Buffer.byteLength(text) + 1;
    if (size + bytes > maxMessageBytes) close();
    parts.push(text);
    size += bytes;
  }
  close();
  return messages;
}

// It changes nothing, so its commit does not wait for the disk.
const ANNOUNCE = `
  SELECT pg_notify('laurel_event', v.message) FROM unnest($1::text[]) AS v (message),
    (SELECT set_config('synchronous_commit', 'off', true) AS written) AS lazily`;

/** While notices keep coming, those of this time are sent together: each statement wakes every process. */
const everyMs = 4;

const announcements = new Batcher<readonly EventNotice[], null>(
  200,
  async (batch) => {
    await pool.query({ name: 'live_announce', text: ANNOUNCE, values: [toMessages(batch.flat())] });
    return batch.map(() => null);
  },
  { everyMs },
);

/**
 * Tells the listeners of every process about changes, those of this process at once. Call it when they are committed: a
 * transaction that notifies holds a lock of all of PostgreSQL while its commit is written to the disk, so that one commits
 * after another instead of many with one write.
 */
export function announce(notices: readonly EventNotice[]): void {
  if (notices.length === 0) return;
  for (const notice of notices) notifyAll(live.eventListeners, notice);
  announcements
    .add(notices)
    .catch((error: unknown) => logger.warn({ err: error }, 'could not tell other processes about changes'));
}

/**
 * Calls `listener` for every domain event and live notice that any process commits, and with `live.resumed` after a gap.
 * Notices can be lost with the connection, so anything important also needs a sweep.
 * @returns a function that stops the calls
 */
export function onDomainEvent(listener: (notice: EventNotice) => void): () => void {
  live.eventListeners.add(listener);
  void startLive();
  return () => live.eventListeners.delete(listener);
}

/** Calls `listener` with the public id of every API key that was revoked or changed, or whose plan changed. */
export function onApiKeyChange(listener: (publicId: string) => void): () => void {
  live.keyListeners.add(listener);
  return () => live.keyListeners.delete(listener);
}
