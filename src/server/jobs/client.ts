import { type GetStepTools, Inngest } from 'inngest';
import { withDeadline } from '@/domain/time/deadline';
import { env } from '@/env';
import { createEmbeddedTransport, type EmbeddedTransport } from '@/server/jobs/embedded/transport';
import { createServerConnection } from '@/server/jobs/server-connection';
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

/** The Inngest server that runs the functions; null with the embedded executor. */
export const inngestServer = embeddedTransport ? null : createServerConnection();

/** The client that sends events and creates functions. A base URL without keys is a development server. */
export const inngest: Inngest.Any = embeddedTransport
  ? new Inngest({ ...common, isDev: true, fetch: embeddedTransport.fetch })
  : new Inngest({
      ...common,
      fetch: inngestServer?.fetch,
      isDev: env.INNGEST_EVENT_KEY === undefined,
      eventKey: env.INNGEST_EVENT_KEY,
      signingKey: env.INNGEST_SIGNING_KEY,
      baseUrl: env.INNGEST_BASE_URL,
    });

/** Longest wait of a caller for an Inngest server. */
const patienceMs = 300;

/**
 * Sends events after the commit that made them necessary. The database holds what is to be done, and the relay sends again
 * what was lost, so the change has succeeded whatever becomes of this: a failure is logged, and a server that is slow or did
 * not respond the last time is not waited for.
 */
export async function sendAfterCommit(events: Parameters<Inngest.Any['send']>[0]): Promise<void> {
  const waits = inngestServer === null || inngestServer.reachable();
  const sent = inngest.send(events).catch((error: unknown) => {
    logger.warn({ err: error }, 'events could not be sent to the functions; the relay sends them again');
  });
  if (!waits) return;
  if (inngestServer === null) return void (await sent);
  await withDeadline(sent, patienceMs, 'the Inngest server has not responded yet').catch(() => undefined);
}

/** The `step` of a function, for logic that lies outside of `src/inngest`. */
export type JobStep = GetStepTools<typeof inngest>;
