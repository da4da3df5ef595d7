import { randomBytes } from 'node:crypto';
import { hashToken } from '@/server/auth/api-keys';
import { pool } from '@/server/db';

/** An anti-cheat client that is not revoked. */
export type EnrolledClient = { id: string; projectId: string; userId: string };

/** A new client token: `lac_` and 32 random bytes. The token is only shown once. */
export function mintClientToken(): { token: string; tokenHash: string } {
  const token = `lac_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashToken(token) };
}

/** The client of a token; null when it is unknown or revoked, or the player's account is suspended. */
export async function resolveClient(token: string): Promise<EnrolledClient | null> {
  if (!token.startsWith('lac_')) return null;
  const { rows } = await pool.query<EnrolledClient>({
    name: 'anti_cheat_client_by_token',
    text: `SELECT c."id", c."projectId", c."userId" FROM "anti_cheat_client" c JOIN "user" u ON u."id" = c."userId"
           WHERE c."tokenHash" = $1 AND c."revokedAt" IS NULL AND u."suspendedAt" IS NULL`,
    values: [hashToken(token)],
  });
  return rows[0] ?? null;
}
