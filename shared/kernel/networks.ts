import ipaddr from 'ipaddr.js';

/** The network an attempt counts for: the IPv4 address, or the /64 that one subscriber has of IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().map((byte, at) => (at < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(prefix).toString()}/64`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The one spelling of an address that two systems may write differently: IPv4 for an IPv4-mapped one, without a zone.
 * @returns undefined for what is no address, or one of nobody (`0.0.0.0`, `::`)
 */
export function plainAddress(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address.range() === 'unspecified' ? undefined : withoutZone(address).toString();
}

/** True for an address that lies in one of the networks (CIDR). */
export function isInside(ip: string, networks: readonly string[]): boolean {
  const address = ipaddr.process(ip);
  return networks.some((network) => {
    const [base, bits] = mapped(ipaddr.parseCIDR(network));
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

const withoutZone = (address: Address): Address => ipaddr.fromByteArray(address.toByteArray());

/** A network of IPv4-mapped addresses is one of IPv4. */
function mapped([base, bits]: [Address, number]): [Address, number] {
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}
