import { Buffer } from 'node:buffer';

/** One value of DER as it came: `raw` is all of it, `content` what is in it; both are views of the bytes received. */
export type Tlv = { tag: number; content: Uint8Array; raw: Uint8Array };

/** Bytes that are not the structure that was expected. */
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

/** The tag of a constructed value under `[n]`; its primitive form, of an IMPLICIT string, is 0x20 less. */
export const contextTag = (n: number): number => 0xa0 + n;

/** @throws DerError unless the bytes are one value and nothing behind it */
export function readOne(bytes: Uint8Array, tag?: number): Tlv {
  const [first, ...others] = readAll(bytes);
  if (!first || others.length > 0) throw new DerError('one value expected');
  return expectTag(first, tag);
}

/** The values that follow one another in the bytes. @throws DerError */
export function readAll(bytes: Uint8Array): Tlv[] {
  const found: Tlv[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tlv = readAt(bytes, at);
    found.push(tlv);
    at += tlv.raw.length;
  }
  return found;
}

/** @throws DerError when the value is not there, or has another tag */
export function expectTag(tlv: Tlv | undefined, tag?: number): Tlv {
  if (!tlv || (tag !== undefined && tlv.tag !== tag)) throw new DerError(`tag ${tag} expected`);
  return tlv;
}

/** What a SEQUENCE holds under each `[n]`, EXPLICIT tags taken off. @throws DerError */
export function readFields(sequence: Tlv): (n: number, tag?: number) => Tlv {
  const fields = new Map(readAll(expectTag(sequence, tags.sequence).content).map((tlv) => [tlv.tag, tlv]));
  return (n, tag) => readOne(expectTag(fields.get(contextTag(n))).content, tag);
}

/** True when the SEQUENCE has something under `[n]`. */
export const hasField = (sequence: Tlv, n: number): boolean =>
  readAll(sequence.content).some(({ tag }) => tag === contextTag(n));

/** An INTEGER that a number can hold. @throws DerError */
export function readInteger({ tag, content }: Tlv): number {
  if (tag !== tags.integer || content.length === 0 || content.length > 5) throw new DerError('small integer');
  return content.reduce((value, byte, at) => (at === 0 && byte > 127 ? byte - 256 : value * 256 + byte), 0);
}

/** The bytes of a BIT STRING without unused bits. @throws DerError */
export function readBits({ tag, content }: Tlv): Uint8Array {
  if (tag !== tags.bitString || content[0] !== 0) throw new DerError('bit string');
  return content.subarray(1);
}

export const readText = ({ content }: Tlv): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(content);

/** A KerberosTime (RFC 4120, 5.2.3): no fractions, always UTC. @throws DerError */
export function readTime(tlv: Tlv): Date {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(readText(expectTag(tlv, tags.generalizedTime))) ?? [];
  if (!year) throw new DerError('time');
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** X.690, 8.1: tags of one byte, definite lengths; nothing that is read here needs others. */
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

/** A whole number that is not negative. */
export function integer(value: number | bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  return tlv(tags.integer, ...((bytes[0] ?? 0) > 127 ? [Buffer.from([0]), bytes] : [bytes]));
}

/** An OBJECT IDENTIFIER of its dotted form. */
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

/** True when the value is the OBJECT IDENTIFIER of this dotted form. */
export const isOid = (value: Tlv | undefined, dotted: string): boolean =>
  value !== undefined && Buffer.from(value.raw).equals(oid(dotted));
