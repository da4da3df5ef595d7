import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRule, isPermitted } from '@/server/delivery/outbound/addresses';
import { type Resolve, resolveName } from '@/server/delivery/outbound/resolve';

/** The receiver's address is not one that requests may go to. */
export class BlockedAddressError extends Error {
  constructor(readonly address: string) {
    super(`${address} is not a public address`);
    this.name = 'BlockedAddressError';
  }
}

/** How long it took to make a connection, in milliseconds. Null: that did not take place. */
export type ConnectTimings = { dnsMs: number | null; connectMs: number | null; tlsMs: number | null };

const made = new WeakMap<object, ConnectTimings>();

/** How long this connection took to make; null from the second time on, when it is a kept one. */
export function takeConnectTimings(socket: object): ConnectTimings | null {
  const timings = made.get(socket) ?? null;
  made.delete(socket);
  return timings;
}

/** Watches a socket that begins to connect. @returns what to call when it stands */
function timeConnection(socket: unknown, secure: boolean): () => ConnectTimings {
  const started = performance.now();
  let resolved: number | null = null;
  let connected: number | null = null;
  if (socket instanceof Socket) {
    socket.once('lookup', () => {
      resolved = performance.now();
    });
    socket.once('connect', () => {
      connected = performance.now();
    });
  }
  return () => {
    const now = performance.now();
    return {
      dnsMs: resolved && rounded(resolved - started),
      connectMs: rounded((connected ?? now) - (resolved ?? started)),
      tlsMs: secure && connected ? rounded(now - connected) : null,
    };
  };
}

/** Milliseconds to a tenth. */
export const rounded = (ms: number) => Math.round(ms * 10) / 10;

type LookupCallback = Parameters<LookupFunction>[2];

/** Connecting alone may take this long; the caller's own limit is usually shorter. */
const connectTimeoutMs = 30_000;

/**
 * An HTTP agent that reaches permitted addresses only. Literal hosts are checked before connecting, since no look-up
 * sees them; names are resolved once and refused if any answer is not permitted; the peer is checked at the end.
 * Server name, Host header and certificate checks stay those of the URL.
 */
export function createGuardedAgent(rule: AddressRule, resolve: Resolve = resolveName): Agent {
  function connectorFor(protocol: 'http:' | 'https:') {
    const lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => {
      resolve(hostname).then(
        (answers: LookupAddress[]) => {
          const blocked = answers.find(({ address }) => !isPermitted(address, protocol, rule));
          if (blocked) return callback(new BlockedAddressError(blocked.address), '', 0);
          const [first] = answers;
          if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
          if (options.all) callback(null, answers);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
    };
    return buildConnector({ lookup, timeout: connectTimeoutMs, allowH2: false });
  }

  const connectors = { 'http:': connectorFor('http:'), 'https:': connectorFor('https:') };

  const connect: buildConnector.connector = (options, callback) => {
    const protocol = options.protocol === 'http:' ? 'http:' : 'https:';
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !isPermitted(host, protocol, rule)) {
      callback(new BlockedAddressError(host), null);
      return;
    }
    let timings: (() => ConnectTimings) | null = null;
    const connecting: unknown = connectors[protocol](options, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      if (timings) made.set(socket, timings());
      const peer = socket.remoteAddress ?? 'unknown';
      if (isPermitted(peer, protocol, rule)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new BlockedAddressError(peer), null);
    });
    timings = timeConnection(connecting, protocol === 'https:');
  };

  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 4_000, maxHeaderSize: 16_384 });
}
