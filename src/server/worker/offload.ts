import { Gauge } from 'prom-client';
import { registry } from '@/server/metrics';
import type { Offloading, WorkerTurn } from './thread';

type Job = (input: never) => Promise<unknown>;

/** What can be done in a worker thread, by name. */
const jobs = new Map<string, Job>();

// Next bundles its own copy of this module; both copies share the threads.
const holder = globalThis as typeof globalThis & { laurelWorker?: Offloading };

const waitingMetric = 'laurel_worker_waiting';
if (!registry.getSingleMetric(waitingMetric)) {
  new Gauge({
    name: waitingMetric,
    help: 'What waits for the worker threads: 1 for a request, more for one with a large body.',
    registers: [registry],
    collect() {
      this.set(holder.laurelWorker?.waiting ?? 0);
    },
  });
}

/** From here on worker threads do what is offloaded; without them, and in them, the caller does it. */
export function installWorker(thread: Offloading | undefined): void {
  holder.laurelWorker = thread;
}

/** Whether another thread does what is offloaded. */
export function hasWorker(): boolean {
  return holder.laurelWorker !== undefined;
}

/**
 * Work that would hold up everybody else's requests, and so is done in a worker thread. Input and result are copied
 * between the threads: plain data, and small, but for a `body` of bytes in the result, which changes hands.
 * @returns a function that takes whose turn it is, and the input; it rejects with OVERLOADED when too much waits
 */
export function offload<Input, Output>(
  name: string,
  work: (input: Input) => Promise<Output>,
): (turn: WorkerTurn, input: Input) => Promise<Output> {
  jobs.set(name, work as Job);
  return (turn, input) => {
    const thread = holder.laurelWorker;
    return thread ? (thread.run(turn, name, input) as Promise<Output>) : work(input);
  };
}

/** Does a piece of offloaded work in this thread. */
export function doJob(name: string, input: unknown): Promise<unknown> {
  const job = jobs.get(name);
  if (!job) return Promise.reject(new Error(`There is no offloaded work with the name ${name}`));
  return job(input as never);
}
