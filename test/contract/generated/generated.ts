import fc from 'fast-check';
import { componentOf } from '../../../shared/http/document/examples.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import type { Json } from '../../support/portal.ts';
import { document } from './described.ts';

const components: Record<string, Schema> = document.components.schemas;
const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Values that match a schema of the document; `known` has values for members by their names. */
export function valuesOf(
  schema: Schema,
  known: Readonly<Record<string, string>>,
  depth = 0,
): fc.Arbitrary<Json> {
  const within = (inner: unknown) => valuesOf(asSchema(inner), known, depth + 1);
  if (typeof schema.$ref === 'string') return within(components[componentOf(schema) ?? '']);
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const options = listOf(schema.anyOf ?? schema.oneOf);
  if (options.length > 0) return fc.oneof(...options.map(within));
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, known, depth)));
}

function ofType(
  type: unknown,
  schema: Schema,
  known: Readonly<Record<string, string>>,
  depth: number,
): fc.Arbitrary<Json> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') return numbersOf(schema);
  if (type === 'string') return textsOf(schema);
  if (type === 'array') {
    const { minItems = 0, maxItems = 3 } = schema;
    return fc.array(valuesOf(asSchema(schema.items), known, depth + 1), {
      minLength: Number(minItems),
      maxLength: Math.max(Number(minItems), Math.min(Number(maxItems), 3)),
    });
  }
  if (type === 'object') return objectsOf(schema, known, depth);
  return fc.jsonValue({ maxDepth: 2 });
}

function objectsOf(
  schema: Schema,
  known: Readonly<Record<string, string>>,
  depth: number,
): fc.Arbitrary<Json> {
  const members = Object.entries(asSchema(schema.properties)).map(([name, member]) => {
    const values = valuesOf(asSchema(member), known, depth + 1);
    const own = known[name];
    return [
      name,
      own === undefined ? values : fc.oneof({ weight: 3, arbitrary: fc.constant(own) }, values),
    ] as const;
  });
  if (members.length === 0)
    return schema.additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  const required = listOf(schema.required).map(String);
  return fc.record(Object.fromEntries(members), { requiredKeys: required });
}

function numbersOf({ type, minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  const min = Number(minimum ?? (exclusiveMinimum === undefined ? -(2 ** 31) : Number(exclusiveMinimum) + 1));
  const max = Number(maximum ?? 2 ** 31 - 1);
  return type === 'number' ? fc.double({ min, max, noNaN: true }) : fc.integer({ min, max });
}

const formats: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid({ version: 7 }),
  'date-time': fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
};

function textsOf({ format, pattern, minLength = 0, maxLength = 64, examples }: Schema): fc.Arbitrary<string> {
  const known = listOf(examples).filter((one): one is string => typeof one === 'string');
  const own =
    formats[String(format)] ??
    (typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern, 'u')) : undefined) ??
    fc.string({
      minLength: Number(minLength),
      maxLength: Math.max(Number(minLength), Math.min(Number(maxLength), 64)),
      unit: 'grapheme',
    });
  const fitting = own.filter(
    ({ length }) => length >= Number(minLength) && length <= Math.max(Number(maxLength), 64),
  );
  return known.length > 0 ? fc.oneof(fc.constantFrom(...known), fitting) : fitting;
}

/** Bodies with one error: a member of another type, a missing one, an unknown one, or not an object. */
export function faultyBodies(fitting: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const odd = fc.oneof(
    fc.constantFrom<Json>(null, true, -1, 1.5, 2 ** 40, '', 'x'.repeat(3_000), '\u202e', [], {}, [[]], {
      a: { b: 1 },
    }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const inMember = fc
    .tuple(fitting, fc.nat(), odd, fc.constantFrom('replace', 'remove', 'add'))
    .map(([body, at, value, how]) => {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return value;
      const names = Object.keys(body);
      const name = how === 'add' || names.length === 0 ? 'no_such_member' : (names[at % names.length] ?? '');
      const { [name]: _, ...others } = body;
      return how === 'remove' ? others : { ...others, [name]: value };
    });
  return fc.oneof({ weight: 5, arbitrary: inMember }, odd);
}

/** Texts for an identifier in a path, or for a query parameter. */
export const oddWords: fc.Arbitrary<string> = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    '0',
    '-1',
    'null',
    'true',
    'no-such-thing',
    '..',
    '%',
    "'",
    '"',
    '\u0000',
    'ä',
    'a'.repeat(300),
    ',',
  ),
  fc.string({ maxLength: 20, unit: 'grapheme' }),
);
