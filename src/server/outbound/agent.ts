import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRule, isPermitted, type Resolve, resolveName } from '@/server/outbound/addresses';

/** The receiver's address is not one that requests may go to. */
export class BlockedAddressError extends Error {
  constructor(readonly address: string) {
    super(`${address} is not a public address`);
    this.name = 'BlockedAddressError';
  }
}

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
    connectors[protocol](options, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      const peer = socket.remoteAddress ?? 'unknown';
      if (isPermitted(peer, protocol, rule)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new BlockedAddressError(peer), null);
    });
  };

  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 4_000, maxHeaderSize: 16_384 });
}
