import { Buffer } from 'node:buffer';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { isThorough } from '../../support/runner/commit.ts';
import { seed } from './effort.ts';

/** Times that RFC 3339, JavaScript or PostgreSQL accept, and others of them do not. */
const times = [
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '2026-02-29T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-01-01T00:00:00+99:99',
  '-infinity',
  'today',
];

const numbers = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '2147483648',
  '32768',
  '1e400',
  '1e-400',
  '-0',
  '0.1',
  '٣',
  'NaN',
  'Infinity',
];

/** What the languages of searches, patterns and types in PostgreSQL give a meaning to. */
const patterns = [
  '\\',
  'a\\',
  '%\\',
  '\\\\\\',
  '%_'.repeat(500),
  '%'.repeat(2_000),
  '(a*)*b',
  '[[:alpha:',
  '$.a ? (@.b == "',
  '{"a"',
  '{a,NULL,"b',
  "E'\\x00'",
  "$1::int; select '",
  '-name\\',
  'name,',
  'name\\',
  ' | & ! <-> :*',
  'a:*&b',
];

const characters = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00',
  '\udc00\ud800',
  '\ufffe',
  '\uffff\u{10ffff}',
  '\u202e\u0345',
  'ß'.repeat(255),
  'İ'.repeat(128),
  '\u{1f600}'.repeat(64),
  '\u0007\u001b[31m\r\n',
];

/** Texts that are difficult to store, to compare or to convert. */
export const storedTexts: readonly string[] = [...times, ...numbers, ...patterns, ...characters];

/** Bytes that are no UTF-8: a lone byte, half of a pair of surrogates, and NUL in two bytes. */
const brokenBytes: readonly Uint8Array[] = [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80]].map(
  (bytes) => Uint8Array.from(bytes),
);

/** The same in an address or a form, and texts as they are there. */
export const encodedTexts: readonly string[] = [
  ...storedTexts.map((text) => encodeURIComponent(text.toWellFormed())),
  ...brokenBytes.map((bytes) => [...bytes].map((byte) => `%${byte.toString(16)}`).join('')),
  '%',
  '%zz',
  '%00',
  '%2500',
  '%u0000',
  '%ed%a0%80%ed%b0%80',
];

/** A text as an operand of a filter and a path of SCIM. */
const inFilter = (text: string): string[] => [
  text,
  `userName eq ${JSON.stringify(text)}`,
  `userName co ${JSON.stringify(text)}`,
  `meta.created lt ${JSON.stringify(text)}`,
  `externalId sw ${JSON.stringify(text)} or not (emails[value ew ${JSON.stringify(text)}])`,
  `emails[value eq ${JSON.stringify(text)}].value`,
  `${text} pr`,
];

const operands = storedTexts.flatMap(inFilter);
/** The names of members and parameters whose texts are expressions. */
const isExpression = (name: string): boolean => /filter|path$/i.test(name);

/** How many texts each place gets: other ones for each place and each commit. */
const perPlace = isThorough ? 12 : 1;
let next = seed;

export function someOf<T>(all: readonly T[]): T[] {
  return Array.from({ length: Math.min(all.length, perPlace) }, () => {
    // A step without a common divisor reaches every one.
    next += 7_919;
    return all[next % all.length] as T;
  });
}

/** For a parameter of an address, encoded. */
export const textsOfParameter = (name: string): string[] =>
  someOf(isExpression(name) ? operands.map((text) => encodeURIComponent(text.toWellFormed())) : encodedTexts);

/** A marker for bytes that JSON cannot have. */
const broken = 'broken-bytes';

/** As JSON, for a member of a body: a text, a number without quotes, or a text as long as the body may be. */
export function textsOfMember(name: string, room: number): string[] {
  if (isExpression(name)) return someOf(operands).map((text) => JSON.stringify(text));
  const long = 'x'.repeat(Math.max(1, Math.min(room, 1_048_576)));
  return someOf([
    ...[...storedTexts, long, '%_'.repeat(long.length / 2)].map((text) => JSON.stringify(text)),
    ...numbers.filter((text) => /^-?\d/.test(text)),
    ...brokenBytes.map((_, at) => `"${broken}${at}"`),
  ]);
}

/** A body with the bytes in place of their markers. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const [before = '', after] = text.split(new RegExp(`${broken}\\d`));
  if (after === undefined) return new Uint8Array(Buffer.from(text));
  const at = Number(text[before.length + broken.length]);
  return new Uint8Array(
    Buffer.concat([Buffer.from(before), brokenBytes[at] ?? Buffer.of(), Buffer.from(after)]),
  );
}

/** Whether a schema, or one of its options, has texts. */
export function hasTexts(schema: Schema): boolean {
  const options = [schema.anyOf, schema.oneOf].flatMap((all) => (Array.isArray(all) ? all : []));
  return [schema, ...options].some(({ type, enum: words }) => [type].flat().includes('string') && !words);
}
