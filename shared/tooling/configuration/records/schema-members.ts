import { createSchemas, type Schema } from '../../../http/document/schemas.ts';
import { type DomainTypeName, domainTypeNames, domainTypeOf } from '../../../identity/domains/registry.ts';
import { isObject } from '../../../kernel/json/json.ts';
import type { Kind } from '../kinds.ts';

/** The JSON Schema of an entry, with ids instead of names. */
export const schemaOf = (kind: Kind): Schema => createSchemas(new Map()).input(kind.shape.strict());

export const schemaOfParams = (type: DomainTypeName): Schema =>
  createSchemas(new Map()).input(domainTypeOf(type).settings.shape);

/** The member names at a path of an entry, for suggestions. */
export function memberNames(kind: Kind, path: readonly string[]): string[] {
  const [first] = path;
  const roots =
    first === 'params'
      ? domainTypeNames.map((type) => ({ properties: { params: schemaOfParams(type) } }))
      : [schemaOf(kind)];
  return [...new Set(roots.flatMap((root) => propertiesAt(root, path)))];
}

function propertiesAt(schema: unknown, [step, ...rest]: readonly string[]): string[] {
  if (!isObject(schema)) return [];
  const options = ['anyOf', 'oneOf', 'allOf'].flatMap((word) =>
    Array.isArray(schema[word]) ? schema[word] : [],
  );
  const inner = options.flatMap((option: unknown) =>
    propertiesAt(option, step === undefined ? [] : [step, ...rest]),
  );
  const { properties, items } = schema;
  if (step === undefined) return [...inner, ...(isObject(properties) ? Object.keys(properties) : [])];
  const next = /^\d+$/.test(step) ? items : isObject(properties) ? properties[step] : undefined;
  return [...inner, ...propertiesAt(next, rest)];
}
