import ipaddr from 'ipaddr.js';
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
  const address = normalised(peer.address ?? '') ?? '0.0.0.0';
  const forwarded = trustProxy > 0 ? entryOf(peer.forwardedFor, trustProxy) : undefined;
  const proto =
    trustProxy > 0 ? (entryOf(peer.forwardedProto, trustProxy) ?? onlyEntry(peer.forwardedProto)) : undefined;
  const ip = normalised(withoutPort(forwarded ?? '')) ?? address;
  return {
    ip,
    secure: peer.isEncrypted || proto?.toLowerCase() === 'https',
    // Behind a proxy the socket belongs to the proxy, so the check uses the client address.
    loopback: ipaddr.parse(ip).range() === 'loopback',
  };
}

/** The canonical form of an address, with IPv4-mapped addresses as IPv4; undefined if it is invalid. */
function normalised(address: string): string | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;
}

const entryOf = (header: string | undefined, fromRight: number): string | undefined =>
  header?.split(',').at(-fromRight)?.trim();

/** Most proxies replace the protocol header instead of appending to it, so a single entry applies to all hops. */
const onlyEntry = (header: string | undefined): string | undefined =>
  header?.includes(',') ? undefined : header?.trim();

/** Some proxies add a port: `1.2.3.4:567` or `[::1]:567`. */
const withoutPort = (entry: string): string =>
  entry.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
