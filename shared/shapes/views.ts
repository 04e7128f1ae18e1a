import type { z } from 'zod';

/** Converts a row to its public shape. */
export type View<T> = ((row: object) => T) & {
  /** The columns that are shown, and the secret ones of which is only shown whether they have a value. */
  readonly columns: { values: readonly string[]; secrets: readonly string[] };
};

/**
 * Converts a row to its public shape: exactly the members of the schema, with times as RFC 3339 text, and secrets as
 * `null` with `<field>_set`. A new column is not returned until a schema lists it.
 */
export function viewOf<T extends z.ZodObject>(schema: T): View<z.input<T>> {
  const names = Object.keys(schema.shape);
  const secrets = new Set(names.filter((name) => names.includes(`${name}_set`)));
  const members = names.map((name) => ({ name, read: readerOf(name, secrets) }));
  const view = (row: object): z.input<T> => {
    const shown: Record<string, unknown> = {};
    for (const { name, read } of members) shown[name] = read(row as Record<string, unknown>);
    return shown as z.input<T>;
  };
  const values = names.filter((name) => !secrets.has(name));
  return Object.assign(view, { columns: { values, secrets: [...secrets] } });
}

function readerOf(name: string, secrets: ReadonlySet<string>): (row: Record<string, unknown>) => unknown {
  if (secrets.has(name)) return () => null;
  const owner = name.replace(/_set$/, '');
  if (owner !== name && secrets.has(owner)) return (row) => (row[owner] ?? null) !== null;
  return (row) => {
    const value = row[name] ?? null;
    return value instanceof Date ? value.toISOString() : value;
  };
}
