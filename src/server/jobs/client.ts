import { type GetStepTools, Inngest } from 'inngest';
import { env } from '@/env';
import { createEmbeddedTransport, type EmbeddedTransport } from '@/server/jobs/embedded/transport';
import { logger } from '@/server/logger';

function databaseUrl(): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  throw new Error('DATABASE_URL is needed to store events');
}

/** Stores events in PostgreSQL for the embedded executor; null where an Inngest server runs the functions. */
export const embeddedTransport: EmbeddedTransport | null =
  env.INNGEST_EVENT_KEY === undefined && env.INNGEST_BASE_URL === undefined
    ? createEmbeddedTransport(databaseUrl)
    : null;

/** The logger flushes itself, several lines at a time. Letting the SDK flush it would add a listener after each run. */
export const runLogger = Object.assign(logger.child({ part: 'inngest' }), { flush: () => undefined });

const common = { id: 'laurel', logger: runLogger, aiMetadata: false };

/** The client that sends events and creates functions. A base URL without keys is a development server. */
export const inngest: Inngest.Any = embeddedTransport
  ? new Inngest({ ...common, isDev: true, fetch: embeddedTransport.fetch })
  : new Inngest({
      ...common,
      isDev: env.INNGEST_EVENT_KEY === undefined,
      eventKey: env.INNGEST_EVENT_KEY,
      signingKey: env.INNGEST_SIGNING_KEY,
      baseUrl: env.INNGEST_BASE_URL,
    });

/** The `step` of a function, for logic that lies outside of `src/inngest`. */
export type JobStep = GetStepTools<typeof inngest>;
