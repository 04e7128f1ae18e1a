import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { guards } from '../../schema/guards.ts';

/** Ends the batch with an error code unless the condition holds: `<code>` or `<code>:<reason>`. */
export const must = (handle: Db, condition: SQL, code: string): Statement =>
  handle.select({ raised: sql`must((${condition}), ${code})` }).from(sql`(values (1)) as once`);

/** Locks a named row, so that batches that judge the same rule follow one another. */
export const lockGuard = (
  handle: Db,
  name: 'administrators' | 'roles' | 'audit' | 'parameters' | 'tags',
): Statement => handle.select({ name: guards.name }).from(guards).where(eq(guards.name, name)).for('update');

/** A many-to-many relation of a record: rows of `owner` and `member` in a table of their own. */
export type Link = {
  table: PgTable;
  owner: PgColumn;
  member: PgColumn;
  /** Columns that a membership has besides; members are then objects of these and of `member`, by column name. */
  details?: readonly PgColumn[];
  /** True when the owner has a member that cannot be one of his; the write is then refused. */
  unfit?: (owner: string) => SQL;
};

/**
 * A column computed by a subselect. The wrapping matters: Drizzle drops table names from the columns of an
 * expression that stands directly in the select of one table, and a correlated subselect would compare with itself.
 */
export const derived = <T>(subselect: SQL): SQL<T> => sql<T>`${sql`(${subselect})`}`;

/** The member ids of a link as an array column of the owning record's select. */
export const memberIds = ({ table, owner, member }: Link, record: PgColumn): SQL<string[]> =>
  derived(sql`array(select ${member} from ${table} where ${owner} = ${record} order by ${member})`);

/** The members of a link with details as an array of objects, ordered by their ids. */
export const memberObjects = <T>(
  { table, owner, member, details = [] }: Link,
  record: PgColumn,
): SQL<T[]> => {
  const pairs = [member, ...details].map((column) => sql`${sql.raw(`'${column.name}'`)}, ${column}`);
  return derived(sql`select coalesce(jsonb_agg(jsonb_build_object(${sql.join(pairs, sql`, `)}) order by ${member}), '[]')
    from ${table} where ${owner} = ${record}`);
};

/** How many rows of a table name the record in `by`. */
export const countOf = (table: PgTable, by: PgColumn, record: PgColumn): SQL<number> =>
  derived(sql`select count(*)::int from ${table} where ${by} = ${record}`);

/** The name of the one row that `by` refers to. */
export const nameOf = (table: PgTable & { id: PgColumn; name: PgColumn }, by: PgColumn): SQL<string> =>
  derived(sql`select ${table.name} from ${table} where ${table.id} = ${by}`);

/** An id, or with details an object that has the id among its members. */
export type Member = string | Readonly<Record<string, unknown>>;

/** Makes the members of a link exactly these; their details are written anew. */
export function setMembers(handle: Db, link: Link, id: string, members: readonly Member[]): Statement[] {
  const kept = link.details ? [] : members.filter((member) => typeof member === 'string');
  const others = kept.length ? sql`${link.member} <> all(${arrayOf(kept)})` : undefined;
  const remove = handle.delete(link.table).where(and(eq(link.owner, id), others));
  if (members.length === 0) return [remove];
  const owner = keyOf(link, link.owner);
  const rows = members.map((member) => ({
    [owner]: id,
    ...(typeof member === 'string' ? { [keyOf(link, link.member)]: member } : member),
  }));
  return [remove, handle.insert(link.table).values(rows).onConflictDoNothing()];
}

/** A parameter list as one `uuid[]`, so that a statement's text does not change with its length. */
export const arrayOf = (ids: readonly string[]): SQL => sql`${sql.param(`{${ids.join(',')}}`)}::uuid[]`;

export const oneOf = (column: PgColumn, ids: readonly string[]): SQL =>
  ids.length > 20 ? sql`${column} = any(${arrayOf(ids)})` : inArray(column, [...ids]);

const keyOf = (link: Link, column: PgColumn): string => {
  const found = Object.entries(link.table).find(([, value]) => value === column);
  if (!found) throw new Error(`no column ${column.name} in the link`);
  return found[0];
};
