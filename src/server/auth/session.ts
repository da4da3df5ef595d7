import { getToken } from 'next-auth/jwt';
import { env, publicUrl } from '@/env';
import { type AuthUser, loadUser } from '@/server/auth/bearer';

/** Seconds a web session lives after the sign-in. */
export const sessionLifetime = 30 * 24 * 60 * 60;

// Cookies of an https site are only ever sent over https, and carry the prefix that proves it.
export const secureCookies = publicUrl.startsWith('https://');

/** Session cookies hold only characters that need no decoding. */
function cookiesOf(header: string): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header.split(';')) {
    const cut = pair.indexOf('=');
    if (cut > 0) cookies[pair.slice(0, cut).trim()] = pair.slice(cut + 1).trim();
  }
  return cookies;
}

/** The user of the web session in these request headers; null when there is none or it was ended everywhere. */
export async function sessionUser(headers: Headers): Promise<AuthUser | null> {
  const header = headers.get('cookie');
  if (!header || !env.AUTH_SECRET) return null;
  type TokenRequest = Parameters<typeof getToken>[0]['req'];
  // Only cookies are handed over: getToken would take a Bearer header for a session too.
  const req = { cookies: cookiesOf(header), headers: {} } as TokenRequest;
  const token = await getToken({ req, secret: env.AUTH_SECRET, secureCookie: secureCookies });
  if (!token || typeof token.sub !== 'string' || typeof token.sv !== 'number') return null;
  return loadUser(token.sub, token.sv);
}
