import { lookup } from 'node:dns/promises';

/** All addresses of a name. @throws Error with a resolver's code */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/**
 * The system resolves names in a pool of four threads, which reading files and checking passwords share. Two are for names,
 * and one for names that took long before: a name server that hangs keeps nobody else waiting for long.
 */
const lanes = { usual: 2, slow: 1 };
const slowMs = 1_000;
const slowNamesKept = 1_000;

/** Lets so many tasks run at a time, the others in order. */
function lane(width: number) {
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

/** Resolves names through `ask`, a few at a time; whoever asks for the same name meanwhile shares the answer. */
export function createResolve(ask: Resolve): Resolve {
  const underWay = new Map<string, ReturnType<Resolve>>();
  const slowNames = new Set<string>();
  const usual = lane(lanes.usual);
  const slow = lane(lanes.slow);

  async function timed(hostname: string): ReturnType<Resolve> {
    const started = performance.now();
    try {
      return await ask(hostname);
    } finally {
      slowNames.delete(hostname);
      if (performance.now() - started > slowMs) slowNames.add(hostname);
      const [oldest] = slowNames;
      if (slowNames.size > slowNamesKept && oldest !== undefined) slowNames.delete(oldest);
    }
  }

  return (hostname) => {
    const shared = underWay.get(hostname);
    if (shared) return shared;
    const run = slowNames.has(hostname) ? slow : usual;
    const asked = run(() => timed(hostname)).finally(() => underWay.delete(hostname));
    underWay.set(hostname, asked);
    return asked;
  };
}

/** All addresses of a name, as the system resolves it. */
export const resolveName = createResolve((hostname) => lookup(hostname, { all: true, verbatim: true }));
