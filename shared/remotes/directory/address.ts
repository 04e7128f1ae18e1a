import type { Detail } from '../../messages/message.ts';
import { isHostAllowed, isHostInside, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';

type Peer = { hostname: string; port: string };

/** A directory server or KDC as judged: the spelling that is stored, and where it leads. */
export type DirectoryPeer = Peer & { text: string; encrypted: boolean };

/** `ldap://` or `ldaps://` with a host and perhaps a port; no user, path, query or fragment. */
export const directoryUrl = /^ldaps?:\/\/[^\s/?#@\\]+\/?$/i;
export const hostAndPort = /^[^\s/?#@\\]+:[0-9]{1,5}$/;

/** @returns undefined for a text that is no such URL */
export function parseDirectoryUrl(text: string): DirectoryPeer | undefined {
  const [scheme = '', rest = ''] = text.split('://');
  const peer = directoryUrl.test(text) ? parsePeer(rest.replace(/\/$/, '')) : undefined;
  if (!peer) return undefined;
  const encrypted = scheme.toLowerCase() === 'ldaps';
  return { ...peer, encrypted, text: `${scheme.toLowerCase()}://${spelled(peer)}` };
}

/** @returns undefined for a text that is no `host:port` */
export function parseKdc(text: string): DirectoryPeer | undefined {
  const peer = hostAndPort.test(text) ? parsePeer(text) : undefined;
  // A KDC protects what it says by itself (RFC 4120).
  return peer && { ...peer, encrypted: true, text: spelled(peer) };
}

/**
 * Judges a server that somebody wants to save. What a name resolves to is checked where the connection is made.
 * @param isEncrypted what travels there cannot be read on the way
 * @returns a sentence that says what is wrong, or undefined
 */
export function directoryFault(
  { hostname }: DirectoryPeer,
  isEncrypted: boolean,
  policy: UrlPolicy,
): Detail | undefined {
  const networks = parseNetworks(policy.allowedNetworks);
  if (!isHostAllowed(hostname, networks))
    return 'Private addresses must be in the networks of ALLOWED_PRIVATE_NETWORKS';
  if (isEncrypted || isHostInside(hostname, networks)) return undefined;
  return 'ldap:// without StartTLS is allowed only to servers in ALLOWED_PRIVATE_NETWORKS';
}

/** Only for special schemes does a URL parser read `0x7f.1` as the address that a connection would go to. */
function parsePeer(text: string): Peer | undefined {
  const [as, other] = [`http://${text}`, `https://${text}`];
  if (!URL.canParse(as) || !URL.canParse(other)) return undefined;
  const { hostname, port } = new URL(as);
  const given = port || new URL(other).port;
  return given === '0' || hostname === '' ? undefined : { hostname, port: given };
}

const spelled = ({ hostname, port }: Peer): string => (port === '' ? hostname : `${hostname}:${port}`);
