import { inngestHandler } from '@/inngest/index';
import { startHandOver } from '@/inngest/registration';
import { startServer } from '@/server/http/server';

/** A process that works with an Inngest server as the product does, without pages, for tests that kill it. */
const port = Number(process.env.PORT);
const server = await startServer({ port, host: '127.0.0.1', withNext: false, inngest: inngestHandler });
startHandOver(server.url);
process.stdout.write('ready\n');
