import { checkAddress } from '../../kernel/addresses/check.ts';
import { type Peer, parsePeer, spelledPeer } from '../../kernel/addresses/hosts.ts';
import { profiles } from '../../kernel/addresses/profiles.ts';
import type { Detail } from '../../messages/message.ts';
import { isHostAllowed, isHostInside, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';

/** A validated address of a directory server or KDC. `text` is the normalised form that is stored. */
export type DirectoryPeer = Peer & { text: string; encrypted: boolean };

/** @returns undefined if the text is not a valid directory URL: `ldap://` or `ldaps://`, a host and an optional port */
export function parseDirectoryUrl(text: string): DirectoryPeer | undefined {
  const checked = checkAddress(text.trim(), 'directory');
  if (!checked.ok) return undefined;
  const { host, port, protocol } = checked;
  return { host, port, text: checked.text, encrypted: protocol === 'ldaps:' };
}

/** @returns undefined if the text is not `host:port` */
export function parseKdc(text: string): DirectoryPeer | undefined {
  const peer = parsePeer(text.trim());
  if (!peer || peer.port === '') return undefined;
  // KDC messages are protected by the protocol itself (RFC 4120).
  return { ...peer, encrypted: true, text: spelledPeer(peer) };
}

/**
 * Validates a directory server before it is saved. The addresses that a name resolves to are checked at connection
 * time.
 * @param isEncrypted whether the connection is encrypted
 * @returns a sentence that describes the error, or undefined
 */
export function directoryFault({ host }: Peer, isEncrypted: boolean, policy: UrlPolicy): Detail | undefined {
  const networks = parseNetworks(policy.allowedNetworks);
  if (!isHostAllowed(host, networks)) return profiles.directory.networkDetail;
  if (isEncrypted || isHostInside(host, networks)) return undefined;
  return 'ldap:// without StartTLS is allowed only to servers in ALLOWED_PRIVATE_NETWORKS';
}
