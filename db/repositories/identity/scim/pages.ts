import { and, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Position } from '../../../../shared/kernel/cursor.ts';
import { type Db, readTogether } from '../../../client.ts';
import { groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import type { Filter } from './filter.ts';
import { beyondStart, directed, isDescending, keyOf, mustBeSorted, orderIn, type Sort } from './order.ts';
import { groupRow, groupSource, matchingIn, type Source, userRow, userSource } from './sources.ts';

export type PageRequest = {
  domainId: string;
  filter?: Filter | undefined;
  sort?: Sort | undefined;
  /** Number of rows; 0 only counts. */
  limit: number;
  /** Where the page begins: after a row, or after a number of rows. */
  start: { after: Position } | { offset: number };
};

/**
 * `hasMore`: further rows follow the last one. `key` of a row is its position in the order of the page. `links` is the number of
 * groups of a user, or of members of a group.
 */
export type ScimPage<Row> = { rows: Row[]; total: number; hasMore: boolean };

/** Lists users of a domain. One round trip. @throws FilterFault */
export const listUsers = (db: Db, request: PageRequest) =>
  page(db, request, userSource(request.domainId), (h, key) =>
    h
      .select({ ...userRow, key })
      .from(users)
      .$dynamic(),
  );

/** Lists groups of a domain. One round trip. @throws FilterFault */
export const listGroups = (db: Db, request: PageRequest) =>
  page(db, request, groupSource(request.domainId), (h, key) =>
    h
      .select({ ...groupRow, key })
      .from(groups)
      .$dynamic(),
  );

/** The part of a query builder of Drizzle that is used. */
type Query<Row> = {
  where(condition: SQL | undefined): Query<Row>;
  orderBy(...order: SQL[]): Query<Row>;
  limit(rows: number): Query<Row>;
  offset(rows: number): Query<Row>;
  then: PromiseLike<Row[]>['then'];
};

async function page<Row>(
  db: Db,
  { filter, sort, limit, start }: PageRequest,
  source: Source,
  read: (h: Db, key: SQL<string>) => Query<Row>,
): Promise<ScimPage<Row>> {
  const { table } = source;
  const matching = matchingIn(source, filter, false);
  const order = mustBeSorted(sort, orderIn(source, sort));
  const rows = (h: Db) =>
    read(h, keyOf(order.by))
      .where(and(matching, beyondStart(start, order, sql`${table.id}`, isDescending(sort))))
      .orderBy(...directed([order.by, sql`${table.id}`], isDescending(sort)))
      .limit(limit + 1)
      .offset('offset' in start ? start.offset : 0);
  if (limit === 0) return { rows: [], total: await countOf(db, source, matching), hasMore: false };
  const results = await readTogether(db, (h) => [rows(h) as never, counted(h, source, matching)]);
  const [found, [count]] = results as [Row[], { n: number }[]];
  return { rows: found.slice(0, limit), total: count?.n ?? 0, hasMore: found.length > limit };
}

const counted = (h: Db, { table }: Source, matching: SQL | undefined) =>
  h
    .select({ n: sql<number>`count(*)::int` })
    .from(table as PgTable)
    .where(matching);

async function countOf(db: Db, source: Source, matching: SQL | undefined): Promise<number> {
  const [count] = await counted(db, source, matching);
  return count?.n ?? 0;
}
