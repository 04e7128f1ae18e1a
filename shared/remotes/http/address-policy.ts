import ipaddr from 'ipaddr.js';
import type { Detail } from '../../messages/message.ts';

/** Where we may go beyond the public internet, as configured. */
export type UrlPolicy = {
  /** `ALLOWED_PRIVATE_NETWORKS`: CIDR or single addresses, IPv4 and IPv6. */
  allowedNetworks: readonly string[];
  /** `ALLOW_INSECURE_DISPATCHERS`: TLS verification may be switched off per peer. It never allows plain HTTP. */
  allowInsecure: boolean;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

export type UrlCheck = { ok: true; url: URL } | { ok: false; detail: Detail };

/**
 * Judges a URL that somebody wants to save as a destination. What a name resolves to is checked where the
 * connection is made, since it can change between the two.
 */
export function checkUrl(text: string, policy: UrlPolicy): UrlCheck {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return refuse('Must be a URL');
  if (url.protocol !== 'https:' || !/^https:\/\//i.test(text))
    return refuse('The URL must begin with https://');
  if (/[\s\\]/.test(text)) return refuse('The URL must not contain spaces or backslashes');
  if (text.includes('@')) return refuse('The URL must not contain a user name or password');
  if (text.includes('#')) return refuse('The URL must not contain a fragment');
  if (url.port === '0') return refuse('Port 0 is not allowed');
  if (text.includes('?')) return refuse('The URL must not contain a query');
  if (isHostAllowed(url.hostname, parseNetworks(policy.allowedNetworks))) return { ok: true, url };
  return refuse('Private addresses must be in the networks of ALLOWED_PRIVATE_NETWORKS');
}

/**
 * @param hostname as the WHATWG URL parser gives it: every spelling of an IPv4 address is dotted decimal by then
 * @returns false for a literal that is not allowed and for names of this machine; true for every other name
 */
export function isHostAllowed(hostname: string, networks: readonly Network[]): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal)) return isAddressAllowed(literal, networks);
  if (!isThisMachine(hostname)) return true;
  return isAddressAllowed('127.0.0.1', networks) || isAddressAllowed('::1', networks);
}

/**
 * Judges a host that is spoken to without encryption, as `isHostAllowed` judges others.
 * @returns true for a literal in one of the networks; for another name while there are any, for what it resolves to
 * is only known when the connection is made
 */
export function isHostInside(hostname: string, networks: readonly Network[]): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal)) return isAddressInside(literal, networks);
  if (!isThisMachine(hostname)) return networks.length > 0;
  return isAddressInside('127.0.0.1', networks) || isAddressInside('::1', networks);
}

/** True for a public unicast address, and for any other that lies in one of the networks. */
export function isAddressAllowed(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && (isPublic(address) || isAddressInside(text, networks));
}

/** True for an address that lies in one of the networks. */
export function isAddressInside(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some((network) => contains(network, address));
}

const isThisMachine = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

/** @throws Error naming the first entry that is neither a CIDR nor an address */
export function parseNetworks(entries: readonly string[]): Network[] {
  return entries.map((entry) => parseNetwork(entry.trim()));
}

/** An IPv4-mapped address connects to the IPv4 one, so it is that one (RFC 4291 section 2.5.5.2). */
function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
  // ipaddr.js reads the old form `::1.2.3.4` as IPv4-mapped; in hexadecimal groups it cannot.
  const url = `https://[${text}]`;
  return URL.canParse(url) ? ipaddr.process(new URL(url).hostname.slice(1, -1)) : undefined;
}

const refuse = (detail: Detail): UrlCheck => ({ ok: false, detail });

/** IPv6 only hands out 2000::/3 so far (RFC 4291); what lies outside, IPv4-compatible ones included, is no peer. */
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

/** IPv4 in four decimal parts only: `10.1/8` would quietly mean 10.0.0.1. */
const isWholeAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

const badNetwork = (entry: string): Error =>
  new Error(`"${entry}" is neither a network (CIDR) nor an address`);
