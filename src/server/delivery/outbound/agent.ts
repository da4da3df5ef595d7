import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRule, isPermitted } from '@/server/delivery/outbound/addresses';
import { type Resolve, resolveName } from '@/server/delivery/outbound/resolve';

/** Requests may not go to this address. */
export class BlockedAddressError extends Error {
  constructor(readonly address: string) {
    super(`${address} is not a public address`);
    this.name = 'BlockedAddressError';
  }
}

/** How long the parts of a new connection took, in milliseconds; null for a part that was not necessary. */
export type ConnectTimings = { dnsMs: number | null; connectMs: number | null; tlsMs: number | null };

/** Timings of new connections, until their first request takes them. */
const newConnections = new WeakMap<object, ConnectTimings>();

/** The timings of a connection at its first request; null at later ones, which reuse it. */
export function takeConnectTimings(socket: object): ConnectTimings | null {
  const timings = newConnections.get(socket) ?? null;
  newConnections.delete(socket);
  return timings;
}

/** Times a socket that starts to connect. @returns a function to call once it is connected */
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

/** Limit for the connection alone; the caller's own limit is usually shorter. */
const connectTimeoutMs = 30_000;

/**
 * An HTTP agent that connects to permitted addresses only. Hosts that are addresses are checked before connecting,
 * since they are not looked up. Names are resolved once, and refused if any of their addresses is not permitted. The
 * peer is checked after connecting. Server name, Host header and certificate checks remain those of the URL.
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
      if (timings) newConnections.set(socket, timings());
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
