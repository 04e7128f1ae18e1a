import { Buffer } from 'node:buffer';

/** One DER value: `raw` includes tag and length, `content` does not. Both are views of the input. */
export type Tlv = { tag: number; content: Uint8Array; raw: Uint8Array };

/** The bytes are not the expected DER structure. */
export class DerError extends Error {
  constructor(what: string) {
    super(`malformed DER: ${what}`);
    this.name = 'DerError';
  }
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  generalString: 0x1b,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a constructed value under `[n]`. A primitive value (an IMPLICIT string) has 0x20 less. */
export const contextTag = (n: number): number => 0xa0 + n;

/** @throws DerError unless the bytes are exactly one value */
export function readOne(bytes: Uint8Array, tag?: number): Tlv {
  const [first, ...others] = readAll(bytes);
  if (!first || others.length > 0) throw new DerError('one value expected');
  return expectTag(first, tag);
}

/** Reads a series of values. @throws DerError */
export function readAll(bytes: Uint8Array): Tlv[] {
  const found: Tlv[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tlv = readAt(bytes, at);
    found.push(tlv);
    at += tlv.raw.length;
  }
  return found;
}

/** @throws DerError if the value is missing or has another tag */
export function expectTag(tlv: Tlv | undefined, tag?: number): Tlv {
  if (!tlv || (tag !== undefined && tlv.tag !== tag)) throw new DerError(`tag ${tag} expected`);
  return tlv;
}

/** The members of a SEQUENCE by their number `[n]`, without the EXPLICIT tags. @throws DerError */
export function readFields(sequence: Tlv): (n: number, tag?: number) => Tlv {
  const fields = new Map(readAll(expectTag(sequence, tags.sequence).content).map((tlv) => [tlv.tag, tlv]));
  return (n, tag) => readOne(expectTag(fields.get(contextTag(n))).content, tag);
}

/** True if the SEQUENCE has a member `[n]`. */
export const hasField = (sequence: Tlv, n: number): boolean =>
  readAll(sequence.content).some(({ tag }) => tag === contextTag(n));

/** Reads an INTEGER of at most 5 bytes. @throws DerError */
export function readInteger({ tag, content }: Tlv): number {
  if (tag !== tags.integer || content.length === 0 || content.length > 5) throw new DerError('small integer');
  return content.reduce((value, byte, at) => (at === 0 && byte > 127 ? byte - 256 : value * 256 + byte), 0);
}

/** Reads a BIT STRING without unused bits. @throws DerError */
export function readBits({ tag, content }: Tlv): Uint8Array {
  if (tag !== tags.bitString || content[0] !== 0) throw new DerError('bit string');
  return content.subarray(1);
}

export const readText = ({ content }: Tlv): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(content);

/** Reads a KerberosTime (RFC 4120, 5.2.3): UTC without fractions. @throws DerError */
export function readTime(tlv: Tlv): Date {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(readText(expectTag(tlv, tags.generalizedTime))) ?? [];
  if (!year) throw new DerError('time');
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** X.690, 8.1. Supports one-byte tags and definite lengths of at most 4 bytes, which is all that Kerberos needs. */
function readAt(bytes: Uint8Array, at: number): Tlv {
  const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
  const extra = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + extra;
  const isKnownForm = (tag & 0x1f) !== 0x1f && first !== 0x80 && extra <= 4;
  if (!isKnownForm || start > bytes.length) throw new DerError('tag or length');
  const length =
    extra === 0 ? first : bytes.subarray(at + 2, start).reduce((value, byte) => value * 256 + byte, 0);
  if (length > bytes.length - start) throw new DerError('length beyond the end');
  const end = start + length;
  return { tag, content: bytes.subarray(start, end), raw: bytes.subarray(at, end) };
}

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(tags.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tlv(tags.set, ...parts);
export const explicit = (n: number, part: Uint8Array): Buffer => tlv(contextTag(n), part);
export const octets = (bytes: Uint8Array): Buffer => tlv(tags.octetString, bytes);
export const bitString = (bytes: Uint8Array): Buffer => tlv(tags.bitString, Buffer.from([0]), bytes);
export const generalString = (text: string): Buffer => tlv(tags.generalString, Buffer.from(text));
export const kerberosTime = (at: Date): Buffer =>
  tlv(tags.generalizedTime, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`));

/** Encodes a non-negative integer. */
export function integer(value: number | bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  return tlv(tags.integer, ...((bytes[0] ?? 0) > 127 ? [Buffer.from([0]), bytes] : [bytes]));
}

/** Encodes an OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    bytes.unshift(128 + (rest % 128));
  return bytes;
}

/** True if the value is the OBJECT IDENTIFIER with this dotted form. */
export const isOid = (value: Tlv | undefined, dotted: string): boolean =>
  value !== undefined && Buffer.from(value.raw).equals(oid(dotted));
