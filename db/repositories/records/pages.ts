import { and, asc, desc, eq, exists, getTableName, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Position } from '../../../shared/kernel/cursor.ts';
import { containsPattern } from '../../../shared/kernel/text.ts';
import { type Db, readTogether } from '../../client.ts';
import { prebuilt } from '../../prebuilt.ts';
import { rangeCondition } from './list-columns.ts';
import {
  type ListedTable,
  type ListRow,
  type ListSpec,
  narrowedTo,
  type Page,
  type PageQuery,
  type Reach,
  reachable,
  type Selection,
} from './records.ts';
import { type Scope, within } from './scope.ts';
import { sizeLimitedPage } from './size-limited-pages.ts';

/**
 * Returns one keyset page in one statement, which also checks that the owner of a nested collection exists. The total
 * count, if requested, is read in the same batch.
 * @throws Error for an undeclared sort key; the route schema rejects those
 */
export async function listPage<S extends Selection>(
  db: Db,
  { spec }: { readonly spec: ListSpec<S> },
  query: PageQuery,
): Promise<Page<S>> {
  const column = columnOf(spec, query.sort);
  const matching = and(
    reachable(spec, query),
    isElsewhere(query) ? sql`false` : undefined,
    ...filterConditions(spec, query.filters),
    searchCondition(spec, query.search),
  );
  const most = query.limit + 1;
  const page = (h: Db) =>
    pageStatement(h, spec, column, { ...query, after: textOf(query.after), most }, matching);
  const total = (h: Db) =>
    h
      .select({ n: sql<number>`count(*)::int` })
      .from(spec.table as PgTable)
      .where(matching);
  const results: unknown[] = query.count
    ? await readTogether(db, (h) => [page(h), total(h)])
    : [hasNoConditions(query) ? await plainPage(db, spec, query) : await page(db)];
  const [found, counted] = results;
  return assemble(spec, query, found as PageRow<S>[], counted as { n: number }[] | undefined);
}

export const textOf = (after: Position | undefined): TextPosition | undefined =>
  after && { key: String(after.key), id: after.id };

/** True for most pages: nothing but their order, start and length is requested. */
export const hasNoConditions = ({ scope, filters, search }: PageQuery): boolean =>
  scope === '*' && !search && Object.values(filters).every((value) => value === undefined);

type PlainValues = { most: number; key: string; id: string; parent: string };

const plainPages = new WeakMap<object, ReturnType<typeof plainPagesOf>>();

/** A page without conditions, whose text is built once for each order. */
function plainPage<S extends Selection>(
  db: Db,
  spec: ListSpec<S>,
  { sort, after, limit, parent }: PageQuery,
): Promise<unknown[]> {
  const read = plainPages.get(spec) ?? plainPagesOf(spec);
  plainPages.set(spec, read);
  const form: PlainForm = { sort, hasStart: after !== undefined, isNested: parent !== undefined };
  const { key, id } = textOf(after) ?? { key: '', id: '' };
  return read(db, { most: limit + 1, key, id, parent: parent ?? '' }, JSON.stringify(form));
}

type PlainForm = Pick<PageQuery, 'sort'> & { hasStart: boolean; isNested: boolean };

const plainPagesOf = <S extends Selection>(spec: ListSpec<S>) =>
  prebuilt<PlainValues, unknown>((db, { most, key, id, parent }, text) => {
    const { sort, hasStart, isNested }: PlainForm = JSON.parse(text);
    const reach: Reach = { scope: '*', ...(isNested && { parent }) };
    const after = hasStart ? { key, id } : undefined;
    return pageStatement(
      db,
      spec,
      columnOf(spec, sort),
      { ...reach, sort, after, most },
      reachable(spec, reach),
    );
  });

/** `_owner` and rows without `id` occur only in nested collections, `_more` only in weighed pages. */
type PageRow<S extends Selection> = ListRow<S> & {
  id: string | null;
  _key: string;
  _owner?: boolean;
  _more?: boolean;
};

/** `most` is the number of rows. */
type PageParts = Reach & Pick<PageQuery, 'sort'> & { after: TextPosition | undefined; most: number };

function columnOf<S extends Selection>(spec: ListSpec<S>, { key }: PageQuery['sort']): PgColumn {
  const column = spec.sorts[key];
  if (!column) throw new Error(`no sort key ${key}`);
  return column;
}

