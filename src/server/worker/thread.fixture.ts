import { parentPort, threadId } from 'node:worker_threads';
import { countQuotaExceeded } from '@/server/metrics';
import { serve } from './thread';

/** A worker thread that names itself, fails, ends, or answers with bytes. */
if (parentPort) {
  serve(
    parentPort,
    async (name, input) => {
      if (name === 'fail') throw new TypeError(`cannot do ${JSON.stringify(input)}`);
      if (name === 'end') process.exit(1);
      if (name === 'count') countQuotaExceeded('projects');
      if (name === 'bytes') return { body: new TextEncoder().encode(String(input)) };
      return { threadId, input };
    },
    async () => undefined,
  );
}
