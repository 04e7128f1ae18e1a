import { and, eq, inArray, is, SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { prebuiltStatement, type StatementValues } from '../../prebuilt.ts';
import { guards } from '../../schema/guards.ts';

/** Fails the batch with an error code unless the condition holds: `<code>` or `<code>:<reason>`. */
export const must = (handle: Db, condition: SQL, code: string) =>
  handle.select({ raised: sql`must((${condition}), ${code})` }).from(sql`(values (1)) as once`);

/** The statements that write one row of a table. Their texts are built once for each set of columns. */
export function rowStatements(table: PgTable & { id: PgColumn; revision: PgColumn }) {
  const build = {
    insert: (h: Db, values: StatementValues) => h.insert(table).values(values as never),
    update: (h: Db, { id, ...values }: StatementValues) =>
      h
        .update(table)
        .set({ ...values, updated_at: sql`now()` })
        .where(eq(table.id, id)),
  };
  const texts = {
    insert: prebuiltStatement((h, values, form) => build.insert(h, pick(values, form))),
    update: prebuiltStatement((h, values, form) => build.update(h, pick(values, form))),
  };
  const written = (verb: keyof typeof build) => (h: Db, values: StatementValues) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const isPlain = given.every(([, value]) => !is(value, SQL));
    return isPlain
      ? texts[verb](h, values, JSON.stringify(given.map(([name]) => name)))
      : build[verb](h, values);
  };
  return {
    insert: written('insert'),
    update: written('update'),
    /** Locks the row and fails the batch unless it is at this revision. Of two concurrent writers one succeeds. */
    lock: prebuiltStatement<{ id: string; revision: number }>((h, { id, revision }) =>
      must(
        h,
        sql`(select ${table.revision} from ${table} where ${table.id} = ${id} for update) = ${revision}`,
        'precondition_failed',
      ),
    ),
  };
}

function pick(values: StatementValues, form: string): StatementValues {
  const names: string[] = JSON.parse(form);
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** Locks a guard row, so that batches that check the same rule run in sequence. */
export const lockGuard = (
  handle: Db,
  name: 'administrators' | 'roles' | 'audit' | 'parameters' | 'tags',
): Statement => handle.select({ name: guards.name }).from(guards).where(eq(guards.name, name)).for('update');

/** A many-to-many relation of a record, in a table with the columns `owner` and `member`. */
export type Link = {
  table: PgTable;
  owner: PgColumn;
  member: PgColumn;
  /** Further columns of the relation. Members are then objects with these columns and `member`, by column name. */
  details?: readonly PgColumn[];
  /** The condition that the owner has an invalid member; the write is then rejected. */
  unfit?: (owner: string) => SQL;
};

/**
 * A column computed by a subselect. The nested template is required: Drizzle omits table names from columns in the
 * select of a single table, and a correlated subselect would compare a column with itself.
 */
export const derived = <T>(subselect: SQL): SQL<T> => sql<T>`${sql`(${subselect})`}`;

/** The member ids of a link as an array column. */
export const memberIds = ({ table, owner, member }: Link, record: PgColumn): SQL<string[]> =>
  derived(sql`array(select ${member} from ${table} where ${owner} = ${record} order by ${member})`);

/** The members of a link with details as an array of objects, ordered by id. */
export const memberObjects = <T>(
  { table, owner, member, details = [] }: Link,
  record: PgColumn,
): SQL<T[]> => {
  const pairs = [member, ...details].map((column) => sql`${sql.raw(`'${column.name}'`)}, ${column}`);
  return derived(sql`select coalesce(jsonb_agg(jsonb_build_object(${sql.join(pairs, sql`, `)}) order by ${member}), '[]')
    from ${table} where ${owner} = ${record}`);
};

/** Number of rows of a table that refer to the record through `by`. */
export const countOf = (table: PgTable, by: PgColumn, record: PgColumn): SQL<number> =>
  derived(sql`select count(*)::int from ${table} where ${by} = ${record}`);

/** The name of the row that `by` refers to. */
export const nameOf = (table: PgTable & { id: PgColumn; name: PgColumn }, by: PgColumn): SQL<string> =>
  derived(sql`select ${table.name} from ${table} where ${table.id} = ${by}`);

/** An id, or an object with the id and further columns. */
export type Member = string | Readonly<Record<string, unknown>>;

/** Replaces the members of a link; details are always rewritten. */
export function setMembers(handle: Db, link: Link, id: string, members: readonly Member[]): Statement[] {
  const present = link.details ? [] : members.filter((member) => typeof member === 'string');
  const others = present.length ? sql`${link.member} <> all(${arrayOf(present)})` : undefined;
  const remove = handle.delete(link.table).where(and(eq(link.owner, id), others));
  if (members.length === 0) return [remove];
  const owner = keyOf(link, link.owner);
  const rows = members.map((member) => ({
    [owner]: id,
    ...(typeof member === 'string' ? { [keyOf(link, link.member)]: member } : member),
  }));
  return [remove, handle.insert(link.table).values(rows).onConflictDoNothing()];
}

/** A list of ids as one `uuid[]` parameter, so that the text of a statement does not depend on its length. */
export const arrayOf = (ids: readonly string[]): SQL => sql`${sql.param(`{${ids.join(',')}}`)}::uuid[]`;

export const oneOf = (column: PgColumn, ids: readonly string[]): SQL =>
  ids.length > 20 ? sql`${column} = any(${arrayOf(ids)})` : inArray(column, [...ids]);

const keyOf = (link: Link, column: PgColumn): string => {
  const found = Object.entries(link.table).find(([, value]) => value === column);
  if (!found) throw new Error(`no column ${column.name} in the link`);
  return found[0];
};