function pageStatement<S extends Selection>(
  h: Db,
  spec: ListSpec<S>,
  column: PgColumn,
  { sort, after, most, parent, scope }: PageParts,
  matching: SQL | undefined,
) {
  const select = { ...(spec.select as Selection), _key: sortKey(column) };
  const here = and(matching, after && afterCondition(spec, column, after, sort.descending));
  const order = pageOrder(spec.table, column, sort.descending);
  const table = spec.table as PgTable;
  const isNested = spec.parent !== undefined && parent !== undefined;
  if (!isNested && !spec.weight)
    return h
      .select(select)
      .from(table)
      .where(here)
      .orderBy(...order)
      .limit(most);
  const rows = h
    .select()
    .from(table)
    .where(here)
    .orderBy(...order)
    .limit(most)
    .as(getTableName(table));
  if (!spec.parent || parent === undefined) return sizeLimitedPage(h, { ...spec, rows, select, order });
  // A lateral join to a constant row returns the owner check also for an empty page. The limit is inside of the
  // subquery, where the index provides the order.
  return h
    .select({ ...select, _owner: ownerExists(h, spec.parent, parent, scope) })
    .from(sql`(values (1)) as once`)
    .leftJoinLateral(rows, sql`true`)
    .orderBy(...order);
}

const ownerExists = (h: Db, { table, site, where }: Parent, id: string, scope: Scope): SQL =>
  exists(
    h
      .select({ n: sql`1` })
      .from(table as PgTable)
      .where(and(eq(table.id, id), where, site && within(site, scope))),
  );

type Parent = NonNullable<ListSpec<Selection>['parent']>;

/** Order of a page: the sort column, then `id`, in the same direction, so that one row comparison continues it. */
export const pageOrder = (table: ListedTable, column: PgColumn, descending: boolean): SQL[] =>
  descending ? [desc(column), desc(table.id)] : [asc(column), asc(table.id)];

/** The sort key in the form of the cursor: timestamps as text with full precision. */
export const sortKey = (column: PgColumn): SQL => sql`${column}::text`;

/** A position whose sort key is text. */
export type TextPosition = { key: string; id: string };

/** The condition for rows after a position, in the order of the page. */
export const afterCondition = <S extends Selection>(
  spec: ListSpec<S>,
  column: PgColumn,
  after: TextPosition,
  descending: boolean,
): SQL => {
  const key = sql`${after.key}::${sql.raw(column.getSQLType().replace(/ collate.*/, ''))}`;
  const here = sql`(${column}, ${spec.table.id})`;
  return descending ? sql`${here} < (${key}, ${after.id}::uuid)` : sql`${here} > (${key}, ${after.id}::uuid)`;
};

/** A row of several sites must not be found through a site outside of the caller's scope. */
const isElsewhere = ({ scope, filters }: PageQuery): boolean =>
  scope !== '*' && typeof filters.site_id === 'string' && !scope.includes(filters.site_id);

/** The conditions of the given filters. */
export const filterConditions = <S extends Selection>(
  spec: ListSpec<S>,
  filters: Record<string, unknown>,
): (SQL | undefined)[] =>
  Object.entries(filters).map(([name, value]) => {
    if (value === undefined) return undefined;
    if (name === 'ids') return inArray(spec.table.id, value as string[]);
    return spec.filters[name]?.(value as never) ?? rangeCondition(spec, name, value);
  });

/** The condition that one of the search columns contains the text. */
export function searchCondition(
  spec: Pick<ListSpec<Selection>, 'search'>,
  search: string | undefined,
): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return or(...spec.search.map((column) => sql`${column} like ${pattern}`));
}

function assemble<S extends Selection>(
  spec: ListSpec<S>,
  { limit, scope }: PageQuery,
  found: PageRow<S>[],
  counted: { n: number }[] = [],
): Page<S> {
  const present = found.filter(({ id }) => id !== null);
  const rows = present.slice(0, limit);
  const end = rows.at(-1);
  const last = present.length > limit || end?._more ? end : undefined;
  const [total] = counted;
  return {
    rows: rows.map((row) => narrowedTo(spec, row, scope)),
    parentExists: found[0]?._owner !== false,
    ...(last && { next: { key: last._key, id: last.id } }),
    ...(total && { total: total.n }),
  };
}
