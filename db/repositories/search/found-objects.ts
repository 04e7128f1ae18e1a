import { and, asc, like, not, SQL, sql } from 'drizzle-orm';
import { type PgColumn, type PgTable, unionAll } from 'drizzle-orm/pg-core';
import { containsPattern, foldName } from '../../../shared/kernel/text.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import { type Db, readTogether } from '../../client.ts';
import { type ListedTable, type ListSpec, reachable, type Selection } from '../records/records.ts';
import type { Scope } from '../records/scope.ts';

/** A type of objects whose names are searched, and which of them the caller may read. */
export type SearchedType = {
  type: ResourceType;
  table: ListedTable;
  /** The identifier in the API. */
  id: PgColumn;
  name: PgColumn | SQL;
  /** The folded name, with an index. */
  key: PgColumn | SQL;
  /** Further texts that are searched. */
  also?: readonly (PgColumn | SQL)[];
  /** The object that it belongs to, such as the domain of a user. */
  parent?: { id: PgColumn; name: SQL<string> } | undefined;
  where: SQL | undefined;
};

export type FoundObject = {
  type: ResourceType;
  id: string;
  name: string;
  parent: { id: string; name: string } | null;
};

/** Records of a type. @throws Error for records without a name */
export function searchedRecords(type: ResourceType, spec: ListSpec<Selection>, scope: Scope): SearchedType {
  const { table, select, sorts, search, parent } = spec;
  const { name } = select;
  const key = sorts.name;
  if (!key || !name) throw new Error(`${type}: objects without a name cannot be searched`);
  return {
    ...{ type, table, id: table.id, name: name instanceof SQL.Aliased ? name.sql : name, key },
    also: search.filter((column) => column !== key),
    parent: parent && { id: parent.column as PgColumn, name: nameOfOwner(parent) },
    where: reachable(spec, { scope }),
  };
}

const nameOfOwner = ({ table, column }: NonNullable<ListSpec<Selection>['parent']>): SQL<string> =>
  sql<string>`(select owner.name from ${table} owner where owner.id = ${column})`;

/** Texts of fewer characters are compared with the beginning of names: the index of their parts needs three. */
const fewest = 3;

/**
 * Finds objects by a part of their names, at most `most` of each type: first those whose names begin with the text. The
 * types are read in one batch.
 */
export async function findObjects(
  db: Db,
  searched: readonly SearchedType[],
  text: string,
  most: number,
): Promise<FoundObject[]> {
  const results = await readTogether(db, (h) => searched.map((kind) => statement(h, kind, text, most)));
  return searched.flatMap(({ type }, at) => (results[at] as FoundRow[]).map((row) => objectOf(type, row)));
}

type FoundRow = { id: string; name: string; parent_id: string | null; parent_name: string | null };

const objectOf = (type: ResourceType, { id, name, parent_id, parent_name }: FoundRow): FoundObject => ({
  type,
  id,
  name,
  parent: parent_id === null ? null : { id: parent_id, name: parent_name ?? '' },
});

/** Names that begin with the text are a range of the index of names, so that they are found among any number of rows. */
function statement(h: Db, kind: SearchedType, text: string, most: number) {
  const begins = like(sql`${kind.key}`, containsPattern(text).slice(1));
  if (foldName(text).length < fewest) return rowsOf(h, kind, begins, 0, most);
  const pattern = containsPattern(text);
  const contains = sql.join(
    [kind.key, ...(kind.also ?? [])].map((column) => sql`${column} like ${pattern}`),
    sql` or `,
  );
  const others = and(not(begins), sql`(${contains})`);
  return unionAll(rowsOf(h, kind, begins, 0, most), rowsOf(h, kind, others, 1, most))
    .orderBy(sql`rank`, sql`key`, sql`id`)
    .limit(most);
}

function rowsOf(h: Db, kind: SearchedType, matches: SQL | undefined, rank: number, most: number) {
  const { table, id, name, key, parent, where } = kind;
  const none = sql<string | null>`null::text`;
  return h
    .select({
      id: sql<string>`${id}::text`.as('id'),
      name: sql<string>`coalesce(${name}, '')`.as('name'),
      parent_id: (parent ? sql<string | null>`${parent.id}::text` : none).as('parent_id'),
      parent_name: (parent ? sql<string | null>`${parent.name}` : none).as('parent_name'),
      rank: sql<number>`${sql.raw(String(rank))}::int`.as('rank'),
      key: sql<string>`${key}`.as('key'),
    })
    .from(table as PgTable)
    .where(and(where, matches))
    .orderBy(asc(sql`${key}`), asc(table.id))
    .limit(most);
}
