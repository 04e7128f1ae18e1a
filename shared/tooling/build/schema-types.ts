/** A JSON Schema in the OpenAPI document. */
export type Schema = { readonly [keyword: string]: unknown };

/** Converts a schema to a TypeScript type; components are referenced by name. */
export function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return unionOf(options.map((option) => typeOf(asSchema(option))));
  if (schema.type === undefined && Array.isArray(schema.allOf))
    return schema.allOf.map((part) => `(${typeOf(asSchema(part))})`).join(' & ') || 'unknown';
  return unionOf([schema.type].flat().map((type) => simpleTypeOf(type, schema)));
}

/** A member of an object type. TypeScript attaches a comment only if it is on a separate line. */
export function memberOf(name: string, type: string, isRequired: boolean, description?: unknown): string {
  const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
  return `${comment}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isRequired ? '' : '?'}: ${type};`;
}

/** An object type with one member per line. */
export const blockOf = (members: readonly string[]): string =>
  members.length === 0
    ? '{}'
    : `{\n${members.map((member) => `  ${member.replaceAll('\n', '\n  ')}`).join('\n')}\n}`;

export const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function simpleTypeOf(type: unknown, schema: Schema): string {
  if (type === 'array') return `(${typeOf(asSchema(schema.items))})[]`;
  if (type === 'object') return objectTypeOf(schema);
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown';
}

/** Later versions may add members, but they have no names yet. */
function objectTypeOf(schema: Schema): string {
  const members = membersOf(schema);
  if (members.length > 0) return blockOf(members);
  const { additionalProperties: others } = schema;
  if (others === false) return 'Record<string, never>';
  const values = typeof others === 'object' && others !== null ? typeOf(asSchema(others)) : 'unknown';
  return `Record<string, ${values}>`;
}

/** The members of an object type, one per line, with their descriptions. */
function membersOf(schema: Schema): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(asSchema(schema.properties)).map(([name, property]) => {
    const member = asSchema(property);
    return memberOf(name, typeOf(member), required.includes(name), member.description);
  });
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'unknown';
