import type { Schema } from './document-schemas.ts';

type Components = Record<string, Schema>;

/**
 * A value that fits a schema, made of the examples that its members give.
 * @param part `all` members, as an answer has them, or those that a request `needs` and those with an example of their own
 */
export function exampleOf(schema: Schema, components: Components, part: 'all' | 'needed'): unknown {
  const within = (inner: Schema) => exampleOf(inner, components, part);
  if (typeof schema.$ref === 'string') return within(resolve(schema.$ref, components));
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options) return within(options.find(isEasy) ?? options.at(-1) ?? {});
  const [type] = [schema.type].flat();
  if (type === 'object') return objectOf(schema, within, part);
  if (type === 'array') return [within(asSchema(schema.items))];
  return scalarOf(type, schema);
}

const resolve = (ref: string, components: Components): Schema =>
  components[ref.split('/').at(-1) ?? ''] ?? {};

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** A text that must have a form cannot be made up. */
const isEasy = (schema: Schema): boolean => schema.pattern === undefined || schema.examples !== undefined;

function objectOf(schema: Schema, within: (inner: Schema) => unknown, part: 'all' | 'needed'): unknown {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(asSchema(schema.properties)).map(
    ([name, member]) => [name, asSchema(member)] as const,
  );
  return Object.fromEntries(
    members
      .filter(([name, member]) => part === 'all' || required.includes(name) || hasExample(member))
      .map(([name, member]) => [name, within(member)]),
  );
}

const hasExample = (schema: Schema): boolean =>
  schema.examples !== undefined || (Array.isArray(schema.anyOf) && schema.anyOf.some(hasExample));

const formats: Record<string, string> = {
  uuid: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11',
  'date-time': '2026-11-21T08:30:00.000Z',
  email: 'anna@example.com',
};

function scalarOf(type: unknown, { format, minimum }: Schema): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'string') return formats[String(format)] ?? 'text';
  return null;
}
