import ipaddr from 'ipaddr.js';
import { RecentMap } from '../../kernel/concurrency/recent-map.ts';
import type { Invocation } from '../invocation.ts';

export type Peer = {
  /** The remote address of the socket. */
  address: string | undefined;
  isEncrypted: boolean;
  forwardedFor: string | undefined;
  forwardedProto: string | undefined;
};

/**
 * Determines the client of a request. With `trustProxy` hops, that many entries of `X-Forwarded-*` from the right
 * were written by trusted proxies. A header with fewer entries did not pass all of them and is ignored.
 */
export function clientOf(peer: Peer, trustProxy: number): Invocation['client'] {
  const address = addressOf(peer.address ?? '') ?? unknownAddress;
  const forwarded = trustProxy > 0 ? entryOf(peer.forwardedFor, trustProxy) : undefined;
  const proto =
    trustProxy > 0 ? (entryOf(peer.forwardedProto, trustProxy) ?? onlyEntry(peer.forwardedProto)) : undefined;
  // Behind a proxy the socket belongs to the proxy, so the client address decides whether it is a loopback address.
  const client = (forwarded === undefined ? undefined : addressOf(withoutPort(forwarded))) ?? address;
  return { ...client, secure: peer.isEncrypted || proto?.toLowerCase() === 'https' };
}

type Address = Pick<Invocation['client'], 'ip' | 'loopback'>;

const unknownAddress: Address = { ip: '0.0.0.0', loopback: false };
/** Clients send many requests; the text of their addresses is parsed once. */
const addresses = new RecentMap<string, Address>(2_000);

/** The canonical form of an address, with IPv4-mapped addresses as IPv4; undefined if it is invalid. */
function addressOf(text: string): Address | undefined {
  const known = addresses.get(text);
  if (known || !ipaddr.isValid(text)) return known;
  const parsed = ipaddr.process(text);
  const address = { ip: parsed.toString(), loopback: parsed.range() === 'loopback' };
  addresses.set(text, address);
  return address;
}

const entryOf = (header: string | undefined, fromRight: number): string | undefined =>
  header?.split(',').at(-fromRight)?.trim();

/** Most proxies replace the protocol header instead of appending to it, so a single entry applies to all hops. */
const onlyEntry = (header: string | undefined): string | undefined =>
  header?.includes(',') ? undefined : header?.trim();

/** Some proxies add a port: `1.2.3.4:567` or `[::1]:567`. */
const withoutPort = (entry: string): string =>
  entry.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
