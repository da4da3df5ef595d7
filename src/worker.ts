import { parentPort } from 'node:worker_threads';
import '@/inngest/functions/matches';
import '@/server/http/rest/handler';
import '@/server/http/trpc/handler';
import '@/server/worker/link-preview';
import { closeDatabase } from '@/server/db';
import { doJob } from '@/server/worker/offload';
import { serve } from '@/server/worker/thread';

// The worker thread: the server without a port, for what would hold up everybody else's requests.
if (!parentPort) throw new Error('This is the entry of a worker thread; src/main.ts starts the process.');
serve(parentPort, doJob, closeDatabase);
