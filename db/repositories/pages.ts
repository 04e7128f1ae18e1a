import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Position } from '../../shared/kernel/cursor.ts';
import { containsPattern } from '../../shared/kernel/text.ts';
import { atomically, type Db, type Statement } from '../client.ts';
import {
  type ListRow,
  type ListSpec,
  type Page,
  type PageQuery,
  pageOrder,
  reachable,
  type Selection,
} from './records.ts';
import { type Scope, within } from './scope.ts';

/**
 * One keyset page in one round trip; the total and the owner's existence ride in the same batch when asked for.
 * @throws Error for a sort key that the record does not declare (the route's schema lets none through)
 */
export async function listPage<S extends Selection>(
  db: Db,
  { spec }: { readonly spec: ListSpec<S> },
  query: PageQuery,
): Promise<Page<S>> {
  const column = spec.sorts[query.sort.key];
  if (!column) throw new Error(`no sort key ${query.sort.key}`);
  const matching = and(
    reachable(spec, query),
    ...filterConditions(spec, query.filters),
    searchCondition(spec, query.search),
  );
  const page = (h: Db) => pageStatement(h, spec, column, query, matching);
  const [rows, total, owner] = await run(db, [
    page,
    query.count &&
      ((h: Db) =>
        h
          .select({ n: sql<number>`count(*)::int` })
          .from(spec.table as PgTable)
          .where(matching)),
    spec.parent && query.parent !== undefined && parentStatement(spec.parent, query.parent, query.scope),
  ]);
  return assemble(
    query,
    column,
    rows as ListRow<S>[],
    total?.[0]?.n,
    owner === undefined || owner.length > 0,
  );
}

type Asked = ((handle: Db) => Statement) | false | undefined;
type Answer = Record<string, unknown>[] & { 0?: { n?: unknown } };

async function run(db: Db, asked: Asked[]): Promise<(Answer | undefined)[]> {
  const builders = asked.filter((build) => typeof build === 'function');
  const [only] = builders;
  const results =
    only && builders.length === 1
      ? [await only(db)]
      : await atomically(db, (h) => builders.map((build) => build(h)));
  let next = 0;
  return asked.map((build) => (build ? (results[next++] as Answer) : undefined));
}

function pageStatement<S extends Selection>(
  h: Db,
  spec: ListSpec<S>,
  column: PgColumn,
  { sort, after, limit }: PageQuery,
  matching: SQL | undefined,
): Statement {
  return h
    .select({ ...(spec.select as Selection), _key: sortKey(column) })
    .from(spec.table as PgTable)
    .where(and(matching, after && afterCondition(spec, column, after, sort.descending)))
    .orderBy(...pageOrder(spec.table, column, sort.descending))
    .limit(limit + 1);
}

/** The sort key as the cursor carries it: times as text with all their digits. */
export const sortKey = (column: PgColumn): SQL => sql`${column}::text`;

/** The condition of what comes after a position in the order of the page. */
export const afterCondition = <S extends Selection>(
  spec: ListSpec<S>,
  column: PgColumn,
  after: Position,
  descending: boolean,
): SQL => {
  const key = sql`${String(after.key)}::${sql.raw(column.getSQLType().replace(/ collate.*/, ''))}`;
  const here = sql`(${column}, ${spec.table.id})`;
  return descending ? sql`${here} < (${key}, ${after.id}::uuid)` : sql`${here} > (${key}, ${after.id}::uuid)`;
};

type Parent = NonNullable<ListSpec<Selection>['parent']>;

const parentStatement =
  ({ table, site, where }: Parent, id: string, scope: Scope) =>
  (h: Db): Statement =>
    h
      .select({ n: sql`1` })
      .from(table as PgTable)
      .where(and(eq(table.id, id), where, site && within(site, scope)));

/** The conditions of the filters that are given. */
export const filterConditions = <S extends Selection>(
  spec: ListSpec<S>,
  filters: Record<string, unknown>,
): (SQL | undefined)[] =>
  Object.entries(filters).map(([name, value]) =>
    value === undefined ? undefined : spec.filters[name]?.(value as never),
  );

/** The condition that one of the searched columns contains the text. */
export function searchCondition<S extends Selection>(
  spec: ListSpec<S>,
  search: string | undefined,
): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return or(...spec.search.map((column) => sql`${column} like ${pattern}`));
}

function assemble<S extends Selection>(
  query: PageQuery,
  _column: PgColumn,
  found: ListRow<S>[],
  total: unknown,
  parentExists: boolean,
): Page<S> {
  const rows = found.slice(0, query.limit);
  const last = found.length > query.limit ? rows.at(-1) : undefined;
  const key = last && (Reflect.get(last, '_key') as string);
  return {
    rows,
    parentExists,
    ...(last && key !== undefined && { next: { key, id: last.id } }),
    ...(typeof total === 'number' && { total }),
  };
}
