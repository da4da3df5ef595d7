import type { NextAuthOptions } from 'next-auth';
import CredentialsProvider from 'next-auth/providers/credentials';
import DiscordProvider, { type DiscordProfile } from 'next-auth/providers/discord';
import GoogleProvider, { type GoogleProfile } from 'next-auth/providers/google';
import TwitchProvider, { type TwitchProfile } from 'next-auth/providers/twitch';
import { linkSignInForm, nameField, signInForm } from '@/domain/accounts/forms';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { second } from '@/domain/time/durations';
import { env, publicUrl } from '@/env';
import { cookiesOf, decodeCookie, secureCookies } from '@/server/auth/session';
import { db } from '@/server/db';
import { describeError, refuse } from '@/server/errors';
import { callerAddress, callerStore } from '@/server/http/caller-address';
import { unreadStatus } from '@/server/http/exchange';
import { logger } from '@/server/logger';
import { authenticate, countProviderSignIn, forgiveProviderSignIn } from '@/server/routers/auth/data';
import { authenticateByLink } from '@/server/routers/auth/data-link-sign-in';
import { userForProvider } from '@/server/routers/auth/data-providers';
import { storableBeginning } from '@/server/storable-text';

/** The reason code as the sign-in page reads it from `?error=`; what is not a refusal says nothing else. */
function reasonOf(error: unknown): string {
  const { reason, status } = describeError(error);
  if (status >= 500) logger.error({ err: error }, 'web sign-in failed');
  return reason;
}

const addressOfCaller = (forwardedFor: string | null | undefined): string =>
  callerStore.getStore()?.ip ?? callerAddress(forwardedFor ?? undefined, undefined);

const credentials = CredentialsProvider({
  credentials: { email: {}, token: {}, password: {} },
  async authorize(input, request) {
    const ip = addressOfCaller(request.headers?.['x-forwarded-for']);
    const byLink = linkSignInForm.safeParse(input);
    const parsed = signInForm.safeParse(input);
    try {
      if (byLink.success) return await authenticateByLink({ ...byLink.data, ip });
      if (!parsed.success) throw refuse('INVALID_CREDENTIALS');
      return await authenticate({ ...parsed.data, ip });
    } catch (error) {
      throw new Error(reasonOf(error));
    }
  },
});

/** Whether the provider vouches that the address belongs to the person. */
function vouchesForAddress(provider: string, profile: object | undefined): boolean {
  const address = profile && 'email' in profile ? profile.email : null;
  // Of other characters, some are those of another address in lower case, such as the sign of the kelvin.
  if (typeof address !== 'string' || !/^[\x21-\x7e]+$/.test(address)) return false;
  if (provider === 'google') return (profile as GoogleProfile).email_verified === true;
  if (provider === 'discord') return (profile as DiscordProfile).verified === true;
  // Twitch sends the address only when it is confirmed, and says so in the token when asked.
  return (profile as TwitchProfile & { email_verified?: boolean }).email_verified === true;
}

function displayName(name: string | null | undefined): string {
  const parsed = nameField.safeParse(typeof name === 'string' ? storableBeginning(name, 80) : name);
  return parsed.success ? parsed.data : 'Player';
}

function providers(): NextAuthOptions['providers'] {
  const list: NextAuthOptions['providers'] = [credentials];
  if (env.DISCORD_CLIENT_ID && env.DISCORD_CLIENT_SECRET) {
    list.push(DiscordProvider({ clientId: env.DISCORD_CLIENT_ID, clientSecret: env.DISCORD_CLIENT_SECRET }));
  }
  if (env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET) {
    list.push(GoogleProvider({ clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET }));
  }
  if (env.TWITCH_CLIENT_ID && env.TWITCH_CLIENT_SECRET) {
    const claims = { id_token: { email: null, email_verified: null, preferred_username: null } };
    list.push(
      TwitchProvider({
        clientId: env.TWITCH_CLIENT_ID,
        clientSecret: env.TWITCH_CLIENT_SECRET,
        authorization: { params: { scope: 'openid user:read:email', claims: JSON.stringify(claims) } },
      }),
    );
  }
  return list;
}

/** Characters, escaped, of the address to go on to after sign-in: it is sent back in a cookie and in the header of a redirect. */
const maxEscapedTarget = 1_000;

