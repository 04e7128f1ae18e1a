import type { Detail } from '../../messages/message.ts';
import { isHostAllowed, isHostInside, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';

type Peer = { hostname: string; port: string };

/** A validated address of a directory server or KDC. `text` is the normalised form that is stored. */
export type DirectoryPeer = Peer & { text: string; encrypted: boolean };

/** `ldap://` or `ldaps://` with a host and an optional port; no user, path, query or fragment. */
export const directoryUrl = /^ldaps?:\/\/[^\s/?#@\\]+\/?$/i;
export const hostAndPort = /^[^\s/?#@\\]+:[0-9]{1,5}$/;

/** @returns undefined if the text is not a valid directory URL */
export function parseDirectoryUrl(text: string): DirectoryPeer | undefined {
  const [scheme = '', rest = ''] = text.split('://');
  const peer = directoryUrl.test(text) ? parsePeer(rest.replace(/\/$/, '')) : undefined;
  if (!peer) return undefined;
  const encrypted = scheme.toLowerCase() === 'ldaps';
  return { ...peer, encrypted, text: `${scheme.toLowerCase()}://${spelled(peer)}` };
}

/** @returns undefined if the text is not `host:port` */
export function parseKdc(text: string): DirectoryPeer | undefined {
  const peer = hostAndPort.test(text) ? parsePeer(text) : undefined;
  // KDC messages are protected by the protocol itself (RFC 4120).
  return peer && { ...peer, encrypted: true, text: spelled(peer) };
}

/**
 * Validates a directory server before it is saved. The addresses that a name resolves to are checked at connection
 * time.
 * @param isEncrypted whether the connection is encrypted
 * @returns a sentence that describes the error, or undefined
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

/**
 * Parsed as `http:` and `https:`, because only special schemes normalise hosts such as `0x7f.1` to the address used.
 */
function parsePeer(text: string): Peer | undefined {
  const [as, other] = [`http://${text}`, `https://${text}`];
  if (!URL.canParse(as) || !URL.canParse(other)) return undefined;
  const { hostname, port } = new URL(as);
  const given = port || new URL(other).port;
  return given === '0' || hostname === '' ? undefined : { hostname, port: given };
}

const spelled = ({ hostname, port }: Peer): string => (port === '' ? hostname : `${hostname}:${port}`);
