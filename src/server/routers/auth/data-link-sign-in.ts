import { minute, second } from '@/domain/time/durations';
import { hashToken } from '@/server/auth/api-keys';
import { passwordMatches } from '@/server/auth/passwords';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { fillCreatedFrom } from '@/server/routers/auth/data';
import { attempts } from '@/server/routers/auth/rules';

/** How long the link with which somebody chose a password lets them sign in with it. */
const signInForMs = 15 * minute;

/**
 * Signs in whoever chose a password with an emailed link a moment ago. Counts the attempts of this link alone: strangers behind
 * the same address may have used up those of the account there, which is why it was asked for.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED (only with the right password), TOO_MANY_ATTEMPTS
 */
export async function authenticateByLink(given: {
  token: string;
  password: string;
  ip: string;
}): Promise<{ id: string; name: string; sessionVersion: number }> {
  const link = await db.emailToken.findUnique({
    where: { tokenHash: hashToken(given.token), usedAt: { gt: new Date(Date.now() - signInForMs) } },
    select: {
      id: true,
      user: { select: { id: true, name: true, passwordHash: true, suspendedAt: true, sessionVersion: true } },
    },
  });
  if (!link) throw refuse('INVALID_CREDENTIALS');
  await consumeAttempts('sign-in-link', link.id, { ...attempts.signInPair, seconds: signInForMs / second });
  const { passwordHash, suspendedAt, ...user } = link.user;
  if (!(await passwordMatches(given.password, passwordHash, given.ip))) throw refuse('INVALID_CREDENTIALS');
  if (suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
  await fillCreatedFrom(db, user.id, given.ip);
  return user;
}