/** How people sign in on the pages: the session is a signed cookie that dies with the user's session version. */
export const authOptions: NextAuthOptions = {
  secret: env.AUTH_SECRET,
  session: { strategy: 'jwt', maxAge: lifetimes.session / second },
  jwt: { decode: decodeCookie },
  useSecureCookies: secureCookies,
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: providers(),
  callbacks: {
    // The default one throws where this is no address.
    redirect({ url, baseUrl }) {
      const target = typeof url === 'string' && URL.canParse(url, baseUrl) ? new URL(url, baseUrl) : null;
      const isOurs = target?.origin === baseUrl && encodeURIComponent(target.href).length <= maxEscapedTarget;
      return isOurs ? target.href : baseUrl;
    },
    async signIn({ account, profile, user }) {
      if (account?.type !== 'oauth') return true;
      try {
        const ip = addressOfCaller(null);
        await forgiveProviderSignIn(ip);
        await userForProvider({
          provider: account.provider,
          providerAccountId: account.providerAccountId,
          email: user.email ?? null,
          emailVerified: vouchesForAddress(account.provider, profile),
          name: displayName(user.name),
          ip,
        });
        return true;
      } catch (error) {
        const reason = reasonOf(error);
        return `/sign-in?error=${reason === 'INVALID_CREDENTIALS' ? 'EMAIL_NOT_CONFIRMED' : reason}`;
      }
    },
    async jwt({ token, user, account }) {
      // next-auth signs a session anew whenever it is asked for, and with it the time from which it would be valid.
      if (!account) return { ...token, since: token.since ?? token.iat };
      const since = Math.floor(Date.now() / second);
      if (account.type !== 'oauth') {
        return { sub: user.id, sv: 'sessionVersion' in user ? user.sessionVersion : undefined, since };
      }
      const { provider, providerAccountId } = account;
      const linked = await db.account.findUniqueOrThrow({
        where: { provider_providerAccountId: { provider, providerAccountId } },
        select: { user: { select: { id: true, sessionVersion: true } } },
      });
      return { sub: linked.user.id, sv: linked.user.sessionVersion, since };
    },
    session({ session }) {
      return { expires: session.expires };
    },
  },
  logger: {
    error(code, detail) {
      // Anyone can send a session cookie that is not ours, or has expired, as often as they like.
      const level = code === 'JWT_SESSION_ERROR' ? 'debug' : 'error';
      logger[level]({ code, err: detail instanceof Error ? detail : undefined }, 'next-auth');
    },
    warn: (code) => logger.warn({ code }, 'next-auth'),
    debug: () => undefined,
  },
};

type AuthHandler = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;

function plain(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store', ...headers },
  });
}

/** next-auth refuses an address to go on to with 500, in a cookie too. */
function isAddress(text: string): boolean {
  const base = text.startsWith('/') ? publicUrl : undefined;
  return URL.canParse(text, base) && /^https?:$/.test(new URL(text, base).protocol);
}

/**
 * Sends a browser back in whose network too many sign-ins with Discord, Google or Twitch have failed. Beginning one counts too, because
 * next-auth asks the provider for its addresses each time.
 */
async function refusalOfProvider(request: Request, [action, provider]: readonly string[]): Promise<Response | null> {
  const begins = action === 'signin' && request.method === 'POST' && provider !== undefined;
  if ((!begins && action !== 'callback') || provider === 'credentials') return null;
  try {
    await countProviderSignIn(begins ? 'signin' : 'callback', addressOfCaller(request.headers.get('x-forwarded-for')));
    return null;
  } catch (error) {
    const url = `/sign-in?error=${reasonOf(error)}`;
    const headers = { 'Cache-Control': 'no-store' };
    // The button of the page asks where to go on by script.
    if (begins) return Response.json({ url }, { status: describeError(error).status, headers });
    return new Response(null, { status: 302, headers: { Location: url, ...headers } });
  }
}

/** What next-auth would take for a failure of ours, and is one of the caller. */
async function refusalOf(request: Request, path: readonly string[]): Promise<Response | null> {
  const [action, provider] = path;
  // Anyone could write into our log by it.
  if (action === '_log') return new Response(null, { status: 204 });
  if (action === 'callback' && provider === 'credentials' && request.method !== 'POST') {
    return plain(405, 'Send the password with POST.', { Allow: 'POST' });
  }
  const { searchParams } = new URL(request.url);
  // next-auth passes them on to the provider, in an address that goes back in a header.
  if (action === 'signin' && provider !== undefined && request.method === 'POST' && searchParams.size > 0) {
    return plain(400, 'This address takes no parameters.');
  }
  // It goes into the address of the page that says so, as it is, and into our log.
  const inAddress = [...path, ...searchParams.getAll('error')];
  if (!inAddress.every((text) => /^[\x20-\x7e]{0,100}$/.test(text))) return plain(400, 'This address is not valid.');
  const asked = searchParams.getAll('callbackUrl');
  if (asked.some((text) => text !== '' && !isAddress(text))) return plain(400, 'callbackUrl is not an address.');
  const name = `${secureCookies ? '__Secure-' : ''}next-auth.callback-url`;
  const kept = cookiesOf(request.headers.get('cookie') ?? '')[name];
  if (kept !== undefined && !isAddress(decodedOr(kept, ''))) {
    const forget = `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secureCookies ? '; Secure' : ''}`;
    return plain(400, 'A cookie is not valid. It is removed now; try again.', { 'Set-Cookie': forget });
  }
  // next-auth's client says of requests without a body, too, that they are JSON.
  if (request.method === 'POST' && request.headers.get('content-type')?.includes('application/json')) {
    const body: unknown = await request
      .clone()
      .json()
      .catch(() => undefined);
    if (typeof body !== 'object' || body === null) return plain(400, 'The body is not a JSON object.');
  }
  return null;
}

function decodedOr(text: string, otherwise: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return otherwise;
  }
}

/**
 * next-auth's handler, which answers with 4xx what is wrong with a request, and with 503 while the database cannot be
 * reached.
 */
export function guardAuth(handler: AuthHandler): AuthHandler {
  return async (request, context) => {
    const path = (await context.params).nextauth;
    const refusal = (await refusalOf(request, path)) ?? (await refusalOfProvider(request, path));
    if (refusal) return refusal;
    try {
      return await handler(request, context);
    } catch (error) {
      // The body of a form never becomes whole then.
      if (callerStore.getStore()?.signal.aborted) return new Response(null, { status: unreadStatus });
      const { status, message } = describeError(error);
      logger.error({ err: error }, 'web sign-in failed');
      return plain(status, message);
    }
  };
}
