import type { z } from 'zod';

/**
 * Converts a row to its public shape: exactly the members of the schema, with times as RFC 3339 text, and secrets as
 * `null` with `<field>_set`. A new column is not returned until a schema lists it.
 */
export function viewOf<T extends z.ZodObject>(schema: T): (row: object) => z.input<T> {
  const names = Object.keys(schema.shape);
  const secrets = new Set(names.filter((name) => names.includes(`${name}_set`)));
  return (row) => Object.fromEntries(names.map((name) => [name, memberOf(row, name, secrets)])) as z.input<T>;
}

function memberOf(row: object, name: string, secrets: ReadonlySet<string>): unknown {
  if (secrets.has(name)) return null;
  const owner = name.replace(/_set$/, '');
  if (owner !== name && secrets.has(owner)) return (Reflect.get(row, owner) ?? null) !== null;
  const value: unknown = Reflect.get(row, name) ?? null;
  return value instanceof Date ? value.toISOString() : value;
}
