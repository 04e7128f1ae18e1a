import { and, inArray, type SQL, sql } from 'drizzle-orm';
import { type Db, readTogether } from '../../../client.ts';
import { groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import { groupsIn } from './groups.ts';
import { beyondStart, directed, isDescending, keyOf, mustBeSorted, type Order, orderIn } from './order.ts';
import type { PageRequest, ScimPage } from './pages.ts';
import { groupRow, groupSource, matchingIn, type Source, userRow, userSource } from './sources.ts';
import { provisionedIn } from './users.ts';

type Found = { kind: Kind; id: string; key: string };
type Kind = 'Users' | 'Groups';
type JointRow = { key: string } & (
  | ({ kind: 'Users' } & RowsOf<'Users'>[number])
  | ({ kind: 'Groups' } & RowsOf<'Groups'>[number])
);
type RowsOf<K extends Kind> = Awaited<ReturnType<typeof readRows>>[K extends 'Users' ? 0 : 1];

/**
 * Lists users and groups of a domain in one order. Attributes that a type does not have are unassigned. Two round trips.
 * @throws FilterFault for an attribute that neither type has, and for one that has no order
 */
export async function listBoth(db: Db, request: PageRequest): Promise<ScimPage<JointRow>> {
  const { rows, total, hasMore } = await positions(db, request);
  const idsOf = (wanted: Kind) => rows.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const [userRows, groupRows] = rows.length === 0 ? [[], []] : await readRows(db, request.domainId, idsOf);
  const [usersById, groupsById] = [byId(userRows), byId(groupRows)];
  const complete = ({ kind, id, key }: Found): JointRow | undefined => {
    const [user, group] = [usersById.get(id), groupsById.get(id)];
    if (kind === 'Users') return user && { kind, key, ...user };
    return group && { kind, key, ...group };
  };
  // A row that was deleted meanwhile is missing.
  return { rows: rows.map(complete).filter((row) => row !== undefined), total, hasMore };
}

const byId = <Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.id, row]));

async function readRows(db: Db, domainId: string, idsOf: (kind: Kind) => string[]) {
  const userQuery = (h: Db) =>
    h
      .select(userRow)
      .from(users)
      .where(and(provisionedIn(domainId), inArray(users.id, idsOf('Users'))));
  const groupQuery = (h: Db) =>
    h
      .select(groupRow)
      .from(groups)
      .where(and(groupsIn(domainId), inArray(groups.id, idsOf('Groups'))));
  const results = await readTogether(db, (h) => [userQuery(h), groupQuery(h)]);
  return results as [Awaited<ReturnType<typeof userQuery>>, Awaited<ReturnType<typeof groupQuery>>];
}

async function positions(db: Db, request: PageRequest): Promise<ScimPage<Found>> {
  const { domainId, sort, limit, start } = request;
  const sources: Record<Kind, Source> = { Users: userSource(domainId), Groups: groupSource(domainId) };
  const orders = { Users: orderIn(sources.Users, sort), Groups: orderIn(sources.Groups, sort) };
  const { type } = mustBeSorted(sort, orders.Users ?? orders.Groups);
  const parts = (['Users', 'Groups'] as const).map((kind) =>
    partOf(kind, sources[kind], orders[kind]?.by ?? sql`null::${sql.raw(type)}`, request),
  );
  const both = sql`(${sql.join(parts, sql` union all `)}) as found`;
  const order: Order = { by: sql`(found.sorted)`, type, isNullable: true };
  const rows = (h: Db) =>
    h
      .select({ kind: sql<Kind>`found.kind`, id: sql<string>`found.id`, key: keyOf(sql`found.sorted`) })
      .from(both)
      .where(beyondStart(start, order, sql`found.id`, isDescending(sort)))
      .orderBy(...directed([sql`found.sorted`, sql`found.id`], isDescending(sort)))
      .limit(limit + 1)
      .offset('offset' in start ? start.offset : 0);
  const counted = (h: Db) => h.select({ n: sql<number>`count(*)::int` }).from(both);
  const results = await readTogether(db, (h) => [rows(h), counted(h)]);
  const [found, [count]] = results as [Found[], { n: number }[]];
  return { rows: found.slice(0, limit), total: count?.n ?? 0, hasMore: found.length > limit };
}

function partOf(kind: Kind, source: Source, sorted: SQL, { filter }: PageRequest): SQL {
  const { table } = source;
  return sql`select ${kind}::text as kind, ${table.id} as id, ${sorted} as sorted from ${table}
    where ${matchingIn(source, filter, true)}`;
}
