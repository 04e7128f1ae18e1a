import { getTableColumns, getTableName, or, type SQL, type Subquery, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import type { ListedTable, Selection } from './records.ts';

/** Maximum size in bytes of the rows of a page. */
export const pageBytes = 4_000_000;

type SizeLimitedRows = {
  table: ListedTable;
  weight?: SQL<number>;
  /** The rows of the page in order, under the name of their table. */
  rows: Subquery;
  select: Selection;
  order: readonly SQL[];
};

/**
 * Returns the rows of a page up to the maximum size, and at least one row. `_more` of the last row shows whether
 * further rows exist. The size of a response is therefore independent of the length of texts.
 */
export function sizeLimitedPage(h: Db, { table, weight, rows, select, order }: SizeLimitedRows) {
  const name = getTableName(table as PgTable);
  const window = sql`(order by ${sql.join([...order], sql`, `)} rows unbounded preceding)`;
  const accumulated = h
    .select({
      ...getTableColumns(table as PgTable),
      _weight: sql<number>`sum(${weight ?? sql`0`}) over ${window}`.as('_weight'),
      _place: sql<number>`row_number() over ${window}`.as('_place'),
      _more: sql<boolean>`lead(1) over ${window} is not null`.as('_more'),
    })
    .from(rows)
    .as(name);
  return h
    .select({ ...select, _more: sql<boolean>`${accumulated._more}` })
    .from(accumulated)
    .where(or(sql`${accumulated._weight} <= ${pageBytes}`, sql`${accumulated._place} = 1`))
    .orderBy(accumulated._place);
}
