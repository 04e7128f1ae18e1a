import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Position } from '../../../../shared/kernel/cursor.ts';
import { type Db, readTogether } from '../../../client.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import { derived } from '../../records/statements.ts';
import { groupAttributes, userAttributes } from './attributes.ts';
import { type Attribute, type Attributes, conditionOf } from './conditions.ts';
import { type AttributePath, attributeOf, type Filter, FilterFault } from './filter.ts';
import { groupColumns, groupsIn } from './groups.ts';
import { provisionedIn, userColumns } from './users.ts';

export type PageRequest = {
  domainId: string;
  filter?: Filter | undefined;
  /** Unknown attributes of the filter have no value. */
  isLenient?: boolean;
  sort?: { by: AttributePath; descending: boolean } | undefined;
  /** Number of rows; 0 only counts. */
  limit: number;
  /** Where the page begins: after a row, or after a number of rows. */
  start: { after: Position } | { offset: number };
};

/** `hasMore`: further rows follow the last one. `key` of a row is its position in the order of the page. */
export type ScimPage<Row> = { rows: Row[]; total: number; hasMore: boolean };

const groupRow = {
  ...groupColumns,
  memberCount: derived<number>(
    sql`select count(*)::int from ${groupMembers} where ${groupMembers.group_id} = ${groups.id}`,
  ),
};

/**
 * Lists users of a domain. One round trip.
 * @throws FilterFault
 */
export const listUsers = (db: Db, request: PageRequest) =>
  page(db, request, {
    table: users,
    created: users.created_at,
    attributes: userAttributes,
    within: provisionedIn(request.domainId),
    read: (h, key) =>
      h
        .select({ ...userColumns, key })
        .from(users)
        .$dynamic(),
  });

/** Lists groups of a domain with the number of their members. One round trip. */
export const listGroups = (db: Db, request: PageRequest) =>
  page(db, request, {
    table: groups,
    created: groups.created_at,
    attributes: groupAttributes,
    within: groupsIn(request.domainId),
    read: (h, key) =>
      h
        .select({ ...groupRow, key })
        .from(groups)
        .$dynamic(),
  });

/** The part of a query builder of Drizzle that is used. */
type Query<Row> = {
  where(condition: SQL | undefined): Query<Row>;
  orderBy(...order: SQL[]): Query<Row>;
  limit(rows: number): Query<Row>;
  offset(rows: number): Query<Row>;
  then: PromiseLike<Row[]>['then'];
};

type Source<Row> = {
  table: PgTable & { id: PgColumn };
  created: PgColumn;
  attributes: Attributes;
  within: SQL;
  read(h: Db, key: SQL<string>): Query<Row>;
};

type Keyed = { id: string; key: string };

async function page<Row extends Keyed>(
  db: Db,
  { filter, isLenient, sort, limit, start }: PageRequest,
  { table, created, attributes, within, read }: Source<Row>,
): Promise<ScimPage<Row>> {
  const matching = and(within, filter && conditionOf(filter, attributes, isLenient));
  const order = sort ? orderOf(sort.by, attributes) : { by: sql`${created}`, type: sql`timestamptz` };
  const descending = sort?.descending ?? false;
  const total = (h: Db) =>
    h
      .select({ n: sql<number>`count(*)::int` })
      .from(table as PgTable)
      .where(matching);
  const after = 'after' in start ? start.after : undefined;
  const position = after && sql`(${String(after.key)}::${order.type}, ${after.id}::uuid)`;
  const beyond = position && sql`(${order.by}, ${table.id}) ${descending ? sql`<` : sql`>`} ${position}`;
  const direction = descending ? desc : asc;
  const rows = (h: Db) =>
    read(h, sql<string>`(${order.by})::text`)
      .where(and(matching, beyond))
      .orderBy(direction(order.by), direction(table.id))
      .limit(limit + 1)
      .offset('offset' in start ? start.offset : 0);
  const results =
    limit === 0 ? [[], await total(db)] : await readTogether(db, (h) => [rows(h) as never, total(h)]);
  const [found, counted] = results as [Row[], { n: number }[]];
  return { rows: found.slice(0, limit), total: counted[0]?.n ?? 0, hasMore: found.length > limit };
}

/** The expression of a sort, and the type of its values as text. */
function orderOf(path: AttributePath, attributes: Attributes): { by: SQL; type: SQL } {
  const found = attributes[attributeOf(path).toLowerCase()];
  if (!found) throw new FilterFault('attribute', attributeOf(path));
  return sortable(found, path);
}

function sortable(attribute: Attribute, path: AttributePath): { by: SQL; type: SQL } {
  switch (attribute.type) {
    case 'text': {
      const text = attribute.caseExact ? attribute.text : sql`lower(${attribute.text})`;
      return { by: sql`(${text}) collate "C"`, type: sql`text` };
    }
    case 'moment':
      return { by: attribute.value, type: sql`timestamptz` };
    case 'boolean':
      return { by: attribute.value, type: sql`boolean` };
    case 'values': {
      const value = attribute.members.value;
      // Only users have a single address; a group has many members.
      if (value?.type !== 'text' || attributeOf(path).toLowerCase() !== 'emails')
        throw new FilterFault('attribute', attributeOf(path));
      return sortable(value, path);
    }
  }
}
