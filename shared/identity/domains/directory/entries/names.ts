import { Buffer } from 'node:buffer';
import { DerError, readOne } from '../../../../kernel/crypto/der.ts';
import { foldName } from '../../../../kernel/text.ts';

/** One attribute and its value. A relative distinguished name contains one or more pairs. */
type Pair = { type: string; value: string };

/**
 * The normalized form for comparisons of distinguished names. Case, spaces, escapes, quotes, the spelling of attribute
 * types and the order within a multi-valued part are ignored (RFC 4514, RFC 4517 section 4.2.15).
 * @returns undefined for a text that is not a distinguished name
 */
export function normalDn(dn: string): string | undefined {
  const parts = normalParts(dn);
  return parts && JSON.stringify(parts);
}

const normalParts = (dn: string): string[][] | undefined =>
  parseDn(dn)?.map((pairs) => pairs.map(normalPair).sort());

/** True if `dn` equals `ancestor` or is below it. */
export function isBelow(dn: string, ancestor: string): boolean {
  const [parts, end] = [normalParts(dn), normalParts(ancestor)];
  return end !== undefined && JSON.stringify(parts?.slice(-end.length)) === JSON.stringify(end);
}

/** The DNS name in the domain components at the end of a distinguished name (RFC 2247); empty without any. */
export function dnsNameOf(dn: string): string {
  const parts = parseDn(dn) ?? [];
  const start = parts.findLastIndex((pairs) => !pairs.every(({ type }) => typeOf(type) === 'dc')) + 1;
  return parts
    .slice(start)
    .flatMap((pairs) => pairs.map(({ value }) => value))
    .join('.');
}

/** True if two texts are the same distinguished name. A text that is not a distinguished name equals only itself. */
export const isSameDn = (one: string, other: string): boolean =>
  one === other || (normalDn(one) ?? one) === (normalDn(other) ?? other);

/**
 * The spelling of RFC 4514, which every directory supports.
 * @returns the text itself if it is not a distinguished name
 */
export function standardDn(dn: string): string {
  const parts = parseDn(dn);
  if (!parts) return dn;
  return parts
    .map((pairs) => pairs.map(({ type, value }) => `${typeOf(type)}=${escaped(value)}`).join('+'))
    .join(',');
}

const normalPair = ({ type, value }: Pair): string =>
  `${typeOf(type)}=${foldName(value).replace(/\s+/g, ' ')}`;

/** RFC 4514 section 2.4. */
const escaped = (value: string): string =>
  value.replace(/[,+"\\<>;=]|^[ #]| $/g, '\\$&').replaceAll('\0', '\\00');

/** Other spellings of the attribute types of RFC 4514 section 3, and of further types in names. */
const aliases: Readonly<Record<string, string>> = {
  ...{ commonname: 'cn', '2.5.4.3': 'cn', surname: 'sn', '2.5.4.4': 'sn', '2.5.4.5': 'serialnumber' },
  ...{ countryname: 'c', '2.5.4.6': 'c', localityname: 'l', '2.5.4.7': 'l' },
  ...{ stateorprovincename: 'st', '2.5.4.8': 'st', streetaddress: 'street', '2.5.4.9': 'street' },
  ...{ organizationname: 'o', '2.5.4.10': 'o', organizationalunitname: 'ou', '2.5.4.11': 'ou' },
  ...{ domaincomponent: 'dc', '0.9.2342.19200300.100.1.25': 'dc' },
  ...{ userid: 'uid', '0.9.2342.19200300.100.1.1': 'uid' },
  ...{ rfc822mailbox: 'mail', '0.9.2342.19200300.100.1.3': 'mail' },
};

/** RFC 1779 defines the prefix `oid.`. */
function typeOf(type: string): string {
  const name = type.toLowerCase().replace(/^oid\./, '');
  return aliases[name] ?? name;
}

const typePattern = /\s*((?:oid\.)?[0-9]+(?:\.[0-9]+)*|[a-z][a-z0-9-]*)\s*=\s*/iy;
/** As in RFC 4514, but characters that are unambiguous without an escape are accepted. */
const plainPattern = /(?!#)(?:\\(?:[0-9a-f]{2}|[ ,+"\\<>;=#])|[^\\",+;])*/iy;
/** Quotation marks are part of RFC 1779, and no longer of RFC 4514. */
const quotedPattern = /"((?:\\(?:[0-9a-f]{2}|[ ,+"\\<>;=#])|[^\\"])*)"\s*/iy;
const hexPattern = /#((?:[0-9a-f]{2})+)\s*(?=[,;+]|$)/iy;

/**
 * Relative distinguished names, starting at the entry.
 * @returns undefined for an invalid or empty text
 */
function parseDn(text: string): Pair[][] | undefined {
  const parts: Pair[][] = [[]];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    at += match?.[0].length ?? 0;
    return match;
  };
  for (;;) {
    const type = next(typePattern)?.[1];
    if (type === undefined) return undefined;
    const value = readValue(next);
    if (value === undefined) return undefined;
    parts.at(-1)?.push({ type, value });
    if (at === text.length) return parts;
    const separator = text[at++];
    if (separator === ',' || separator === ';') parts.push([]);
    else if (separator !== '+') return undefined;
  }
}

function readValue(next: (pattern: RegExp) => RegExpExecArray | null): string | undefined {
  const hexadecimal = next(hexPattern)?.[1];
  if (hexadecimal !== undefined) return textOfBer(Buffer.from(hexadecimal, 'hex'));
  const quoted = next(quotedPattern)?.[1];
  if (quoted !== undefined) return unescaped(quoted);
  const plain = next(plainPattern)?.[0];
  // A space after a backslash belongs to the value.
  return plain === undefined ? undefined : unescaped(plain.replace(/((?:^|[^\\])(?:\\\\)*) +$/, '$1'));
}

/** @returns undefined for octets that are not UTF-8 */
function unescaped(value: string): string | undefined {
  const octets: Buffer[] = [];
  for (const [piece, hexadecimal, char] of value.matchAll(/\\([0-9a-f]{2})|\\(.)|[^\\]+/gis))
    octets.push(hexadecimal ? Buffer.from(hexadecimal, 'hex') : Buffer.from(char ?? piece));
  return utf8(Buffer.concat(octets));
}

/** Octet string, UTF-8, printable, teletex and IA5 string. */
const textTags = new Set([0x04, 0x0c, 0x13, 0x14, 0x16]);

function textOfBer(octets: Buffer): string | undefined {
  try {
    const { tag, content } = readOne(octets);
    return textTags.has(tag) ? utf8(content) : undefined;
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function utf8(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return undefined;
  }
}
