import ipaddr from 'ipaddr.js';
import type { Invocation } from '../invocation.ts';

export type Peer = {
  /** The address of the socket's other end. */
  address: string | undefined;
  isEncrypted: boolean;
  forwardedFor: string | undefined;
  forwardedProto: string | undefined;
};

/**
 * Who sent a request. With `trustProxy` hops that many entries of `X-Forwarded-*` from the right were written by our
 * own proxies; a header with fewer entries did not come through all of them and is not believed.
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
    // Behind a proxy the socket is the proxy's; whether plain HTTP will do is a matter of the client.
    loopback: ipaddr.parse(ip).range() === 'loopback',
  };
}

/** The text form of an address, an IPv4-mapped one as IPv4; absent when it is none. */
function normalised(address: string): string | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;
}

const entryOf = (header: string | undefined, fromRight: number): string | undefined =>
  header?.split(',').at(-fromRight)?.trim();

/** Most proxies replace the protocol and do not append to it, so that one entry stands for all hops. */
const onlyEntry = (header: string | undefined): string | undefined =>
  header?.includes(',') ? undefined : header?.trim();

/** Some proxies write `1.2.3.4:567` or `[::1]:567`. */
const withoutPort = (entry: string): string =>
  entry.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
