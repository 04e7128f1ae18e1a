import fc from 'fast-check';
import { componentOf, exampleOf } from '../../../shared/http/document/examples.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { document } from './described.ts';

/** One value within a body: its location, its schema, and the body with other JSON text there. */
export type Place = {
  /** JSON Pointer (RFC 6901). */
  pointer: string;
  schema: Schema;
  value: unknown;
  /** @param json text in place of the value; it need not be JSON */
  text: (json: string) => string;
};

/** A body with one error, or with an unusual valid value. */
export type Mutant = { pointer: string; text: string; saysTwice?: true };

const components: Record<string, Schema> = document.components.schemas;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asSchema = (value: unknown): Schema => (isObject(value) ? value : {});
const resolved = (schema: Schema): Schema => components[componentOf(schema) ?? ''] ?? schema;

/** All locations of a body, the body itself first; omitted members are added from the examples. */
export function placesOf(schema: Schema, body: object): Place[] {
  return within({ pointer: '', schema: resolved(schema), value: body, text: (json) => json });
}

function within(place: Place): Place[] {
  const options = ['anyOf', 'oneOf'].flatMap((keyword) => Object.values(asArray(place.schema[keyword])));
  const inner = [place.schema, ...options.map((option) => resolved(asSchema(option)))];
  return [
    place,
    ...inner.flatMap((schema) => [...membersOf(place, schema), ...itemsOf(place, schema)]).flatMap(within),
  ];
}

const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function membersOf({ pointer, value, text }: Place, schema: Schema): Place[] {
  const whole = isObject(value) ? value : asSchema(exampleOf(schema, components));
  return Object.entries(asSchema(schema.properties)).map(([name, member]) => {
    const { [name]: present, ...others } = whole;
    const described = resolved(asSchema(member));
    return {
      pointer: `${pointer}/${name}`,
      schema: described,
      value: present ?? exampleOf(described, components),
      text: (json) => text(withMember(others, name, json)),
    };
  });
}

function itemsOf({ pointer, text }: Place, { items }: Schema): Place[] {
  if (items === undefined) return [];
  const schema = resolved(asSchema(items));
  const value = exampleOf(schema, components);
  return [{ pointer: `${pointer}/0`, schema, value, text: (json) => text(`[${json}]`) }];
}

/** The text of an object with one more member, even a duplicate. */
function withMember(object: object, name: string, json: string): string {
  const members = Object.entries(object).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return `{${[...members, `${JSON.stringify(name)}:${json}`].join(',')}}`;
}

const numbers = '0 -0 -1 1.5 1e308 1e400 -1e400 1e-400 2147483648 9007199254740993 -9223372036854775809 1E2';
const notJson = [
  'NaN',
  '-Infinity',
  '01',
  '0x10',
  '1.',
  'undefined',
  "'x'",
  '"\t"',
  '"\\x"',
  '',
  '1,',
  '/**/1',
];
const halfPairs = ['"\\ud800"', '"\\udc00a"', '"a\\udbff"'];

const oddTexts: readonly string[] = [
  '',
  ' ',
  'text',
  'a\0b',
  '\u0007\u001b[31m\r\n',
  '\u202eabc',
  '\u200b',
  '\ufeff',
  'İ\u0345ǅ',
  "'; drop table users; --",
  '%_\\',
  '*)(uid=*',
  '(a+)+$',
  '<svg onload=alert(1)>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template engine would look for
  '${jndi:ldap://x}{{7*7}}',
  '../../etc/passwd',
  'true',
  'null',
  '1',
  '__proto__',
  'constructor',
  '2026-02-30T25:61:61.000Z',
  '01932B5E-7D8A-7C33-9D52-0A3F5F2F8A11',
  '00000000-0000-0000-0000-000000000000',
];

const structures = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[null]',
  '[[[]]]',
  '[{}]',
  '{"a":{"b":[1]}}',
  '{"__proto__":{"name":"x"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"":1}',
  '{"a/b~c":1}',
  `[${Array(100_000).fill('0').join()}]`,
  `[${Array(2_000).fill('"a"').join()}]`,
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  JSON.stringify('x'.repeat(100_000)),
];

const hostileValues: readonly string[] = [
  ...numbers.split(' '),
  ...notJson,
  ...halfPairs,
  ...oddTexts.map((text) => JSON.stringify(text)),
  ...structures,
];

