import { and, asc, type Column, is, type SQL, sql } from 'drizzle-orm';
import { PgColumn } from 'drizzle-orm/pg-core';
import { auditList } from '../audit/list.ts';
import { monitoring } from '../monitoring/list.ts';
import { portals } from '../monitoring/portals.ts';
import { filterConditions, searchCondition } from '../records/pages.ts';
import type { ListSpec, Selection } from '../records/records.ts';
import { tags } from '../sites/tags.ts';
import type { ExportSubject } from './files.ts';

/** Encoding of a value in the export: text, plain (number or boolean), or JSON. */
type MemberKind = 'text' | 'plain' | 'json';
export type Member = { name: string; kind: MemberKind };
/** A row with each value as text, by member name. */
export type ExportRow = Record<string, string | null>;

/** `rows` selects each member as text, ordered by time or name; `count` selects the number of rows. */
export type ExportQuery = { members: readonly Member[]; rows: SQL; count: SQL };

type Source = { spec: Spec; order: string; hidden: readonly string[] };
type Spec = Pick<ListSpec<Selection>, 'table' | 'select' | 'search' | 'sorts' | 'filters' | 'ranges'>;

const sources: Record<ExportSubject, Source> = {
  audit: { spec: auditList.spec, order: 'at', hidden: [] },
  monitoring: { spec: monitoring.spec, order: 'at', hidden: ['revision'] },
  tags: { spec: tags.spec, order: 'name', hidden: ['revision'] },
  portals: { spec: portals.spec, order: 'name', hidden: ['revision', 'metrics'] },
};

/**
 * Builds the statements of an export. Its members are those of the list.
 * @param filters filters of the list, including `search`
 * @param limit maximum number of rows
 */
export function exportQuery(
  subject: ExportSubject,
  { search, ...filters }: Record<string, unknown>,
  limit: number,
): ExportQuery {
  const { spec, order, hidden } = sources[subject];
  const sortedBy = spec.sorts[order];
  if (!sortedBy) throw new Error(`${subject} has no order ${order}`);
  const matching = and(
    ...filterConditions(spec, filters),
    searchCondition(spec, typeof search === 'string' ? search : undefined),
  );
  const where = matching ? sql`where ${matching}` : sql``;
  const selected = Object.entries(spec.select).filter(([name]) => !hidden.includes(name));
  const columns = selected.map(([name, value]) => sql`${textOf(value)} as ${sql.identifier(name)}`);
  return {
    members: selected.map(([name, value]) => ({ name, kind: kindOf(value) })),
    rows: sql`select ${sql.join(columns, sql`, `)} from ${spec.table} ${where}
      order by ${sql.join([asc(sortedBy), asc(spec.table.id)], sql`, `)} limit ${limit}::bigint`,
    count: sql`select count(*)::float8 as n from ${spec.table} ${where}`,
  };
}

type Value = Selection[string];

/** Computed values are exported as JSON, because their type is known only to the database. */
function kindOf(value: Value): MemberKind {
  if (!is(value, PgColumn)) return 'json';
  const { dataType } = value satisfies Column;
  if (dataType === 'json' || dataType === 'array') return 'json';
  return dataType === 'number' || dataType === 'bigint' || dataType === 'boolean' ? 'plain' : 'text';
}

function textOf(value: Value): SQL {
  if (!is(value, PgColumn) || kindOf(value) === 'json') return sql`to_json(${value})::text`;
  if (value.dataType === 'date')
    return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return sql`${value}::text`;
}
