import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { env } from '@/env';

/** Who waits for a page: the caller's address, and a signal that is aborted when the browser has gone. */
type Caller = { ip: string; signal: AbortSignal };

const holder = globalThis as typeof globalThis & { laurelCaller?: AsyncLocalStorage<Caller> };

// Next bundles its own copy of this module; both copies share one store.
holder.laurelCaller ??= new AsyncLocalStorage();

/** The caller of the page that is being rendered; pages cannot see the socket. */
export const callerStore = holder.laurelCaller;

/**
 * The caller's address. Each trusted proxy appends the address it saw to X-Forwarded-For, so the entry that many
 * positions from the right is the first that no caller can fake.
 */
export function callerAddress(forwardedFor: string | undefined, peer: string | undefined): string {
  // Some proxies append the port, which differs for each connection.
  const plain = (address: string) =>
    address
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1')
      .replace(/^::ffff:(?=\d+\.)/, '');
  if (env.TRUSTED_PROXIES > 0 && forwardedFor) {
    const hops = forwardedFor.split(',').map((hop) => hop.trim());
    const hop = hops[Math.max(0, hops.length - env.TRUSTED_PROXIES)];
    if (hop) return plain(hop);
  }
  return plain(peer ?? 'unknown');
}

/** The address of who makes a request. */
export function addressOf({ headers, socket }: IncomingMessage): string {
  return callerAddress(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
}
