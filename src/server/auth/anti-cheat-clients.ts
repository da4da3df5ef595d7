import { randomBytes } from 'node:crypto';
import { hashToken } from '@/server/auth/api-keys';
import { pool } from '@/server/db';
import { Batcher } from '@/server/jobs/embedded/batcher';

/** An anti-cheat client by its token. What it writes is refused once the token stops working. */
export type EnrolledClient = { id: string; projectId: string; userId: string; tokenHash: string };

/**
 * How long a process remembers whose token it is, in ms. A client that sends every second is looked up once a minute;
 * whether the token still works is asked by the statement that writes for it.
 */
const cacheMs = 60_000;
const cacheSize = 20_000;
const cache = new Map<string, { client: EnrolledClient; readAt: number }>();

/** A new client token: `lac_` and 32 random bytes. The token is only shown once. */
export function mintClientToken(): { token: string; tokenHash: string } {
  const token = `lac_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashToken(token) };
}

/** Requests that arrive while a statement runs share the next one: anybody can send tokens that do not exist. */
const clients = new Batcher<string, EnrolledClient | null>(100, async (hashes) => {
  const { rows } = await pool.query<EnrolledClient>({
    name: 'anti_cheat_clients_by_token',
    text: `SELECT c."id", c."projectId", c."userId", c."tokenHash"
           FROM "anti_cheat_client" c JOIN "user" u ON u."id" = c."userId"
           WHERE c."tokenHash" = ANY (ARRAY(SELECT unnest($1::text[]))) AND c."revokedAt" IS NULL AND u."suspendedAt" IS NULL`,
    values: [hashes],
  });
  const found = new Map(rows.map((client) => [client.tokenHash, client]));
  return hashes.map((hash) => found.get(hash) ?? null);
});

/**
 * The client of a token; null when it is unknown or revoked, or the player's account is suspended. For a minute after that
 * it may still be returned.
 */
export async function resolveClient(token: string): Promise<EnrolledClient | null> {
  if (!token.startsWith('lac_')) return null;
  const tokenHash = hashToken(token);
  const known = cache.get(tokenHash);
  if (known && performance.now() - known.readAt < cacheMs) return known.client;
  const readAt = performance.now();
  const client = await clients.add(tokenHash);
  if (!client) {
    cache.delete(tokenHash);
    return null;
  }
  if (cache.size >= cacheSize) cache.clear();
  cache.set(tokenHash, { client, readAt });
  return client;
}

/** Forgets a token that turned out not to work any more. */
export function forgetClient({ tokenHash }: EnrolledClient): void {
  cache.delete(tokenHash);
}
