import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the list or lies in a range of it. An IPv4 address that came mapped into IPv6 counts as
 * what it is; text that is no address is in no list.
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

/**
 * The network that an address is counted as: of IPv6 its first 64 bits, since whoever has one address has all of those.
 * Text that is no address stays as it is.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const caller = ipaddr.process(address);
  return caller.kind() === 'ipv4' ? caller.toString() : `${caller.toByteArray().slice(0, 8).join('.')}/64`;
}
