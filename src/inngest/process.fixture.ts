import { inngestHandler } from '@/inngest/index';
import { type HandOverOptions, startHandOver } from '@/inngest/registration';
import { startServer } from '@/server/http/server';
import { inngestServer } from '@/server/jobs/client';

/** A process that works with an Inngest server as the product does, without pages, for tests that kill it. */
const port = Number(process.env.PORT);
const options = JSON.parse(process.argv[2] ?? '{}') as HandOverOptions;
const server = await startServer({
  port,
  host: '127.0.0.1',
  withNext: false,
  inngest: inngestHandler,
  dispensable: {
    inngest: async () => {
      if (!inngestServer?.reachable()) throw new Error('The Inngest server does not respond');
    },
  },
});
startHandOver(server.url, options);
process.stdout.write('ready\n');
