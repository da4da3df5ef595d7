import type { NextAuthOptions } from 'next-auth';
import CredentialsProvider from 'next-auth/providers/credentials';
import DiscordProvider, { type DiscordProfile } from 'next-auth/providers/discord';
import GoogleProvider, { type GoogleProfile } from 'next-auth/providers/google';
import TwitchProvider, { type TwitchProfile } from 'next-auth/providers/twitch';
import { nameField, signInForm } from '@/domain/accounts/forms';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { second } from '@/domain/time/durations';
import { env } from '@/env';
import { secureCookies } from '@/server/auth/session';
import { db } from '@/server/db';
import { describeError } from '@/server/errors';
import { callerAddress, callerStore } from '@/server/http/caller-address';
import { logger } from '@/server/logger';
import { authenticate, userForProvider } from '@/server/routers/auth/data';

/** The reason code as the sign-in page reads it from `?error=`; what is not a refusal says nothing else. */
function reasonOf(error: unknown): string {
  const { reason, status } = describeError(error);
  if (status >= 500) logger.error({ err: error }, 'web sign-in failed');
  return reason;
}

const credentials = CredentialsProvider({
  credentials: { email: {}, password: {} },
  async authorize(input, request) {
    const parsed = signInForm.safeParse(input);
    if (!parsed.success) throw new Error('INVALID_CREDENTIALS');
    const ip = callerStore.getStore() ?? callerAddress(request.headers?.['x-forwarded-for'], undefined);
    try {
      return await authenticate({ ...parsed.data, ip });
    } catch (error) {
      throw new Error(reasonOf(error));
    }
  },
});

/** Whether the provider vouches that the address belongs to the person. */
function vouchesForAddress(provider: string, profile: object | undefined): boolean {
  if (!profile) return false;
  if (provider === 'google') return (profile as GoogleProfile).email_verified === true;
  if (provider === 'discord') return (profile as DiscordProfile).verified === true;
  // Twitch sends the address only when it is confirmed, and says so in the token when asked.
  return (profile as TwitchProfile & { email_verified?: boolean }).email_verified === true;
}

function displayName(name: string | null | undefined): string {
  const parsed = nameField.safeParse(name?.slice(0, 80));
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

/** How people sign in on the pages: the session is a signed cookie that dies with the user's session version. */
export const authOptions: NextAuthOptions = {
  secret: env.AUTH_SECRET,
  session: { strategy: 'jwt', maxAge: lifetimes.session / second },
  useSecureCookies: secureCookies,
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: providers(),
  callbacks: {
    async signIn({ account, profile, user }) {
      if (account?.type !== 'oauth') return true;
      try {
        await userForProvider({
          provider: account.provider,
          providerAccountId: account.providerAccountId,
          email: user.email ?? null,
          emailVerified: vouchesForAddress(account.provider, profile),
          name: displayName(user.name),
        });
        return true;
      } catch (error) {
        const reason = reasonOf(error);
        return `/sign-in?error=${reason === 'INVALID_CREDENTIALS' ? 'EMAIL_NOT_CONFIRMED' : reason}`;
      }
    },
    async jwt({ token, user, account }) {
      if (!account) return token;
      if (account.type !== 'oauth') {
        return { sub: user.id, sv: 'sessionVersion' in user ? user.sessionVersion : undefined };
      }
      const { provider, providerAccountId } = account;
      const linked = await db.account.findUniqueOrThrow({
        where: { provider_providerAccountId: { provider, providerAccountId } },
        select: { user: { select: { id: true, sessionVersion: true } } },
      });
      return { sub: linked.user.id, sv: linked.user.sessionVersion };
    },
    session({ session }) {
      return { expires: session.expires };
    },
  },
  logger: {
    error: (code, detail) => logger.error({ code, err: detail instanceof Error ? detail : undefined }, 'next-auth'),
    warn: (code) => logger.warn({ code }, 'next-auth'),
    debug: () => undefined,
  },
};
