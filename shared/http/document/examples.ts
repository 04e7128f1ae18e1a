import type { Schema } from './schemas.ts';

type Components = Record<string, Schema>;

/**
 * Creates a value that matches a schema. An object has its required members and the members with an example of their
 * own, so that responses are complete and requests are short.
 */
export function exampleOf(schema: Schema, components: Components): unknown {
  const within = (inner: Schema) => exampleOf(inner, components);
  if (typeof schema.$ref === 'string') return within(components[componentOf(schema) ?? ''] ?? {});
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options) return within(options.find(isEasy) ?? options.at(-1) ?? {});
  const types = [schema.type].flat();
  if (types.includes('null')) return null;
  if (types.includes('object')) return objectOf(schema, within);
  if (types.includes('array')) return [within(asSchema(schema.items))];
  return scalarOf(types[0], schema);
}

/** @returns the name of the component that the schema refers to */
export const componentOf = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** False if a text must match a pattern and has no example, because such a text cannot be generated. */
const isEasy = (schema: Schema): boolean => schema.pattern === undefined || schema.examples !== undefined;

function objectOf(schema: Schema, within: (inner: Schema) => unknown): unknown {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(asSchema(schema.properties))
      .map(([name, member]) => [name, asSchema(member)] as const)
      .filter(([name, member]) => required.includes(name) || isInformative(member))
      .map(([name, member]) => [name, within(member)]),
  );
}

/** True if the example is neither the default nor a placeholder id. */
function isInformative({ examples, format, default: byDefault, anyOf }: Schema): boolean {
  if (Array.isArray(examples)) return format !== 'uuid' && examples[0] !== byDefault;
  return byDefault === undefined && Array.isArray(anyOf) && anyOf.some(isInformative);
}

const formats: Record<string, string> = {
  uuid: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11',
  'date-time': '2026-11-21T08:30:00.000Z',
  email: 'anna@example.com',
};

function scalarOf(type: unknown, { format, minimum }: Schema): unknown {
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum ?? 1));
  if (type === 'boolean') return false;
  if (type === 'string') return formats[String(format)] ?? 'text';
  return null;
}
