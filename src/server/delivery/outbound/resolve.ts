import { lookup } from 'node:dns/promises';

/** All addresses of a name. @throws Error with a resolver's code */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/**
 * Node resolves names in a pool of four threads that file access and password hashing share. Names may use two of them, and
 * names that were slow before one more, so that a name server that hangs delays nothing else for long.
 */
const concurrency = { normal: 2, slow: 1 };
const slowMs = 1_000;
const maxSlowNames = 1_000;

/** Runs at most `width` tasks at a time, the others in order. */
function limitConcurrency(width: number) {
  const waiting: (() => void)[] = [];
  let free = width;
  return async function run<T>(task: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Resolves names through `lookUp`, a few at a time. Concurrent calls for the same name share one look-up. */
export function createResolve(lookUp: Resolve): Resolve {
  const inFlight = new Map<string, ReturnType<Resolve>>();
  const slowNames = new Set<string>();
  const normal = limitConcurrency(concurrency.normal);
  const slow = limitConcurrency(concurrency.slow);

  async function timed(hostname: string): ReturnType<Resolve> {
    const started = performance.now();
    try {
      return await lookUp(hostname);
    } finally {
      slowNames.delete(hostname);
      if (performance.now() - started > slowMs) slowNames.add(hostname);
      const [oldest] = slowNames;
      if (slowNames.size > maxSlowNames && oldest !== undefined) slowNames.delete(oldest);
    }
  }

  return (hostname) => {
    const shared = inFlight.get(hostname);
    if (shared) return shared;
    const run = slowNames.has(hostname) ? slow : normal;
    const pending = run(() => timed(hostname)).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, pending);
    return pending;
  };
}

/** All addresses of a name, as the system resolves it. */
export const resolveName = createResolve((hostname) => lookup(hostname, { all: true, verbatim: true }));