/** Texts of the maximum length, and longer by one: three bytes a character, and incompressible. */
function longTexts({ maxLength }: Schema): string[] {
  if (typeof maxLength !== 'number') return [];
  const ofLength = (length: number) =>
    Array.from({ length }, (_, at) =>
      String.fromCharCode(0x4e00 + ((at * 7919 + at * at * 31) % 20_000)),
    ).join('');
  return [ofLength(maxLength), ofLength(maxLength + 1)].map((text) => JSON.stringify(text));
}

const strangers = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'no_such_member',
  '',
  'is_superuser',
  'a\0b',
];

/** Unknown members, members in another case, duplicate members, missing members. */
function memberMutants({ pointer, schema, value, text }: Place): Mutant[] {
  if (!schema.properties || !isObject(value)) return [];
  const own = Object.entries(value);
  return [
    ...strangers.map((name) => ({ pointer: `${pointer}/${name}`, text: text(withMember(value, name, '1')) })),
    ...own.flatMap(([name, member]) => {
      const { [name]: _, ...others } = value;
      const json = JSON.stringify(member);
      return [
        {
          pointer: `${pointer}/${name}`,
          text: text(withMember(value, name, json)),
          saysTwice: true as const,
        },
        { pointer: `${pointer}/${name}`, text: text(JSON.stringify(others)) },
        { pointer, text: text(withMember(others, name.toUpperCase(), json)) },
      ];
    }),
  ];
}

/** Every hostile value in every location of a body, and every error in members. */
export const mutantsOf = (places: readonly Place[]): Mutant[] =>
  places.flatMap((place) => [
    ...[...hostileValues, ...longTexts(place.schema)].map((json) => ({
      pointer: place.pointer,
      text: place.text(json),
    })),
    ...memberMutants(place),
  ]);

/** Any JSON in any location; it shrinks to the smallest value with an error. */
export const anyMutant = (places: readonly Place[]): fc.Arbitrary<Mutant> =>
  fc
    .tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }))
    .map(([{ pointer, text }, value]) => ({ pointer, text: text(JSON.stringify(value)) }));

/** Query values of a parameter, as in the URL. */
export const oddParameters: readonly string[] = [
  ...oddTexts.map(encodeURIComponent),
  '%00',
  '%ff%fe',
  '%',
  '%zz',
  '%ed%a0%80',
  '+5',
  '%205',
  '-1',
  '501',
  '1e2',
  '0x10',
  '1.5',
  '9007199254740993',
  '1e400',
  'NaN',
  'a'.repeat(8_000),
  '[]=1',
  '-name,-id',
];

/** Path values of an identifier; none of them exists. */
export const oddSegments: readonly string[] = [
  // A site may have any of the plain words as its name, and other tests may have created one.
  ...oddTexts.filter((text) => !/^[a-z0-9]*$/.test(text)).map(encodeURIComponent),
  'no-such-thing',
  'hasOwnProperty',
  '%2f',
  '..%2f..',
  '%252e%252e',
  '%00',
  '%ff',
  '%zz',
  '%ed%a0%80',
  ';',
  '*',
  'a'.repeat(4_000),
  '01932b5e7d8a7c339d520a3f5f2f8a11',
  '%7B01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11%7D',
  '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a1',
  '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11%00',
  '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11%0a',
];

export const oddHeaders: readonly [name: string, value: string][] = [
  ...['"', '""', 'W/', '*, *', '"1.', `"${'9'.repeat(8_000)}.x"`, '"1e400.x"', '\u00ff', ',,,'].flatMap(
    (value): [string, string][] => [
      ['if-match', value],
      ['if-none-match', value],
    ],
  ),
  ...['a b', 'ä', '../../..', 'x'.repeat(8_000), '<script>'].flatMap((value): [string, string][] => [
    ['x-request-id', value],
    ['traceparent', value],
    ['tracestate', value],
    ['idempotency-key', value],
    ['accept', value],
    ['accept-language', value],
    ['user-agent', value],
    ['x-forwarded-for', value],
    ['x-dry-run', value],
    ['range', value],
  ]),
  ['traceparent', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
  ['traceparent', `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-zz`],
  ['content-length', '-1'],
];
