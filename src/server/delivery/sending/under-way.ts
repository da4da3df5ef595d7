import { deliveryPool } from '@/server/db';
import { logger } from '@/server/logger';

/**
 * Requests that take long, and end with what they were made for: whoever deletes a subscription and makes another could
 * otherwise have as many under way as a receiver lets wait.
 */

/** How often their subscriptions are looked at: another process changes them, or deletes them with their project. */
const lookMs = 1_000;

type Request = { subscriptionId: string; url: string };

const requests = new Map<Request, (isGone: boolean) => void>();
let isLooking = false;

/**
 * Watches a request.
 * @param cancel called when its subscription has another URL, or is gone: deleted or disabled
 * @returns what to call when it has ended
 */
export function cancelWithSubscription(request: Request, cancel: (isGone: boolean) => void): () => void {
  requests.set(request, cancel);
  lookLater();
  return () => requests.delete(request);
}

function lookLater(): void {
  if (isLooking || requests.size === 0) return;
  isLooking = true;
  setTimeout(async () => {
    await look().catch((error: unknown) =>
      logger.warn({ err: error }, 'could not look for webhooks that changed; will try again'),
    );
    isLooking = false;
    lookLater();
  }, lookMs).unref();
}

const FIND = `SELECT id, url FROM webhook_subscription WHERE id = ANY ($1) AND status <> 'disabled'`;

async function look(): Promise<void> {
  const watched = [...requests.keys()];
  const ids = [...new Set(watched.map(({ subscriptionId }) => subscriptionId))];
  const { rows } = await deliveryPool.query<{ id: string; url: string }>({
    name: 'webhook_under_way',
    text: FIND,
    values: [ids],
  });
  const urls = new Map(rows.map(({ id, url }) => [id, url]));
  for (const request of watched) {
    const url = urls.get(request.subscriptionId);
    if (url !== request.url) requests.get(request)?.(url === undefined);
  }
}
