import { and, eq, getTableColumns, getTableName, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../client.ts';
import { pgFault } from '../errors.ts';
import { type Reach, type Records, reachable, type Selection, type Values } from './records.ts';

/** The field whose value another row has already, and that row where the caller may see it. */
export type Twin = { pointer: string; existingId?: string };

/**
 * What a unique violation was about. The constraint tells which field it was: by the other fields a row that is being
 * changed would be found to be its own twin.
 */
export async function twinOf<S extends Selection>(
  db: Db,
  { spec }: Records<S>,
  error: unknown,
  { columns }: Values,
  reach: Reach,
): Promise<Twin> {
  const constraint = pgFault(error)?.constraint;
  const [pointer = '', names = []] =
    Object.entries(spec.unique).find(([, keys]) => constraint === nameOfUnique(spec.table, keys)) ?? [];
  // The owner of a nested row is not among the columns of a change.
  const same = names.map((name) => eq(columnOf(spec.table, name), columns[name] ?? reach.parent));
  const [visible] = await idsWhere(db, spec.table, and(...same, reachable(spec, reach)));
  return visible ? { pointer, existingId: visible.id } : { pointer };
}

/** Unique indexes are called after their last column: what stands before it is the owner. */
const nameOfUnique = (table: PgTable, columns: readonly string[]): string =>
  `${getTableName(table)}_${columns.at(-1)}`;

/** @returns the pointer of the member that names a row which does not exist, from the constraint that said so. */
export function danglingPointer<S extends Selection>({ spec }: Records<S>, error: unknown): string {
  const constraint = pgFault(error)?.constraint ?? '';
  for (const [name, { table, member }] of Object.entries(spec.links ?? {})) {
    if (constraint.startsWith(`${getTableName(table)}_${member.name}_`)) return `/${name}`;
  }
  const own = constraint.replace(`${getTableName(spec.table)}_`, '');
  const columns = Object.keys(getTableColumns(spec.table)).filter((name) => own.startsWith(`${name}_`));
  // One name may begin with another: `maintenance` stands before `maintenance_template_id`.
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
