import ipaddr from 'ipaddr.js';

/** The network that failed attempts are counted for: an IPv4 address, or the /64 prefix of an IPv6 subscriber. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().map((byte, at) => (at < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(prefix).toString()}/64`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Canonical form of an IP address: an IPv4-mapped address becomes IPv4, a zone is removed.
 * @returns undefined if the text is not an address, or is the unspecified address (`0.0.0.0`, `::`)
 */
export function plainAddress(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address.range() === 'unspecified' ? undefined : withoutZone(address).toString();
}

/** True if the address belongs to one of the networks (CIDR). */
export function isInside(ip: string, networks: readonly string[]): boolean {
  const address = ipaddr.process(ip);
  return networks.some((network) => {
    const [base, bits] = mapped(ipaddr.parseCIDR(network));
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

const withoutZone = (address: Address): Address => ipaddr.fromByteArray(address.toByteArray());

/** Converts a network of IPv4-mapped addresses to an IPv4 network. */
function mapped([base, bits]: [Address, number]): [Address, number] {
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}
