import { AsyncLocalStorage } from 'node:async_hooks';

/** Bytes that the database has sent for some work. */
export type ReadMeter = { bytes: number };

const holder = globalThis as typeof globalThis & { laurelReadMeters?: AsyncLocalStorage<ReadMeter> };

// Next bundles its own copy of this module; both copies share one store.
holder.laurelReadMeters ??= new AsyncLocalStorage();

/** The meter of what is being done: connections of the database count in it what they are sent. */
export const readMeters = holder.laurelReadMeters;
