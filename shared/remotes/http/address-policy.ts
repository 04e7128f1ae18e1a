import ipaddr from 'ipaddr.js';
import { type AddressCheck, checkAddress } from '../../kernel/addresses/check.ts';
import { bareHost, parseHost } from '../../kernel/addresses/hosts.ts';
import { type DestinationProfile, profiles } from '../../kernel/addresses/profiles.ts';
import { TransportError } from './transport.ts';

/** Configured exceptions for outbound connections to addresses outside of the public internet. */
export type UrlPolicy = {
  /** `ALLOWED_PRIVATE_NETWORKS`: CIDR or single addresses, IPv4 and IPv6. */
  allowedNetworks: readonly string[];
  /** `ALLOW_INSECURE_DISPATCHERS`: TLS verification may be disabled per peer. Plain HTTP is never allowed. */
  allowInsecure: boolean;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

/**
 * Validates a destination before it is saved. The addresses that the name resolves to are checked at connection time,
 * because they can change.
 */
export function checkUrl(
  text: string,
  profile: DestinationProfile,
  { allowedNetworks }: Pick<UrlPolicy, 'allowedNetworks'>,
): AddressCheck {
  const checked = checkAddress(text, profile);
  if (!checked.ok || isHostAllowed(checked.host, parseNetworks(allowedNetworks))) return checked;
  return { ok: false, detail: profiles[profile].networkDetail };
}

/**
 * Repeats the check at call time, because the row may be older than the configuration.
 * @throws TransportError `address_not_allowed`
 */
export function allowedUrl(text: string, networks: readonly Network[]): URL {
  const url = new URL(text);
  const isClean = url.protocol === 'https:' && !url.username && !url.password;
  if (!isClean || !isHostAllowed(bareHost(url.hostname), networks))
    throw new TransportError('address_not_allowed');
  return url;
}

/**
 * @param host as `bareHost` and the checks of addresses return it
 * @returns false for a literal address that is not allowed and for names of the local machine; true for other names
 */
export function isHostAllowed(host: string, networks: readonly Network[]): boolean {
  if (ipaddr.isValid(host)) return isAddressAllowed(host, networks);
  if (!isThisMachine(host)) return true;
  return isAddressAllowed('127.0.0.1', networks) || isAddressAllowed('::1', networks);
}

/**
 * The check for unencrypted connections, corresponding to `isHostAllowed`.
 * @returns true for a literal address in one of the networks; for other names true if there are any networks, because
 * the resolved address is checked at connection time
 */
export function isHostInside(host: string, networks: readonly Network[]): boolean {
  if (ipaddr.isValid(host)) return isAddressInside(host, networks);
  if (!isThisMachine(host)) return networks.length > 0;
  return isAddressInside('127.0.0.1', networks) || isAddressInside('::1', networks);
}

/** True for a public unicast address, and for an address in one of the networks. */
export function isAddressAllowed(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && (isPublic(address) || isAddressInside(text, networks));
}

/** True for an address in one of the networks. */
export function isAddressInside(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => contains(network, address));
}

const isThisMachine = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host);

/** @throws Error with the first entry that is neither a CIDR nor an address */
export function parseNetworks(entries: readonly string[]): Network[] {
  return entries.map((entry) => parseNetwork(entry.trim()));
}

/** An IPv4-mapped address is treated as IPv4, because connections go there (RFC 4291 section 2.5.5.2). */
function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
  // ipaddr.js reads the deprecated form `::1.2.3.4` as IPv4-mapped; the URL parser converts it to hexadecimal groups.
  const host = parseHost(text);
  return host === undefined ? undefined : ipaddr.process(host);
}

/** The global unicast range of IPv6 (RFC 4291). Other addresses, such as IPv4-compatible ones, are not public. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

const contains = ([base, bits]: Network, address: Address): boolean =>
  base.kind() === address.kind() && address.match(base, bits);

function parseNetwork(entry: string): Network {
  const [base = '', bits, ...rest] = entry.split('/');
  if (!isWholeAddress(base) || rest.length > 0) throw badNetwork(entry);
  const address = ipaddr.parse(base);
  const width = address.kind() === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (bits === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > width) throw badNetwork(entry);
  return [address, prefix];
}

/** IPv4 only with four decimal parts: `10.1/8` would be read as 10.0.0.1. */
const isWholeAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

const badNetwork = (entry: string): Error =>
  new Error(`"${entry}" is neither a network (CIDR) nor an address`);
