import { type AuthUser, resolveBearer } from '@/server/auth';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Actor, Origin } from '@/server/events';
import { logger } from '@/server/logger';

/** What a transport (REST, tRPC, a page rendered on the server, a test) says about its request. */
export type RequestFacts = {
  requestId: string;
  /** The caller's address, after trusted proxies. */
  ip: string;
  transport: 'rest' | 'trpc' | 'server';
  /** Value of `Authorization`, if any. */
  authorization?: string;
  /** Value of `X-API-Key`, if any. */
  apiKey?: string;
  /** Value of `If-Match`, if any. */
  ifMatch?: string;
  /** The user of a verified web session; never set on REST. */
  sessionUser?: () => Promise<AuthUser | null>;
  /** Adds a header to the answer. */
  setHeader: (name: string, value: string) => void;
  signal?: AbortSignal;
};

export type Context = ReturnType<typeof createContext>;

/** Everything a procedure may use. The user is looked up at first need, once. */
export function createContext(facts: RequestFacts) {
  let user: Promise<AuthUser | null> | undefined;

  async function lookUp(): Promise<AuthUser | null> {
    if (facts.authorization) {
      const token = /^Bearer +(\S+)$/i.exec(facts.authorization)?.[1];
      const found = token ? await resolveBearer(token) : null;
      if (!found) throw refuse('INVALID_ACCESS_TOKEN');
      return found;
    }
    return (await facts.sessionUser?.()) ?? null;
  }

  return {
    ...facts,
    db,
    log: logger.child({ requestId: facts.requestId }),
    /** The signed-in user or null. A credential that is sent and not valid is refused with 401, never ignored. */
    user(): Promise<AuthUser | null> {
      user ??= lookUp();
      return user;
    },
    origin(actor: Actor): Origin {
      return { actor, requestId: facts.requestId };
    },
  };
}
