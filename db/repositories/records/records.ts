import { and, eq, getTableName, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Position } from '../../../shared/kernel/cursor.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { prebuilt, prebuiltStatement } from '../../prebuilt.ts';
import { placed, writable } from './placement.ts';
import { type Scope, sharesSite, within } from './scope.ts';
import { type Link, type Member, rowStatements } from './statements.ts';

/** A table whose rows can be listed. */
export type ListedTable = PgTable & { id: PgColumn };
/** A table of administered objects (see `recordColumns`). */
export type RecordTable = ListedTable & { revision: PgColumn; updated_at: PgColumn };
export type Selection = Record<string, PgColumn | SQL | SQL.Aliased>;

/** Rows that refer to a record through `by` and prevent its deletion. */
export type Reference = {
  type: ResourceType;
  table: PgTable;
  by: PgColumn | SQL;
  id: PgColumn;
  /** Our own id of an object whose public identifier is that of its node. */
  row?: PgColumn;
  name: PgColumn | SQL;
  /**
   * `id` refers to the same table, and the referring record is not referenced itself; both may be deleted in one bulk
   * deletion.
   */
  own?: true;
};

/** Describes the rows of a list. */
export type ListSpec<S extends Selection> = {
  table: ListedTable;
  /** Columns of a read; always with `id`. */
  select: S & { id: PgColumn };
  /** The site of a row. If absent, rows are visible in any scope. */
  site?: PgColumn | SQL;
  /**
   * A select of the sites of a row, if a row can belong to several. A row without sites belongs to all sites. It is
   * visible if one of its sites is in the scope, and writable if all of them are.
   */
  sites?: SQL;
  /** Replaces members for a restricted scope, without the parts of other sites. */
  narrowed?: (row: never, scope: readonly string[]) => object;
  /** The condition for visible rows, for a table where neither `site` nor `sites` applies. */
  within?: (scope: Scope) => SQL | undefined;
  /**
   * For a nested collection: the column of the owner's id, the table of the owner, the owner's site if it has one,
   * and further conditions on the owner.
   */
  parent?: { column: PgColumn; table: ListedTable; site?: PgColumn | SQL; where?: SQL };
  /** Restricts the list to these rows; all rows of the table if absent. */
  where?: SQL | undefined;
  search: readonly (PgColumn | SQL)[];
  filters: Record<string, (value: never) => SQL>;
  sorts: Record<string, PgColumn>;
  /** Columns of members that the list can be restricted to a range of, where the member itself is not the column. */
  ranges?: Record<string, PgColumn>;
  /** Size of a row in bytes of JSON, for lists whose pages must be limited by size; not for nested collections. */
  weight?: SQL<number>;
};

export type RecordSpec<S extends Selection> = ListSpec<S> & {
  table: RecordTable;
  /** Columns of a read; always with `id` and `revision`. */
  select: S & { id: PgColumn; revision: PgColumn };
  links?: Record<string, Link>;
  references?: readonly Reference[];
  /** Columns of unique constraints, by the pointer of the field they belong to. */
  unique: Record<string, readonly string[]>;
};

export type ListRow<S extends Selection> = SelectResultFields<S> & { id: string };
export type Row<S extends Selection> = ListRow<S> & { revision: number };

/** The rows that a request may access: within the caller's scope and, for a nested collection, of one owner. */
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
  /** Start of the next page; absent on the last page. */
  next?: Position;
  total?: number;
  /** False if the owner of a nested collection does not exist. */
  parentExists: boolean;
};

/** Further statements of a write batch: conditions before the change, the audit event after it. */
export type Alongside = { before?: (handle: Db) => Statement[]; after: (handle: Db) => Statement[] };
export type Values = { columns: Record<string, unknown>; links: Record<string, readonly Member[]> };

