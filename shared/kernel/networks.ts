import ipaddr from 'ipaddr.js';

/** The network an attempt counts for: the IPv4 address, or the /64 that one subscriber has of IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().map((byte, at) => (at < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(prefix).toString()}/64`;
}
