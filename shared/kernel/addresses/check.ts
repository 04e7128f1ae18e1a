import type { Detail } from '../../messages/message.ts';
import { type Peer, parsePeer, spelledPeer } from './hosts.ts';
import { type Profile, type ProfileName, profileOf } from './profiles.ts';
import { isMasked, masked, withoutMask } from './secret-query.ts';

/** An accepted address. `text` is the spelling that is stored. */
type Address = Peer & { text: string; protocol: string };

export type AddressCheck = ({ ok: true } & Address) | { ok: false; detail: Detail };

type Parts = Peer & { protocol: string; rest: string };

/**
 * Checks the form of an address from outside. Whether the portal may connect there is decided by `checkUrl`.
 * @param text without blanks around
 */
export function checkAddress(text: string, name: ProfileName): AddressCheck {
  const profile = profileOf(name);
  if (profile.query === 'secret' && isMasked(text))
    return maskedAgain(checkBy({ ...profile, query: 'refused' }, withoutMask(text)));
  return checkBy(profile, text);
}

const maskedAgain = (check: AddressCheck): AddressCheck =>
  check.ok ? { ...check, text: masked(check.text) } : check;

function checkBy(profile: Profile, text: string): AddressCheck {
  const parts = partsOf(text);
  if (typeof parts === 'string') return { ok: false, detail: parts };
  const detail = refusalOf(parts, profile);
  if (detail !== undefined) return { ok: false, detail };
  const { rest: _, ...peer } = parts;
  return { ok: true, ...peer, text: profile.stored === 'as_written' ? text : normalised(parts, profile) };
}

/** The stored spelling of an address, which rows of earlier versions may not have. */
export function spellingOf(text: string, name: ProfileName): string {
  const checked = checkAddress(text, name);
  return checked.ok ? checked.text : text;
}

/**
 * True for a link that a program of the user can open. Links of programs need not be URLs with a host, such as
 * `rdp://full%20address=s:host:3389`, so only the part that can contain a password is looked at.
 */
export const isSafeLink = (text: string): boolean =>
  !unsafe.test(text) && (isListOfAttributes(text) || !hasUserInfo(text));

/** Parsers remove invisible characters, and read a backslash as a slash: the text would show another host. */
const unsafe = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\\]/u;

/** Links of Remote Desktop clients have settings in place of a host, such as `username=s:ada@example.com`. */
const isListOfAttributes = (text: string): boolean => /^rdp:\/\/[a-z0-9%]+=[a-z]:/i.test(text);

const hasUserInfo = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/*[^/?#]*@/i.test(text);

function partsOf(text: string): Parts | Detail {
  const [, protocol = '', authority = '', rest = ''] = /^([a-z]+:)\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  if (protocol === '') return 'Must be a URL';
  if (unsafe.test(text) || /["<>]/.test(text)) return 'The URL must not contain spaces or backslashes';
  if (hasUserInfo(text)) return 'The URL must not contain a user name or password';
  const peer = parsePeer(authority);
  return peer ? { ...peer, protocol: protocol.toLowerCase(), rest } : 'Must be a URL';
}

function refusalOf({ protocol, rest }: Parts, profile: Profile): Detail | undefined {
  if (!profile.protocols.includes(protocol)) return profile.protocolDetail;
  if (profile.fragment === 'refused' && rest.includes('#')) return 'The URL must not contain a fragment';
  if (profile.query === 'refused' && rest.includes('?')) return 'The URL must not contain a query';
  if (profile.path === 'refused' && !['', '/'].includes(rest)) return 'The URL must not contain a path';
  return undefined;
}

function normalised({ protocol, rest, ...peer }: Parts, { path }: Profile): string {
  const start = `${protocol}//${spelledPeer(peer)}`;
  if (!isOfWeb(protocol)) return start;
  const { origin, pathname, search } = new URL(start + rest);
  return origin + pathname.replace(path === 'base' ? /\/+$/ : /^\/$/, '') + search;
}

/** The URL parser knows the standard ports and paths of these. */
const isOfWeb = (protocol: string): boolean => /^https?:$/.test(protocol);
