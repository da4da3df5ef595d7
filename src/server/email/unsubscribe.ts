import { createHmac, timingSafeEqual } from 'node:crypto';
import { env, publicUrl } from '@/env';
import { db } from '@/server/db';

/** Where a mail program sends its one-click request (RFC 8058). */
export const oneClickPath = '/api/mail/unsubscribe';

function signature(userId: string): string {
  if (!env.AUTH_SECRET) throw new Error('AUTH_SECRET is not set');
  return createHmac('sha256', env.AUTH_SECRET).update(`unsubscribe:${userId}`).digest('base64url');
}

/** Lets whoever has a letter to this person switch such letters off or on, and nothing else. It does not run out. */
export function unsubscribeToken(userId: string): string {
  return `${userId}.${signature(userId)}`;
}

/** The person a token is for; null when it is none of ours. */
export function readUnsubscribeToken(token: string): string | null {
  const at = token.lastIndexOf('.');
  if (at < 1) return null;
  const userId = token.slice(0, at);
  const [given, right] = [Buffer.from(token.slice(at + 1)), Buffer.from(signature(userId))];
  return given.length === right.length && timingSafeEqual(given, right) ? userId : null;
}

/** The page to press on, and the address that mail programs call by themselves. */
export function unsubscribeAddresses(userId: string): { page: string; oneClick: string } {
  const token = unsubscribeToken(userId);
  return { page: `${publicUrl}/unsubscribe?token=${token}`, oneClick: `${publicUrl}${oneClickPath}?token=${token}` };
}

/**
 * Switches mail about registrations and teams for the person of a token.
 * @returns their settings then; null when the token is not valid or they are gone
 */
export async function setEmailNotifications(token: string, emailNotifications: boolean) {
  const id = readUnsubscribeToken(token);
  if (!id) return null;
  const [row] = await db.user.updateManyAndReturn({
    where: { id },
    data: { emailNotifications },
    select: { email: true, emailNotifications: true },
  });
  return row ?? null;
}
