import { env } from '@/env';
import { closeDatabase } from '@/server/db';
import { startServer } from '@/server/http/server';
import { stopLive } from '@/server/live';
import { logger } from '@/server/logger';

/** What must be set before anything starts; the start script sets all of it for the embedded parts. */
function missing(): string[] {
  return (['DATABASE_URL', 'AUTH_SECRET', 'SECRETS_KEY'] as const).filter((name) => env[name] === undefined);
}

async function main(): Promise<void> {
  const unset = missing();
  if (unset.length > 0) throw new Error(`Not set: ${unset.join(', ')}. See .env.example, or run npm start.`);

  const server = await startServer({
    port: env.PORT,
    host: env.HOST,
    withNext: true,
    dev: env.NODE_ENV === 'development',
  });
  logger.info({ url: server.url }, 'listening');

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    await server.stop();
    await stopLive();
    await closeDatabase();
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'could not start');
  process.exit(1);
});
