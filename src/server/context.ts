import { stepsOf } from '@/domain/network/address-ranges';
import { type EnrolledClient, resolveClient } from '@/server/auth/anti-cheat-clients';
import { type ResolvedKey, resolveApiKey } from '@/server/auth/api-keys';
import { type AuthUser, resolveBearer } from '@/server/auth/bearer';
import { isFresh, type LookedUp, SharedLookUps } from '@/server/auth/looked-up';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Actor, Origin } from '@/server/events/emit';
import { consumeKeyLimit, type RateLimitVerdict } from '@/server/limits/rate-limit';

/** What a transport (REST, tRPC, a page rendered on the server, a test) knows about its request. */
export type RequestFacts = {
  requestId: string;
  /** The caller's address, after trusted proxies. */
  ip: string;
  transport: 'rest' | 'trpc' | 'server';
  /** The `Authorization` header, if any. */
  authorization?: string;
  /** The `X-API-Key` header, if any. */
  apiKey?: string;
  /** The `If-Match` header, if any. */
  ifMatch?: string;
  /** The `Cookie` header, if it may name a web session; never set on REST. */
  cookie?: string;
  /** Reads the user of a web session; never set on REST. */
  sessionUser?: () => Promise<AuthUser | null>;
  /** Whether the request changes nothing, so that it can be dropped when it turns out to be one too many. */
  readsOnly?: boolean;
  /** Whether the request was counted against the rate limit of its key already, in another thread. */
  isCounted?: boolean;
  /** Adds a header to the response. */
  setHeader: (name: string, value: string) => void;
  signal?: AbortSignal;
  /** Counts a stream as of an account, or of the caller's network when null; or refuses it. */
  countStream?: (account: string | null) => Promise<void>;
};

export type Context = ReturnType<typeof createContext>;

/** Who asks, in the steps in which callers take turns: the account or, without one, those of the address. */
export async function callerOf({ ip, user }: Pick<Context, 'ip' | 'user'>): Promise<string[]> {
  const account = (await user())?.id;
  return account ? [account] : stepsOf(ip);
}

/** Who asks, where what is read takes turns: the block of the address, and in it the account or, without one, the network. */
export async function readerOf(ctx: Pick<Context, 'ip' | 'user'>): Promise<string[]> {
  const [block, ...network] = stepsOf(ctx.ip);
  const account = (await ctx.user())?.id;
  return [block, ...(account ? [account] : network)];
}

/** The users of live streams, by session or token. */
const usersOfStreams = new SharedLookUps<AuthUser | null>();

/**
 * What procedures use of a request. The user and the API key are looked up when first needed, and once, or again where the
 * request has waited since.
 */
export function createContext(facts: RequestFacts) {
  let user: LookedUp<AuthUser | null> | undefined;
  let key: LookedUp<ResolvedKey> | undefined;
  let client: Promise<EnrolledClient> | undefined;
  let counted: Promise<void> | undefined;

  // One by one: after a spread, every further property of an object costs Node 20 more than a microsecond.
  const { requestId, ip, transport, authorization, cookie, apiKey, ifMatch, setHeader, signal } = facts;

  const bearerToken = () => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];

  async function authenticateUser(): Promise<AuthUser | null> {
    if (authorization) {
      const token = bearerToken();
      const found = token ? await resolveBearer(token) : null;
      if (!found) throw refuse('INVALID_ACCESS_TOKEN');
      return found;
    }
    return (await facts.sessionUser?.()) ?? null;
  }

  function admit(verdict: RateLimitVerdict): void {
    setHeader('X-RateLimit-Limit', String(verdict.limit));
    setHeader('X-RateLimit-Remaining', String(verdict.remaining));
    setHeader('X-RateLimit-Reset', String(verdict.resetAt));
    if (!verdict.allowed) throw refuse('RATE_LIMITED', { retryAfter: verdict.retryAfter });
  }

  async function findKey(): Promise<ResolvedKey> {
    if (!apiKey) throw refuse('API_KEY_MISSING');
    const found = await resolveApiKey(apiKey);
    if (!found) throw refuse('API_KEY_INVALID');
    return found;
  }

  async function authenticateKey(): Promise<ResolvedKey> {
    const found = await findKey();
    if (facts.isCounted) return found;
    const verdict = consumeKeyLimit(found);
    if (!(verdict instanceof Promise)) admit(verdict);
    else if (!facts.readsOnly) admit(await verdict);
    else {
      counted = verdict.then(admit);
      // The caller that awaits it gets the refusal.
      counted.catch(() => undefined);
    }
    return found;
  }

  async function authenticateClient(): Promise<EnrolledClient> {
    const token = bearerToken();
    const found = token ? await resolveClient(token) : null;
    if (!found) throw refuse('CLIENT_TOKEN_INVALID');
    return found;
  }

  function findUser(): Promise<AuthUser | null> {
    if (!user || !isFresh(user)) user = { found: authenticateUser(), at: performance.now() };
    return user.found;
  }

  return {
    requestId,
    ip,
    transport,
    authorization,
    apiKey,
    ifMatch,
    setHeader,
    signal,
    db,
    /**
     * The signed-in user or null; a suspended account counts as signed out. An invalid credential is an error, and never
     * ignored.
     */
    async user(): Promise<AuthUser | null> {
      const found = await findUser();
      return found?.suspended ? null : found;
    },
    /** Has the user looked up again for all streams of their session or token, which can end before these: once a second. */
    recheckUser(): void {
      const { found } = usersOfStreams.find(authorization || `cookie ${cookie}`, authenticateUser);
      // Fresh until it is asked for, in the next moment.
      user = { found, at: performance.now() };
    },
    /** The signed-in user. @throws UNAUTHENTICATED, ACCOUNT_SUSPENDED */
    async requireUser(): Promise<AuthUser> {
      if (apiKey && !authorization) {
        throw refuse('UNAUTHENTICATED', { message: 'This route requires a Bearer access token, not an API key.' });
      }
      const found = await findUser();
      if (!found) throw refuse('UNAUTHENTICATED');
      if (found.suspended) throw refuse('ACCOUNT_SUSPENDED');
      return found;
    },
    /** Admits a stream, if the caller's account, or network without a session, may have one more. @throws QUOTA_EXCEEDED */
    async admitStream(): Promise<void> {
      const caller = await findUser().catch(() => null);
      // What a stranger opened who signed up with somebody's address does not count for its owner.
      const account = caller && (caller.emailVerified ? caller.id : `unconfirmed ${caller.id}`);
      await facts.countStream?.(account);
    },
    /**
     * The API key of the request, counted once against its rate limit. Sets the headers of the limit. A request that only
     * reads goes on while it is being counted, unless this process knows that the limit is reached.
     * @throws API_KEY_MISSING, API_KEY_INVALID, RATE_LIMITED
     */
    requireKey(): Promise<ResolvedKey> {
      if (!key) key = { found: authenticateKey(), at: performance.now() };
      // It was counted before.
      else if (!isFresh(key)) key = { found: key.found.then(findKey), at: performance.now() };
      return key.found;
    },
    /** Waits until a request that only reads has been counted. Nothing of it may leave before. @throws RATE_LIMITED */
    async requireCounted(): Promise<void> {
      await counted;
    },
    /** The anti-cheat client whose token came as the Bearer. @throws CLIENT_TOKEN_INVALID */
    requireClient(): Promise<EnrolledClient> {
      client ??= authenticateClient();
      return client;
    },
    origin(actor: Actor): Origin {
      return { actor, requestId };
    },
  };
}
