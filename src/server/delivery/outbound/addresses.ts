import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Resolve, resolveName } from '@/server/delivery/outbound/resolve';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range such as `10.0.0.0/8`. */
export type Cidr = [Address, number];

/** @throws Error when `text` is not a range in CIDR notation */
export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text);
}

/** IPv4 addresses that every cloud of one vendor answers on from inside, though they look public. */
const insideClouds = new Set(['168.63.129.16']);
const compatible = parseCidr('::/96');

function within(address: Address, ranges: readonly Cidr[]): boolean {
  return ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits));
}

/** What an outgoing request may reach. */
export type AddressRule = {
  /** Ranges that may be reached although they are not public. */
  allowed: readonly Cidr[];
  /** Whether plain http may go anywhere; if not, only into `allowed`. */
  httpAnywhere: boolean;
};

/** Whether an address (with or without brackets) is open to requests. Anything unreadable is not. */
export function isPermitted(text: string, protocol: string, rule: AddressRule): boolean {
  const bare = text.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return false;
  const raw = ipaddr.parse(bare);
  const address = ipaddr.process(bare);
  if (within(address, rule.allowed)) return true;
  if (protocol === 'http:' && !rule.httpAnywhere) return false;
  if (raw.kind() === 'ipv6' && within(raw, [compatible])) return false;
  return address.range() === 'unicast' && !insideClouds.has(address.toString());
}

/** Why a URL cannot be a receiver. */
export type UrlProblem = {
  code: 'syntax' | 'scheme' | 'credentials' | 'dns' | 'blocked' | 'insecure';
  message: string;
};

/**
 * Checks whether a URL may receive requests: its form, and every address that its host stands for now. The same
 * addresses are checked again at each connection.
 * @returns null when it may
 */
export async function checkUrl(
  text: string,
  rule: AddressRule,
  resolve: Resolve = resolveName,
): Promise<UrlProblem | null> {
  // The parser would quietly drop these, and the address kept would not be the one that was read.
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) {
    return { code: 'syntax', message: 'This is not a complete URL, such as https://example.com/webhooks.' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { code: 'scheme', message: 'The URL must start with https:// (or http:// outside production).' };
  }
  if (url.username || url.password) {
    return { code: 'credentials', message: 'The URL must not hold a user name or password.' };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await addressesOf(host, resolve);
  if (addresses.length === 0) {
    return { code: 'dns', message: `The name ${host} does not resolve to an address. Check its spelling and DNS.` };
  }
  if (addresses.every((address) => isPermitted(address, url.protocol, rule))) return null;
  if (url.protocol === 'http:' && addresses.every((address) => isPermitted(address, 'https:', rule))) {
    return { code: 'insecure', message: 'Plain http is not accepted here. Use https.' };
  }
  return {
    code: 'blocked',
    message: `${host} is, or resolves to, an address that is not public (local, private or reserved).`,
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  try {
    return (await resolve(host)).map(({ address }) => address);
  } catch {
    return [];
  }
}
