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

function prefixOf(address: string, bits: 48 | 64): string {
  if (!ipaddr.isValid(address)) return address;
  const caller = ipaddr.process(address);
  if (caller.kind() === 'ipv4') return caller.toString();
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

/** Whose turn a request from an address takes: that of a site, whose networks take turns among themselves. */
export function turnOf(address: string): { owner: string; caller: string } {
  return { owner: siteOf(address), caller: networkOf(address) };
}
