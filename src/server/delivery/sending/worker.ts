import { randomUUID } from 'node:crypto';
import { env } from '@/env';
import { holdAliveLock, isDeadSql } from '@/server/alive-lock';
import { pool } from '@/server/db';
import { Listener } from '@/server/listener';
import { logger } from '@/server/logger';

/** The channel that names subscriptions whose queues are to be run now. */
const channel = 'laurel_webhook';

type Worker = { name: string; listener: Listener; onDue: (subscriptionId: string) => void };

let worker: Worker | null = null;

/**
 * Opens this process's sending connection: it holds the lock that shows the others that the process is alive, and hears
 * whose queues are to be run. Does nothing when it is open.
 */
export async function openWorker(onDue: (subscriptionId: string) => void): Promise<void> {
  if (worker) return;
  const name = randomUUID().slice(0, 13);
  const listener = new Listener({
    connectionString: env.DATABASE_URL,
    applicationName: 'laurel delivery',
    channels: [channel],
    prepare: (client) => holdAliveLock(client, 'sender', name),
    onNotification: (_channel, subscriptionId) => worker?.onDue(subscriptionId),
    onOpen: () => undefined,
    onLost: (error, retryInMs) => logger.warn({ err: error, retryInMs }, 'lost the connection for deliveries'),
  });
  worker = { name, listener, onDue };
  await listener.start();
}

/** Closes it. What this process still has claimed is then free for others. */
export async function closeWorker(): Promise<void> {
  const open = worker;
  worker = null;
  await open?.listener.stop();
}

/** The name of this process while the others can see that it is alive; otherwise null. */
export const senderName = (): string | null => (worker?.listener.connected ? worker.name : null);

/** An id for a new claim. It names this process while the others can see that it is alive. */
export function newClaimId(): string {
  const name = senderName();
  return name === null ? randomUUID() : `${name}.${randomUUID()}`;
}

// The due time becomes the one that gives the delivery its former place in the order. What the process had sent is
// recorded by the next claim, as an attempt whose end nobody knows. The cast keeps PostgreSQL from reading the index of
// all that is pending, which a backlog makes long.
const FREE_CLAIMS_OF_THE_DEAD = `
  UPDATE webhook_delivery SET "claimedUntil" = now(), "nextAttemptAt" = coalesce("replayedAt", "createdAt")
  WHERE "claimId" LIKE '%.%' AND "claimedUntil" > now() AND status::text = 'pending'
    AND ${isDeadSql('sender', `split_part("claimId", '.', 1)`)}
  RETURNING "subscriptionId"`;

/** Frees the claims of processes that died, before their leases end. @returns the subscriptions that they were sending to */
export async function freeClaimsOfTheDead(): Promise<string[]> {
  const freed = await pool.query<{ subscriptionId: string }>({
    name: 'webhook_free_dead',
    text: FREE_CLAIMS_OF_THE_DEAD,
  });
  return [...new Set(freed.rows.map((row) => row.subscriptionId))];
}

/**
 * Has the queues of subscriptions run by a sending process now. Call it after the commit of what changed them. It needs
 * nothing but the database, and the sweep makes up for a notice that nobody heard.
 */
export async function triggerDelivery(subscriptionIds: string[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  await pool.query(`SELECT pg_notify('${channel}', id) FROM unnest($1::text[]) AS v (id)`, [subscriptionIds]);
}
