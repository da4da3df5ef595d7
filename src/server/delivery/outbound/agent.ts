import type { LookupAddress, LookupOptions } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent, buildConnector, Pool } from 'undici';
import { type AddressRule, isPermitted } from '@/server/delivery/outbound/addresses';
import { BoundedTransport, keyExchange, reading, TooManyBytesError, tlsMs } from '@/server/delivery/outbound/handshake';
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

/** Times a TCP socket that starts to connect. @returns a function to call once the connection can be used */
function timeConnection(transport: Socket, secure: boolean): () => ConnectTimings {
  const started = performance.now();
  let resolved: number | null = null;
  let connected: number | null = null;
  transport.once('lookup', () => {
    resolved = performance.now();
  });
  transport.once('connect', () => {
    connected = performance.now();
  });
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

/** The TCP socket below a connection. */
const transports = new WeakMap<object, Socket>();

/** What reads such a socket. */
const readers = new WeakMap<object, BoundedTransport>();

/** How much of the time of TLS on a connection has been taken. */
const takenMs = new WeakMap<object, number>();

/**
 * How long TLS on a connection has held the process up since this was last taken, in milliseconds: for its handshake, for what
 * arrived between two requests, and for responses.
 */
export function takeHeldUpMs(connection: object): number {
  const transport = transports.get(connection);
  const allMs = transport ? tlsMs(transport) : 0;
  const heldUpMs = allMs - (takenMs.get(connection) ?? 0);
  takenMs.set(connection, allMs);
  return heldUpMs;
}

/** The address that a connection reaches. */
export const peerOf = (connection: object): string | null => transports.get(connection)?.remoteAddress ?? null;

/**
 * Bytes of one response as they arrive: head, body as far as it is read, and what HTTP and TLS allow around them without
 * limit, such as interim responses, extensions of chunks and session tickets.
 */
const maxArrivingBytes = 256 * 1024;
/**
 * Bytes that may arrive while a connection has no request: the end of TLS takes 30, and two session tickets of ordinary size 600.
 * Servers send tickets when the handshake ends, so even long ones come before the first response; where they do not, the next
 * request makes a new connection. In 1 KiB there are 55 tickets of the shortest kind, which take as long as one handshake.
 */
const maxIdleBytes = 1024;

/** What a TCP socket had received when its current request was sent, or when it had none any more. */
const countedFrom = new WeakMap<Socket, { bytes: number; isIdle: boolean }>();

function countFrom(connection: object, transport: Socket, isIdle: boolean): void {
  // What waits for its turn has been received, but belongs to what comes next.
  const bytes = readers.get(connection)?.passedOn ?? transport.bytesRead;
  countedFrom.set(transport, { bytes, isIdle });
}

/** Begins to count what arrives on a connection as the response to a new request. */
export function countResponse(connection: object): void {
  const transport = transports.get(connection);
  if (transport) countFrom(connection, transport, false);
  readers.get(connection)?.countResponse();
}

/** Notes that the final head of the response has been read. */
export const endHead = (connection: object): void => readers.get(connection)?.endHead();

/** Notes that a response has ended, and begins to count what arrives until the next request. */
export function endResponse(connection: Socket): void {
  const transport = transports.get(connection);
  if (!transport) return;
  countFrom(connection, transport, true);
  const reader = readers.get(connection);
  reader?.endResponse();
  if (reader?.isUsedUp) connection.destroy();
  else endFlood(transport, connection);
}

const arrived = (transport: Socket) => transport.bytesRead - (countedFrom.get(transport)?.bytes ?? 0);

/** Bytes that arrived on a connection since its current request was sent. */
export function arrivedOn(connection: object): number {
  const transport = transports.get(connection);
  return transport ? arrived(transport) : 0;
}

/**
 * Ends a connection on which too much arrives: to parse a flood would hold up everything else. Without a request that is not an
 * error, which would fail the requests that wait for the connection.
 * @returns whether it did
 */
function endFlood(transport: Socket, connection: Duplex): boolean {
  const isIdle = countedFrom.get(transport)?.isIdle ?? false;
  if (arrived(transport) <= (isIdle ? maxIdleBytes : maxArrivingBytes)) return false;
  connection.destroy(isIdle ? undefined : new TooManyBytesError());
  return true;
}

/** The connection that an agent has begun to make last, until it is taken. */
let begun: Socket | null = null;

/**
 * The connection that an agent began to make for a request, to be called right after the request was handed to it; null where
 * one is reused.
 */
export function takeBegunConnection(): Socket | null {
  const socket = begun;
  begun = null;
  return socket;
}

/**
 * What resets a connection while its handshake ends can have Node say first that TLS has closed and then why. undici has
 * forgotten the connection then, and would fail on what still comes with an error of its own that nobody catches.
 */
function ignoreWhatFollowsClose(connection: Socket): void {
  connection.once('close', () => {
    for (const event of ['end', 'error']) connection.removeAllListeners(event);
    connection.on('error', () => undefined);
  });
}

type Protocol = 'http:' | 'https:';
type LookupCallback = Parameters<LookupFunction>[2];

/** Limit for the connection alone; the caller's own limit is usually shorter. */
const connectTimeoutMs = 30_000;
/**
 * The origin of a URL, with connections for the requests of a project alone. A server that hosts many receivers would
 * otherwise choose by its responses to one of them what becomes of the connections of others.
 */
export const originFor = ({ origin }: URL, projectId: string | undefined): string =>
  projectId === undefined ? origin : `${origin}#${projectId}`;

/** How long a connection stays open for the next request, whatever the other side offers. */
const keepAliveTimeout = 4_000;

/**
 * An HTTP agent that connects to permitted addresses only. Hosts that are addresses are checked before connecting,
 * since they are not looked up. Names are resolved once, and refused if any of their addresses is not permitted. The
 * peer is checked after connecting. Server name, Host header and certificate checks remain those of the URL.
 */
export function createGuardedAgent(rule: AddressRule, resolve: Resolve = resolveName): Agent {
  function connectorFor(protocol: Protocol, projectId: string | null) {
    const lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => {
      resolve(hostname, projectId ?? undefined).then(
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
    const options = { lookup, timeout: connectTimeoutMs, allowH2: false };
    /** Makes a connection without TLS, whose socket is what it returns. */
    const buildPlain = (...connection: Parameters<buildConnector.connector>): unknown => {
      const onread = reading(() => socket as Socket);
      const socket: unknown = buildConnector({ ...options, onread })(...connection);
      return socket;
    };
    const build = protocol === 'https:' ? buildConnector({ ...options, ...keyExchange }) : buildPlain;
    return { protocol, projectId, lookup, build };
  }

  function connect(
    { protocol, projectId, lookup, build }: ReturnType<typeof connectorFor>,
    ...[options, callback]: Parameters<buildConnector.connector>
  ): void {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !isPermitted(host, protocol, rule)) {
      callback(new BlockedAddressError(host), null);
      return;
    }
    const port = Number(options.port || 443);
    const isSecure = protocol === 'https:';
    const bound = (transport: Socket) =>
      new BoundedTransport(transport, projectId ?? `${host}:${port}`, endFlood, isSecure);
    const tcp = (): Socket => {
      const onread = reading((): Socket => socket);
      const socket: Socket = connectTcp({ host, port, lookup, keepAlive: true, noDelay: true, onread });
      return socket;
    };
    const tls = isSecure ? bound(tcp()) : null;
    let timings: (() => ConnectTimings) | null = null;
    // TLS and undici take any stream; only their types say that it has to be a socket.
    const over = tls ? { ...options, httpSocket: tls as unknown as Socket } : options;
    const connecting: unknown = build(over, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      const transport = tls?.transport ?? socket;
      const peer = transport.remoteAddress;
      if (peer === undefined || !isPermitted(peer, protocol, rule)) {
        socket.destroy();
        // Without an address, the other side has closed it already.
        const closed = Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
        callback(peer === undefined ? closed : new BlockedAddressError(peer), null);
        return;
      }
      const reader = tls ?? bound(socket);
      const connection = tls ? socket : (reader as unknown as Socket);
      if (timings) newConnections.set(connection, timings());
      transports.set(connection, transport);
      readers.set(connection, reader);
      tls?.finishHandshake(socket);
      countFrom(connection, transport, true);
      ignoreWhatFollowsClose(connection);
      callback(null, connection);
    });
    begun = tls?.transport ?? (connecting instanceof Socket ? connecting : null);
    if (begun) timings = timeConnection(begun, isSecure);
  }

  return new Agent({
    // Some connections are made for a request that has ended, so each knows its project from the start.
    factory: (address, options) => {
      const { origin, protocol, hash } = new URL(address);
      const projectId = hash === '' ? null : hash.slice(1);
      const connector = connectorFor(protocol === 'http:' ? 'http:' : 'https:', projectId);
      return new Pool(origin, { ...options, connect: (...connection) => connect(connector, ...connection) });
    },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout,
    keepAliveMaxTimeout: keepAliveTimeout,
    maxHeaderSize: 16_384,
  });
}
