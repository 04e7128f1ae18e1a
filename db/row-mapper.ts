import { Column, getTableName, is, SQL, Subquery } from 'drizzle-orm';
import type { PgSession } from 'drizzle-orm/pg-core';

/** The fields of a query, as Drizzle prepares it. */
type Fields = NonNullable<Parameters<PgSession['prepareQuery']>[1]>;
type Field = Fields[number];

/** Names of tables whose columns cannot all be null. */
type NotNullable = Readonly<Record<string, boolean>> | undefined;

type Decode = (value: unknown) => unknown;
type RowMapper = (row: readonly unknown[]) => Record<string, unknown>;

/**
 * Compiles the mapping of rows that Drizzle computes anew for each value of each row. An outer join without a match
 * gives null for its object.
 */
export function rowMapper(fields: Fields, notNullable: NotNullable): RowMapper {
  const columns = fields.map((field, at) => ({ at, decode: decoderOf(field), ...placeOf(field) }));
  const absent = nullableObjects(fields, notNullable);
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const { at, decode, object, name } of columns) {
      const value = row[at] === null ? null : decode(row[at]);
      if (object === undefined) result[name] = value;
      else memberOf(result, object)[name] = value;
    }
    for (const { object, at } of absent) if (row[at] === null) result[object] = null;
    return result;
  };
}

function memberOf(result: Record<string, unknown>, object: string): Record<string, unknown> {
  const member = (result[object] ?? {}) as Record<string, unknown>;
  result[object] = member;
  return member;
}

function placeOf({ path }: Field): { object: string | undefined; name: string } {
  const [first = '', second, ...rest] = path;
  if (rest.length > 0) throw new Error('rows are nested once at most');
  return second === undefined ? { object: undefined, name: first } : { object: first, name: second };
}

function decoderOf({ field }: Field): Decode {
  const decoder = decodes(field);
  return (value) => decoder.mapFromDriverValue(value);
}

function decodes(field: Field['field']): { mapFromDriverValue: Decode } {
  if (is(field, Column)) return field as { mapFromDriverValue: Decode };
  if (is(field, SQL)) return withDecoder(field);
  if (is(field, Subquery)) return withDecoder(field._.sql);
  return withDecoder(field.sql);
}

/** The decoder of an expression is not part of the declarations of Drizzle. */
const withDecoder = (expression: SQL): { mapFromDriverValue: Decode } =>
  (expression as unknown as { decoder: { mapFromDriverValue: Decode } }).decoder;

/** Objects of one outer-joined table, each with its first column, which is never null in a row of the table. */
function nullableObjects(fields: Fields, notNullable: NotNullable): { object: string; at: number }[] {
  if (!notNullable) return [];
  const firsts = new Map<string, { at: number; tables: Set<string> }>();
  for (const [at, { path, field }] of fields.entries()) {
    const [object = ''] = path;
    if (!is(field, Column) || path.length !== 2) continue;
    const first = firsts.get(object) ?? { at, tables: new Set() };
    firsts.set(object, { ...first, tables: first.tables.add(getTableName(field.table)) });
  }
  return [...firsts].flatMap(([object, { at, tables }]) => {
    const [table = '', ...others] = tables;
    return others.length === 0 && !notNullable[table] ? [{ object, at }] : [];
  });
}
