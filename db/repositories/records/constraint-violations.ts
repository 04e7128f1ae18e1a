import { and, eq, getTableColumns, getTableName, ne, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { pgFault } from '../../errors.ts';
import { type Reach, type Records, reachable, type Selection, type Values } from './records.ts';

/** Fields whose unique values are taken, and the id of the existing row if the caller may see it. */
export type Conflict = { pointers: string[]; existingId?: string };

/**
 * Explains a unique violation. The constraint identifies one field; further taken fields are looked up, except in
 * nested collections, which have one unique field.
 * @param own id of the row that is being changed
 */
export async function conflictOf<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  error: unknown,
  { columns }: Values,
  reach: Reach,
  own: string | undefined,
): Promise<Conflict> {
  const constraint = pgFault(error)?.constraint;
  const [pointer = '', names = []] =
    Object.entries(spec.unique).find(([, keys]) => constraint === nameOfUnique(spec.table, keys)) ?? [];
  // The owner of a nested row is not part of the changed columns.
  const same = names.map((name) => eq(columnOf(spec.table, name), columns[name] ?? reach.parent));
  const [visible] = await idsWhere(db, spec.table, and(...same, reachable(spec, reach)));
  const pointers = [pointer, ...(await furtherConflicts(db, spec, pointer, columns, own))];
  return visible ? { pointers, existingId: visible.id } : { pointers };
}

/** Other fields than `pointer` whose values are taken. */
async function furtherConflicts<S extends Selection>(
  db: Db,
  { table, unique }: Records<S>['spec'],
  pointer: string,
  columns: Record<string, unknown>,
  own: string | undefined,
): Promise<string[]> {
  const others = Object.entries(unique).filter(
    ([other, names]) => other !== pointer && names.every((name) => columns[name] !== undefined),
  );
  const taken = await Promise.all(
    others.map(async ([other, names]) => {
      const same = names.map((name) => eq(columnOf(table, name), columns[name]));
      const [row] = await idsWhere(
        db,
        table,
        and(...same, own === undefined ? undefined : ne(table.id, own)),
      );
      return row ? [other] : [];
    }),
  );
  return taken.flat();
}

/** A unique index is named after its last column; the columns before it are the owner. */
const nameOfUnique = (table: PgTable, columns: readonly string[]): string =>
  `${getTableName(table)}_${columns.at(-1)}`;

/** True for a constraint of the table of the records, or of one of their links. */
export const ownsConstraint = <S extends Selection>({ spec }: Records<S>, constraint: string): boolean =>
  [spec.table, ...Object.values(spec.links ?? {}).map(({ table }) => table)].some((table) =>
    constraint.startsWith(`${getTableName(table)}_`),
  );

/** @returns the pointer of the member that refers to a missing row, derived from the violated constraint */
export function danglingPointer<S extends Selection>({ spec }: Records<S>, error: unknown): string {
  const constraint = pgFault(error)?.constraint ?? '';
  for (const [name, { table, member }] of Object.entries(spec.links ?? {})) {
    if (constraint.startsWith(`${getTableName(table)}_${member.name}_`)) return `/${name}`;
  }
  const own = constraint.replace(`${getTableName(spec.table)}_`, '');
  const columns = Object.keys(getTableColumns(spec.table)).filter((name) => own.startsWith(`${name}_`));
  // The longest match: `maintenance` is a prefix of `maintenance_template_id`.
  const column = columns.sort((a, b) => b.length - a.length)[0];
  return column ? `/${column}` : '';
}

const idsWhere = (
  db: Db,
  table: PgTable & { id: PgColumn },
  condition: SQL | undefined,
): Promise<{ id: string }[]> =>
  db
    .select({ id: table.id })
    .from(table as PgTable)
    .where(condition)
    .limit(1) as unknown as Promise<{ id: string }[]>;

function columnOf(table: PgTable, name: string): PgColumn {
  const column: unknown = Reflect.get(table, name);
  if (!column) throw new Error(`${getTableName(table)} has no column ${name}`);
  return column as PgColumn;
}
