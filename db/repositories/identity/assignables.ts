import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Position } from '../../../shared/kernel/cursor.ts';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groups } from '../../schema/identity/groups.ts';
import { users } from '../../schema/identity/users.ts';
import { searchCondition } from '../records/pages.ts';
import { groups as groupRecords } from './groups.ts';
import { users as userRecords } from './users.ts';

export type AssignableQuery = {
  search?: string | undefined;
  authenticator?: string | undefined;
  ids?: readonly string[] | undefined;
  limit: number;
  after?: Position | undefined;
};

/**
 * Lists users and groups of all domains by name, searched as their own lists are. A query for `limit` + 1 rows shows whether there are
 * more.
 */
export async function listAssignables(db: Db, query: AssignableQuery) {
  const rows = await unionAll(page(db, users, 'user', query), page(db, groups, 'group', query))
    .orderBy(sql`key`, sql`id`)
    .limit(query.limit + 1);
  const items = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? items.at(-1) : undefined;
  return { items: items.map(({ key: _, ...item }) => item), next: last && { key: last.key, id: last.id } };
}

const searched = { user: userRecords.spec, group: groupRecords.spec };

/** One side of the union, limited to one page so that its index is used. */
function page(
  db: Db,
  table: typeof users | typeof groups,
  type: keyof typeof searched,
  query: AssignableQuery,
) {
  const conditions: (SQL | undefined)[] = [
    query.authenticator ? eq(table.authenticator_id, query.authenticator) : undefined,
    query.ids ? inArray(table.id, [...query.ids]) : undefined,
    searchCondition(searched[type], query.search),
    query.after &&
      sql`(${table.name_key}, ${table.id}) > (${String(query.after.key)}, ${query.after.id}::uuid)`,
  ];
  return db
    .select({
      authenticator_id: sql<string>`${authenticators.id}`.as('authenticator_id'),
      authenticator_name: sql<string>`${authenticators.name}`.as('authenticator_name'),
      type: sql<'user' | 'group'>`${type}::text`.as('type'),
      id: sql<string>`${table.id}`.as('id'),
      name: sql<string>`${table.name}`.as('name'),
      key: sql<string>`${table.name_key}`.as('key'),
    })
    .from(table)
    .innerJoin(authenticators, eq(authenticators.id, table.authenticator_id))
    .where(and(...conditions))
    .orderBy(asc(table.name_key), asc(table.id))
    .limit(query.limit + 1);
}
