import { decode, getToken, type JWT, type JWTDecodeParams } from 'next-auth/jwt';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { second } from '@/domain/time/durations';
import { env, publicUrl } from '@/env';
import { type AuthUser, loadUser } from '@/server/auth/bearer';

// On an https site, cookies are only sent over https and have the prefix that browsers enforce this with.
export const secureCookies = publicUrl.startsWith('https://');

/** Cookies by name. Session cookies only have characters that need no decoding. */
export function cookiesOf(header: string): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header.split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0) cookies[pair.slice(0, separator).trim()] = pair.slice(separator + 1).trim();
  }
  return cookies;
}

/** How next-auth encrypts cookies, as they begin. */
const ourHeader = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url');

/**
 * What a cookie of next-auth holds; null when it is encrypted otherwise than next-auth does. Anybody can send one that names an
 * algorithm by which a password becomes a key, and each would take a thread 10 milliseconds, for which files and compression wait.
 */
export async function decodeCookie(params: JWTDecodeParams): Promise<JWT | null> {
  return params.token?.startsWith(`${ourHeader}.`) ? decode(params) : null;
}

/** Whose web session these request headers have, by its cookie alone; null when there is none. It may have been ended since. */
export async function readSession(headers: Headers): Promise<{ userId: string; sessionVersion: number } | null> {
  const header = headers.get('cookie');
  if (!header || !env.AUTH_SECRET) return null;
  type TokenRequest = Parameters<typeof getToken>[0]['req'];
  // Only cookies are passed on: getToken would accept a Bearer header as a session, too.
  const req = { cookies: cookiesOf(header), headers: {} } as TokenRequest;
  const token = await getToken({
    req,
    secret: env.AUTH_SECRET,
    secureCookie: secureCookies,
    decode: decodeCookie,
  });
  if (!token || typeof token.sub !== 'string' || typeof token.sv !== 'number') return null;
  // From the sign-in, however often the cookie was renewed since.
  const since = token.since ?? token.iat;
  if (typeof since !== 'number' || since + lifetimes.session / second <= Date.now() / second) return null;
  return { userId: token.sub, sessionVersion: token.sv };
}

/** The user of the web session in these request headers; null when there is none, or when it was ended. */
export async function sessionUser(headers: Headers): Promise<AuthUser | null> {
  const session = await readSession(headers);
  return session && loadUser(session.userId, session.sessionVersion);
}
