import { Column, is, SQL, sql } from 'drizzle-orm';
import { PgColumn, PgTimestamp } from 'drizzle-orm/pg-core';
import type { ListSpec, Selection } from './records.ts';

/** The columns of a row that a view shows, and the secret ones of which it only shows whether they have a value. */
export type ShownColumns = { values: readonly string[]; secrets: readonly string[] };

/**
 * A list that only reads the columns that its view shows. Times are RFC 3339 texts, and secrets are `true` or null. A
 * list that is narrowed to a scope reads all columns, because the narrowing can depend on any of them.
 */
export function listShowing<S extends Selection>(
  { spec }: { readonly spec: ListSpec<S> },
  { values, secrets }: ShownColumns,
): { spec: ListSpec<Selection> } {
  const { select, narrowed, ...others } = spec;
  if (narrowed) return { spec };
  const columns = Object.entries<Selection[string]>(select).flatMap(([name, column]) => {
    if (values.includes(name)) return [[name, asShown(column)]];
    return secrets.includes(name) ? [[name, sql`nullif(${column} is not null, false)`]] : [];
  });
  return { spec: { ...others, select: { ...Object.fromEntries(columns), id: select.id } } };
}

/** To parse a time and to format it again takes longer than everything else that is done with a row. */
function asShown(column: Selection[string]): Selection[string] {
  return isMoment(column) ? sql`${column}`.mapWith(momentText) : column;
}

function isMoment(column: Selection[string]): boolean {
  if (is(column, Column)) return is(column, PgTimestamp);
  // The decoder of an expression is not part of the declarations of Drizzle.
  const { decoder } = (is(column, SQL) ? column : column.sql) as unknown as { decoder: unknown };
  return is(decoder, PgTimestamp);
}

/**
 * Converts a time from the text form of PostgreSQL to RFC 3339, in UTC with milliseconds.
 * @example `2026-11-23 13:12:48.12+00` gives `2026-11-23T13:12:48.120Z`
 */
export function momentText(text: string): string {
  const isPlain = text.length >= 22 && text.length <= 26 && text[10] === ' ' && text.endsWith('+00');
  if (!isPlain) return new Date(text).toISOString();
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`;
}

/** Comparisons by the end of the name of a filter. The upper bound of a time is exclusive. */
const comparisons: Readonly<Record<string, SQL>> = {
  from: sql`>=`,
  to: sql`<`,
  min: sql`>=`,
  max: sql`<=`,
};

/** The condition of a filter such as `created_at_from` or `priority_max`. Rows without a value do not match. */
export function rangeCondition<S extends Selection>(
  { select, ranges }: Pick<ListSpec<S>, 'select' | 'ranges'>,
  name: string,
  value: unknown,
): SQL | undefined {
  const [, member = '', end = ''] = /^(\w+)_(from|to|min|max)$/.exec(name) ?? [];
  const column = ranges?.[member] ?? (select as Selection)[member];
  const comparison = comparisons[end];
  if (!column || !comparison) return undefined;
  // A number of any size can be compared with an index of integers.
  return typeof value === 'number'
    ? sql`${column} ${comparison} ${value}::bigint`
    : sql`${column} ${comparison} ${value}::timestamptz`;
}

/** The members of a list that can be restricted to a range: columns with times and numbers. */
export function rangedMembers<S extends Selection>({
  select,
  ranges = {},
}: ListSpec<S>): {
  times: string[];
  numbers: string[];
} {
  const columns = Object.entries<unknown>({ ...select, ...ranges });
  const named = (fits: (column: PgColumn) => boolean): string[] =>
    columns.flatMap(([name, column]) => (is(column, PgColumn) && fits(column) ? [name] : []));
  return {
    times: named((column) => is(column, PgTimestamp)),
    numbers: named(({ dataType }) => dataType === 'number'),
  };
}
