import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Resolve, resolveForCheck } from '@/server/delivery/outbound/resolve';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range such as `10.0.0.0/8`. */
export type Cidr = [Address, number];

/** @throws Error when `text` is not a range in CIDR notation */
export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text);
}

/** Public IPv4 addresses that reach the host's own services inside a cloud: Azure's platform endpoint. */
const cloudPlatformAddresses = new Set(['168.63.129.16']);
/** IPv6 addresses that contain an IPv4 address. */
const ipv4Compatible = parseCidr('::/96');

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

/** Whether requests may go to an address, with or without brackets. They may not go to anything that is not an address. */
export function isPermitted(text: string, protocol: string, rule: AddressRule): boolean {
  const bare = text.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return false;
  const raw = ipaddr.parse(bare);
  const address = ipaddr.process(bare);
  if (within(address, rule.allowed)) return true;
  if (protocol === 'http:' && !rule.httpAnywhere) return false;
  if (raw.kind() === 'ipv6' && within(raw, [ipv4Compatible])) return false;
  return address.range() === 'unicast' && !cloudPlatformAddresses.has(address.toString());
}

/** Why requests may not go to a URL. */
export type UrlProblem = {
  code: 'syntax' | 'scheme' | 'credentials' | 'dns' | 'blocked' | 'insecure';
  message: string;
};

/**
 * Checks whether requests may go to a URL: its form, and every address that its host resolves to now. The addresses are
 * checked again at each connection.
 * @returns null when they may
 */
export async function checkUrl(
  text: string,
  rule: AddressRule,
  resolve: Resolve = resolveForCheck,
): Promise<UrlProblem | null> {
  // The parser drops these characters, so that the stored URL would differ from the one that was reviewed.
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) {
    return { code: 'syntax', message: 'This is not a complete URL, such as https://example.com/webhooks.' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { code: 'scheme', message: 'The URL must start with https:// (or http:// outside production).' };
  }
  if (url.username || url.password) {
    return { code: 'credentials', message: 'The URL must not contain a user name or password.' };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await addressesOf(host, resolve);
  if (addresses.length === 0) {
    return { code: 'dns', message: `The host name ${host} does not resolve. Check the spelling and its DNS records.` };
  }
  if (addresses.every((address) => isPermitted(address, url.protocol, rule))) return null;
  if (url.protocol === 'http:' && addresses.every((address) => isPermitted(address, 'https:', rule))) {
    return { code: 'insecure', message: 'Plain http is not allowed here. Use https.' };
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
