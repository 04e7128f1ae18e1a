import { getTableColumns, getTableName, or, type SQL, type Subquery, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import type { ListedTable, Selection } from './records.ts';

/** Bytes that the rows of a page may have together. */
export const pageBytes = 4_000_000;

type Weighed = {
  table: ListedTable;
  weight?: SQL<number>;
  /** The rows of the page in their order, under the name of their table. */
  rows: Subquery;
  select: Selection;
  order: readonly SQL[];
};

/**
 * The rows of a page as far as one answer may hold them, the first one whatever it weighs; `_more` of the last one
 * tells whether there are further ones. So what an answer weighs does not depend on how long somebody made his texts.
 */
export function lightPage(h: Db, { table, weight, rows, select, order }: Weighed): Statement {
  const name = getTableName(table as PgTable);
  const window = sql`(order by ${sql.join([...order], sql`, `)} rows unbounded preceding)`;
  const weighed = h
    .select({
      ...getTableColumns(table as PgTable),
      _weight: sql<number>`sum(${weight ?? sql`0`}) over ${window}`.as('_weight'),
      _place: sql<number>`row_number() over ${window}`.as('_place'),
      _more: sql<boolean>`lead(1) over ${window} is not null`.as('_more'),
    })
    .from(rows)
    .as(name);
  return h
    .select({ ...select, _more: sql<boolean>`${weighed._more}` })
    .from(weighed)
    .where(or(sql`${weighed._weight} <= ${pageBytes}`, sql`${weighed._place} = 1`))
    .orderBy(weighed._place);
}
