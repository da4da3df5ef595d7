import { createHmac, timingSafeEqual } from 'node:crypto';
import { env, publicUrl } from '@/env';
import { db } from '@/server/db';

/** Where email programs send their one-click request (RFC 8058). */
export const oneClickPath = '/api/mail/unsubscribe';

function signature(userId: string): string {
  if (!env.AUTH_SECRET) throw new Error('AUTH_SECRET is not set');
  return createHmac('sha256', env.AUTH_SECRET).update(`unsubscribe:${userId}`).digest('base64url');
}

/** Allows the holder of an email to this user to turn such emails off or on, and nothing else. It does not expire. */
export function unsubscribeToken(userId: string): string {
  return `${userId}.${signature(userId)}`;
}

/** The id of the user a token is for; null when it is not valid. */
export function readUnsubscribeToken(token: string): string | null {
  const separator = token.lastIndexOf('.');
  if (separator < 1) return null;
  const userId = token.slice(0, separator);
  const [actual, expected] = [Buffer.from(token.slice(separator + 1)), Buffer.from(signature(userId))];
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? userId : null;
}

/** The page where the user can unsubscribe, and the address that email programs call. */
export function unsubscribeAddresses(userId: string): { page: string; oneClick: string } {
  const token = unsubscribeToken(userId);
  return { page: `${publicUrl}/unsubscribe?token=${token}`, oneClick: `${publicUrl}${oneClickPath}?token=${token}` };
}

/**
 * Turns emails about registrations and teams on or off for the user of a token.
 * @returns their new settings; null when the token is not valid or the user does not exist
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
