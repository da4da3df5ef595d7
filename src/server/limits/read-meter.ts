import { AsyncLocalStorage } from 'node:async_hooks';

/** Bytes that the database has sent for some work so far. */
export type ReadMeter = { bytes: number };

const holder = globalThis as typeof globalThis & { laurelReadMeters?: AsyncLocalStorage<ReadMeter> };

// Next bundles its own copy of this module; both copies share one store.
holder.laurelReadMeters ??= new AsyncLocalStorage();
const meters = holder.laurelReadMeters;

/** The meter of the work that is being done, if it has one: connections of the database count in it what they are sent. */
export const meterInUse = (): ReadMeter | undefined => meters.getStore();

/**
 * Does some work.
 * @param onEnd gets what it took, also when it fails
 */
export async function metered<Result>(
  work: () => Promise<Result>,
  onEnd: (meter: Readonly<ReadMeter>) => void,
): Promise<Result> {
  const meter = { bytes: 0 };
  try {
    // A statement of Prisma begins when it is awaited, which has to be here.
    return await meters.run(meter, async () => await work());
  } finally {
    onEnd(meter);
  }
}
