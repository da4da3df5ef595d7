import { createHmac } from 'node:crypto';
import { env } from '@/env';
import { inngestPath } from '@/inngest/index';
import { relayedJobs } from '@/inngest/relayed-jobs';
import { startDelivery } from '@/server/delivery/deliver';
import { type RelayOptions, startRelay } from '@/server/events/relay';
import { logger } from '@/server/logger';

const firstRetryMs = 500;
const maxRetryMs = 10_000;

/** The signature of a request of ours to ourselves, as the Inngest server would sign it. */
function sign(body: string): string {
  const seconds = Math.floor(Date.now() / 1_000).toString();
  const key = (env.INNGEST_SIGNING_KEY ?? '').replace(/^signkey-\w+-/, '');
  return `t=${seconds}&s=${createHmac('sha256', key).update(body).update(seconds).digest('hex')}`;
}

/** Has the server behind `origin` register its functions. @throws Error with the reason, when it could not */
async function register(origin: string): Promise<{ modified: boolean }> {
  const response = await fetch(`${origin}${inngestPath}`, {
    method: 'PUT',
    headers: env.INNGEST_SIGNING_KEY ? { 'x-inngest-signature': sign('') } : {},
    signal: AbortSignal.timeout(15_000),
  });
  const said = (await response.json()) as { message?: string; modified?: boolean };
  if (!response.ok) throw new Error(said.message ?? `status ${response.status}`);
  return { modified: said.modified ?? false };
}

type Registration = {
  /** Resolves when the functions are registered for the first time; not before, however long the server is away. */
  done: Promise<void>;
  stop: () => void;
};

/**
 * Registers the functions with the Inngest server, and keeps them registered. A server learns of functions that changed
 * only in this way, and one that runs none of them would accept events and forget them.
 * @param origin where this process listens
 */
function startRegistration(origin: string, refreshMs: number): Registration {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failures = 0;
  let first: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    first = resolve;
  });

  async function run(): Promise<void> {
    let wait = refreshMs;
    try {
      const { modified } = await register(origin);
      if (modified || failures > 0) logger.info({ modified }, 'functions registered with the Inngest server');
      failures = 0;
      first();
    } catch (error) {
      wait = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
      failures += 1;
      logger.warn({ err: error, retryInMs: wait }, 'the Inngest server does not take the functions; trying again');
    }
    if (!stopped) timer = setTimeout(() => void run(), wait).unref();
  }

  void run();
  return {
    done,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

export type HandOverOptions = Partial<Pick<RelayOptions, 'patienceMs' | 'everyMs'>> & {
  /**
   * Between two registrations: a server may restart without what it knew, and does not ask again. Each costs one
   * request.
   */
  refreshMs?: number;
};

export type HandOver = {
  /** Resolves when the functions are registered, and events are handed over from then on. */
  ready: Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Hands events to the Inngest server and has it carry the sending of webhooks, from when it knows what to do with them.
 * @param origin where this process listens
 */
export function startHandOver(origin: string, { refreshMs = 30_000, ...pace }: HandOverOptions = {}): HandOver {
  const registration = startRegistration(origin, refreshMs);
  let parts: { stop: () => Promise<void> }[] = [];
  let stopped = false;
  const ready = registration.done.then(() => {
    if (stopped) return;
    const relay = startRelay({ jobs: relayedJobs, logger: logger.child({ part: 'relay' }), ...pace });
    parts = [relay, startDelivery({ logger: logger.child({ part: 'delivery' }) })];
  });
  return {
    ready,
    async stop() {
      stopped = true;
      registration.stop();
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
