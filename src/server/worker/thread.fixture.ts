import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, threadId } from 'node:worker_threads';
import { countQuotaExceeded } from '@/server/metrics';
import { serve } from './thread';

let computed = 0;

/** Reads something, and computes between any two rounds of the event loop. */
async function compute(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await setImmediate();
    computed += 1;
  }
}

/** Asks for something twenty times. @returns how often others computed meanwhile */
async function change(): Promise<number> {
  const before = computed;
  for (let round = 0; round < 20; round += 1) await setImmediate();
  return computed - before;
}

/** Computes for so many milliseconds at a stretch. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** A worker thread that names itself, fails, ends, computes, or answers with bytes. */
if (parentPort) {
  serve(
    parentPort,
    async (name, input) => {
      if (name === 'fail') throw new TypeError(`cannot do ${JSON.stringify(input)}`);
      if (name === 'end') process.exit(1);
      if (name === 'compute') return compute();
      if (name === 'change') return change();
      if (name === 'busy') busy(Number(input));
      if (name === 'wait') await setTimeout(Number(input));
      if (name === 'silence') return new Promise(() => undefined);
      if (name === 'count') countQuotaExceeded('projects');
      if (name === 'bytes') return { body: new TextEncoder().encode(String(input)) };
      return { threadId, input };
    },
    async () => undefined,
  );
}
