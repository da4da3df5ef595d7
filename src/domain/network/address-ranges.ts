import ipaddr from 'ipaddr.js';

/**
 * Whether the list has the address or a range that contains it. An IPv4 address mapped to IPv6 counts as IPv4. Text that is
 * not an address is in no list.
 */
export function isListed(list: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return list.some((entry) => {
    const [base, bits] = entry.includes('/') ? ipaddr.parseCIDR(entry) : [ipaddr.process(entry), null];
    if (base.kind() !== caller.kind()) return false;
    return bits === null ? base.toString() === caller.toString() : caller.match(base, bits);
  });
}

const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const usualIPv4 = new RegExp(`^(${byte}\\.){3}${byte}$`);

const prefixOfIPv4 = (address: string, bits: 24 | 32): string =>
  bits === 32 ? address : `${address.slice(0, address.lastIndexOf('.'))}/${bits}`;

function prefixOf(address: string, bits: 48 | 64, bitsOfIPv4: 24 | 32 = 32): string {
  // Each connection asks several times, and to parse the text takes twenty times as long.
  if (usualIPv4.test(address)) return prefixOfIPv4(address, bitsOfIPv4);
  if (!ipaddr.isValid(address)) return address;
  const caller = ipaddr.process(address);
  if (caller.kind() === 'ipv4') return prefixOfIPv4(caller.toString(), bitsOfIPv4);
  return `${caller
    .toByteArray()
    .slice(0, bits / 8)
    .join('.')}/${bits}`;
}

/**
 * The network to count an address as, for rate limits: an IPv4 address, or the first 64 bits of an IPv6 address, since one
 * person usually has all addresses of such a network. Text that is not an address is returned as it is.
 */
export function networkOf(address: string): string {
  return prefixOf(address, 64);
}

/**
 * The same for what one person must not do from several networks: the first 48 bits of an IPv6 address, which is as
 * much as a subscriber gets (RFC 6177).
 */
export function siteOf(address: string): string {
  return prefixOf(address, 48);
}

/**
 * The block of addresses to count one as where callers share what the process has: the first 24 bits of an IPv4 address, 48 of
 * an IPv6 address. One person can rent all of it, and send from each address of it.
 */
export function blockOf(address: string): string {
  return prefixOf(address, 48, 24);
}

/** The block of an address, the site in it and the network in that, which take turns. */
export function stepsOf(address: string): [block: string, site: string, network: string] {
  return [blockOf(address), siteOf(address), networkOf(address)];
}

/** Whose turn a request from an address takes. */
export function turnOf(address: string): { owner: string; caller: string[] } {
  const [owner, ...caller] = stepsOf(address);
  return { owner, caller };
}

/** The block of an address, and the site in it. */
export function originOf(address: string): [block: string, site: string] {
  return [blockOf(address), siteOf(address)];
}
