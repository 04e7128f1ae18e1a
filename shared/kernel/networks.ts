import ipaddr from 'ipaddr.js';

/** The network an attempt counts for: the IPv4 address, or the /64 that one subscriber has of IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = address.toByteArray().map((byte, at) => (at < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(prefix).toString()}/64`;
}

/** The twelve digits of a MAC address in lower case, however it is written; undefined for what is none. */
export function bareMac(text: string): string | undefined {
  const digits = text.replace(/[:.-]/g, '').toLowerCase();
  return /^[0-9a-f]{12}$/.test(digits) ? digits : undefined;
}
