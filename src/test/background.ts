import {
  type EmbeddedExecutor,
  type EmbeddedExecutorOptions,
  startEmbeddedExecutor,
} from '@/embedded/inngest/executor';
import { env } from '@/env';
import { functions } from '@/inngest/index';
import { startRelay } from '@/server/events/relay';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** A logger for tests whose functions fail on purpose. */
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export type Background = Pick<EmbeddedExecutor, 'idle' | 'stop'>;

/** Relay and executor as a process runs them, on this file's database; with every function by default. */
export async function startBackground(options: Partial<EmbeddedExecutorOptions> = {}): Promise<Background> {
  const connectionString = env.DATABASE_URL ?? '';
  if (!embeddedTransport) throw new Error('Unset INNGEST_*: tests run the embedded executor');
  const parts = { connectionString, client: inngest, transport: embeddedTransport, functions, logger };
  const executor = await startEmbeddedExecutor({ ...parts, ...options });
  const relay = startRelay({ logger });
  return {
    idle: () => executor.idle(),
    async stop() {
      await relay.stop();
      await executor.stop();
    },
  };
}
