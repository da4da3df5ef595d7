import { Inngest } from 'inngest';
import { createLocalFetch } from '@/embedded/inngest/transport';
import { env } from '@/env';
import { logger } from '@/server/logger';

/** Whether functions run in the embedded executor, with no Inngest server. */
export const inngestIsEmbedded = env.INNGEST_EVENT_KEY === undefined && env.INNGEST_BASE_URL === undefined;

/** The output is written out by itself, several lines at a time; asked after every run, it would gather a listener for each. */
export const runLogger = Object.assign(logger.child({ part: 'inngest' }), { flush: () => undefined });
const common = { id: 'laurel', logger: runLogger, aiMetadata: false };

function databaseUrl(): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  throw new Error('DATABASE_URL is needed to store events');
}

/**
 * The client that sends events and makes functions. Without an Inngest server, events go to PostgreSQL in this process.
 * A base URL without keys is a development server.
 */
export const inngest: Inngest.Any = inngestIsEmbedded
  ? new Inngest({ ...common, isDev: true, fetch: createLocalFetch(databaseUrl) })
  : new Inngest({
      ...common,
      isDev: env.INNGEST_EVENT_KEY === undefined,
      eventKey: env.INNGEST_EVENT_KEY,
      signingKey: env.INNGEST_SIGNING_KEY,
      baseUrl: env.INNGEST_BASE_URL,
    });
