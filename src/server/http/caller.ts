import { AsyncLocalStorage } from 'node:async_hooks';

const holder = globalThis as typeof globalThis & { laurelCaller?: AsyncLocalStorage<string> };

// Next bundles this module apart from the server's own copy; both share one store.
holder.laurelCaller ??= new AsyncLocalStorage();

/** The address of whoever asks for the page that is being answered; pages cannot see the socket. */
export const callerStore = holder.laurelCaller;
