import { and, asc, desc, eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Position } from '../../../shared/kernel/cursor.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { liesWithin, type Scope, sharesSite, within } from './scope.ts';
import { type Link, type Member, must, setMembers } from './statements.ts';

/** A table whose rows are listed. */
export type ListedTable = PgTable & { id: PgColumn };
/** A table of administered objects (see `recordColumns`). */
export type RecordTable = ListedTable & { revision: PgColumn; updated_at: PgColumn };
export type Selection = Record<string, PgColumn | SQL | SQL.Aliased>;

/** Rows elsewhere that refer to a record by `by` and keep it from being deleted. */
export type Reference = {
  type: ResourceType;
  table: PgTable;
  by: PgColumn | SQL;
  id: PgColumn;
  /** Our own identifier of an object that is shown by that of its node. */
  row?: PgColumn;
  name: PgColumn | SQL;
  /** What `id` names is a record of the same table, to which nothing of it refers; both may go in one bulk deletion. */
  own?: true;
};

/** What a list needs to know of its rows. */
export type ListSpec<S extends Selection> = {
  table: ListedTable;
  /** What one read gives; `id` is always among it. */
  select: S & { id: PgColumn };
  /** The site a row belongs to; without it rows are seen with any scope. */
  site?: PgColumn | SQL;
  /**
   * A select of the sites that a row lies in, where these are members of it; without any it is there for all sites. It is
   * seen with one of them in scope, and written with all of them in scope.
   */
  sites?: SQL;
  /** The members that a narrow scope sees otherwise: without what lies in other sites. */
  narrowed?: (row: never, scope: readonly string[]) => object;
  /** Which rows a scope sees, for a table where neither `site` nor `sites` applies. */
  within?: (scope: Scope) => SQL | undefined;
  /**
   * The column that names the owner of a nested collection, the owner's table, the owner's site if it has one, and
   * what else must hold of him.
   */
  parent?: { column: PgColumn; table: ListedTable; site?: PgColumn | SQL; where?: SQL };
  /** Rows that there are at all; without it every row of the table. */
  where?: SQL | undefined;
  search: readonly (PgColumn | SQL)[];
  filters: Record<string, (value: never) => SQL>;
  sorts: Record<string, PgColumn>;
  /** Bytes of a row in an answer, where rows may be so long that a page must be bounded; not for nested collections. */
  weight?: SQL<number>;
};

export type RecordSpec<S extends Selection> = ListSpec<S> & {
  table: RecordTable;
  /** What one read gives; `id` and `revision` are always among it. */
  select: S & { id: PgColumn; revision: PgColumn };
  links?: Record<string, Link>;
  references?: readonly Reference[];
  /** Columns under unique constraints, by the pointer of the field they guard. */
  unique: Record<string, readonly string[]>;
};

export type ListRow<S extends Selection> = SelectResultFields<S> & { id: string };
export type Row<S extends Selection> = ListRow<S> & { revision: number };

/** Whose rows: inside the caller's scope and, for a nested collection, of one owner. */
export type Reach = { scope: Scope; parent?: string };

export type PageQuery = Reach & {
  filters: Record<string, unknown>;
  search?: string | undefined;
  sort: { key: string; descending: boolean };
  after?: Position | undefined;
  limit: number;
  count: boolean;
};

export type Page<S extends Selection> = {
  rows: ListRow<S>[];
  /** Where the next page starts; absent on the last one. */
  next?: Position;
  total?: number;
  /** False when the owner of a nested collection does not exist. */
  parentExists: boolean;
};

/** What goes into the batch of a write besides the change: conditions before it, the audit event after it. */
export type Alongside = { before?: (handle: Db) => Statement[]; after: (handle: Db) => Statement[] };
export type Values = { columns: Record<string, unknown>; links: Record<string, readonly Member[]> };

export type Records<S extends Selection> = {
  readonly spec: RecordSpec<S>;
  find(db: Db, id: string, reach: Reach): Promise<Row<S> | undefined>;
  create(db: Db, id: string, values: Values, reach: Reach, also: Alongside): Promise<Row<S>>;
  /** @throws AppError `precondition_failed` when the row is no longer at `revision` */
  replace(
    db: Db,
    at: { id: string; revision: number },
    values: Values,
    reach: Reach,
    also: Alongside,
  ): Promise<Row<S>>;
  /** @throws AppError `precondition_failed` when the row is no longer at `revision` */
  remove(db: Db, at: { id: string; revision: number }, reach: Reach, also: Alongside): Promise<void>;
};

/** The condition that a row is within reach. */
export const reachable = <S extends Selection>(
  { site, sites, parent, where, ...spec }: ListSpec<S>,
  reach: Reach,
): SQL | undefined =>
  and(
    where,
    site && within(site, reach.scope),
    sites && sharesSite(sites, reach.scope),
    spec.within?.(reach.scope),
    parent && reach.parent !== undefined ? eq(parent.column, reach.parent) : undefined,
  );