export type Records<S extends Selection> = {
  readonly spec: RecordSpec<S>;
  find(db: Db, id: string, reach: Reach): Promise<Row<S> | undefined>;
  create(db: Db, id: string, values: Values, reach: Reach, also: Alongside): Promise<Row<S>>;
  /** The statements of a creation, for a batch that creates several records. */
  creation(h: Db, id: string, values: Values, reach: Reach): Statement[];
  /** @throws AppError `precondition_failed` if the row is not at `revision` any more */
  replace(
    db: Db,
    at: { id: string; revision: number },
    values: Values,
    reach: Reach,
    also: Alongside,
  ): Promise<Row<S>>;
  /** @throws AppError `precondition_failed` if the row is not at `revision` any more */
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

/** Operations on single rows of a record table. Lists and bulk deletion are in separate files. */
export function records<S extends Selection>(spec: RecordSpec<S>): Records<S> {
  const { insert, update, lock } = rowStatements(spec.table);
  const { read, find } = readsOf(spec);
  const creation: Records<S>['creation'] = (h, id, values, reach) => [
    insert(h, { ...values.columns, id }),
    ...placed(spec, h, id, values, reach.scope),
  ];
  return {
    spec,
    find,
    creation,
    create: (db, id, values, reach, { before, after }) =>
      saved(spec, db, (h) => [
        ...(before?.(h) ?? []),
        ...creation(h, id, values, reach),
        ...after(h),
        read(h, { id }),
      ]),
    replace: (db, { id, revision }, values, reach, { before, after }) =>
      saved(spec, db, (h) => [
        ...(before?.(h) ?? []),
        lock(h, { id, revision }),
        ...writable(spec, h, id, reach.scope),
        update(h, { ...values.columns, id, revision: revision + 1 }),
        ...placed(spec, h, id, values, reach.scope),
        ...after(h),
        read(h, { id }),
      ]),
    remove: async (db, { id, revision }, reach, { before, after }) => {
      await atomically(db, (h) => [
        ...(before?.(h) ?? []),
        lock(h, { id, revision }),
        ...writable(spec, h, id, reach.scope),
        h.delete(spec.table).where(eq(spec.table.id, id)),
        ...after(h),
      ]);
    },
  };
}

/** The reads of one row, whose texts are built once except for a restricted scope. */
function readsOf<S extends Selection>(spec: RecordSpec<S>) {
  const byId = prebuilt<{ id: string; parent: string }, unknown>((h, { id, parent }, form) =>
    readRow(spec, h, id, reachable(spec, { scope: '*', ...(form === 'nested' && { parent }) })),
  );
  return {
    read: prebuiltStatement<{ id: string }>((h, { id }) => readRow(spec, h, id)),
    find: async (db: Db, id: string, reach: Reach): Promise<Row<S> | undefined> => {
      const { scope, parent = '' } = reach;
      const rows = await (scope === '*'
        ? byId(db, { id, parent }, reach.parent === undefined ? '' : 'nested')
        : readRow(spec, db, id, reachable(spec, reach)));
      const row = firstOf<S>(rows);
      return row && narrowedTo(spec, row, scope);
    },
  };
}

/** The select of one row within a condition. */
export const readRow = <S extends Selection>(spec: RecordSpec<S>, db: Db, id: string, condition?: SQL) =>
  db
    .select(spec.select as Selection)
    .from(spec.table as PgTable)
    .where(and(eq(spec.table.id, id), condition));

/** The rows come from a select with these columns, which Drizzle cannot infer from a selection that is data. */
const firstOf = <S extends Selection>(rows: unknown): Row<S> | undefined => (rows as Row<S>[])[0];

/** Runs a batch whose last statement reads the written row. */
async function saved<S extends Selection>(
  spec: RecordSpec<S>,
  db: Db,
  build: (h: Db) => Statement[],
): Promise<Row<S>> {
  const row = firstOf<S>((await atomically(db, build)).at(-1));
  if (!row) throw new Error(`${getTableName(spec.table)}: the written row cannot be read`);
  return row;
}

/** Removes the members that are not visible in a restricted scope. */
export const narrowedTo = <S extends Selection, R extends object>(
  { narrowed }: ListSpec<S>,
  row: R,
  scope: Scope,
): R => (scope === '*' || !narrowed ? row : { ...row, ...narrowed(row as never, scope) });