/** The four operations on one row of a record table; lists and bulk deletion have files of their own. */
export function records<S extends Selection>(spec: RecordSpec<S>): Records<S> {
  const { table } = spec;
  return {
    spec,
    find: async (db, id, reach) => {
      const row = firstOf<S>(await readRow(spec, db, id, reachable(spec, reach)));
      return row && narrowedTo(spec, row, reach.scope);
    },
    create: (db, id, values, reach, { before, after }) =>
      saved(spec, db, (h) => [
        ...(before?.(h) ?? []),
        h.insert(table).values({ ...values.columns, id } as never),
        ...placed(spec, h, id, values, reach),
        ...after(h),
        readRow(spec, h, id),
      ]),
    replace: (db, { id, revision }, values, reach, { before, after }) =>
      saved(spec, db, (h) => [
        ...(before?.(h) ?? []),
        lockRow(h, table, id, revision),
        ...writable(spec, h, id, reach.scope),
        h
          .update(table)
          .set({ ...values.columns, revision: revision + 1, updated_at: sql`now()` })
          .where(eq(table.id, id)),
        ...placed(spec, h, id, values, reach),
        ...after(h),
        readRow(spec, h, id),
      ]),
    remove: async (db, { id, revision }, reach, { before, after }) => {
      await atomically(db, (h) => [
        ...(before?.(h) ?? []),
        lockRow(h, table, id, revision),
        ...writable(spec, h, id, reach.scope),
        h.delete(table).where(eq(table.id, id)),
        ...after(h),
      ]);
    },
  };
}

const readRow = <S extends Selection>(spec: RecordSpec<S>, db: Db, id: string, condition?: SQL) =>
  db
    .select(spec.select as Selection)
    .from(spec.table as PgTable)
    .where(and(eq(spec.table.id, id), condition));

/** The rows come from a select of exactly these columns; Drizzle cannot say so of a select that is given as data. */
const firstOf = <S extends Selection>(rows: unknown): Row<S> | undefined => (rows as Row<S>[])[0];

/** Runs a batch that ends with reading the row it wrote. */
async function saved<S extends Selection>(
  spec: RecordSpec<S>,
  db: Db,
  build: (h: Db) => Statement[],
): Promise<Row<S>> {
  const row = firstOf<S>((await atomically(db, build)).at(-1));
  if (!row) throw new Error(`${getTableName(spec.table)}: a row that was just written cannot be read`);
  return row;
}

/** Links of a row just written, and the proof that it lies where its writer may write. */
function placed<S extends Selection>(
  spec: RecordSpec<S>,
  h: Db,
  id: string,
  values: Values,
  reach: Reach,
): Statement[] {
  const { table, links, site } = spec;
  const inside = site && within(site, reach.scope);
  return [
    ...Object.entries(values.links).flatMap(([name, ids]) => {
      const link = links?.[name];
      if (!link) return [];
      const fit = link.unfit && must(h, sql`not ${link.unfit(id)}`, `dangling:/${name}`);
      return [...setMembers(h, link, id, ids), ...(fit ? [fit] : [])];
    }),
    // A row written into a place that the caller does not see is refused as if that place did not exist.
    ...(inside
      ? [must(h, sql`exists(select 1 from ${table} where ${table.id} = ${id} and ${inside})`, 'out_of_scope')]
      : []),
    ...writable(spec, h, id, reach.scope),
  ];
}

/** The proof that all sites that the row lies in at this point of the batch are in scope. */
function writable<S extends Selection>(
  { table, sites }: RecordSpec<S>,
  h: Db,
  id: string,
  scope: Scope,
): Statement[] {
  const inside = sites && liesWithin(sites, scope);
  if (!inside) return [];
  return [
    must(h, sql`exists(select 1 from ${table} where ${table.id} = ${id} and ${inside})`, 'out_of_scope'),
  ];
}

/** The row without what a narrow scope does not see. */
export const narrowedTo = <S extends Selection, R extends object>(
  { narrowed }: ListSpec<S>,
  row: R,
  scope: Scope,
): R => (scope === '*' || !narrowed ? row : { ...row, ...narrowed(row as never, scope) });

/** Locks the row and ends the batch unless it is still at this revision: of two writers of one revision, one wins. */
const lockRow = (handle: Db, table: RecordTable, id: string, revision: number): Statement =>
  must(
    handle,
    sql`(select ${table.revision} from ${table} where ${table.id} = ${id} for update) = ${revision}`,
    'precondition_failed',
  );

/** Order of a page: the sort column, then `id`, both in one direction so that one row comparison continues it. */
export const pageOrder = (table: ListedTable, column: PgColumn, descending: boolean): SQL[] =>
  descending ? [desc(column), desc(table.id)] : [asc(column), asc(table.id)];
