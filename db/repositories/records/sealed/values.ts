import { and, asc, getTableName, gt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../client.ts';
import { type SealedColumn, sealedColumns } from './columns.ts';

/** The places of a column: for a JSON column with sealed members, one for each member that a row has. */
export async function placesIn(db: Db, { members, ...place }: SealedColumn): Promise<SealedColumn[]> {
  if (members === undefined) return [place];
  const rows = await db
    .selectDistinct({ member: sql<string>`member` })
    .from(sql`${place.table} cross join lateral jsonb_object_keys(${place.column}) as member`)
    .where(sql`member ~ ${members}`)
    .orderBy(sql`member`);
  return rows.map(({ member }) => ({ ...place, member }));
}

/** Whether values of this place, as `nameOfColumn` writes it, are found. */
export const isSealedPlace = (name: string): boolean =>
  sealedColumns.some(({ members, ...place }) => {
    const column = nameOfColumn(place);
    return members === undefined
      ? name === column
      : name.startsWith(`${column}.`) && new RegExp(members).test(name);
  });

/** The place that a value of this row is bound to. */
export const placeOf = ({ table, column, member, sealedFor }: SealedColumn, row: string) => ({
  table: getTableName(sealedFor ?? table),
  row,
  column: member === undefined ? column.name : `${column.name}.${member}`,
});

/** Name of the table and the column for operators. */
export const nameOfColumn = (column: SealedColumn): string =>
  `${getTableName(column.table)}.${placeOf(column, '').column}`;

export type SealedValue = { row: string; sealed: string };

/** Returns one value per key that was used in the column, to find out which keys a database needs. */
export const sampleOf = (db: Db, place: SealedColumn): Promise<SealedValue[]> =>
  db
    .selectDistinctOn([sql`split_part(${textOf(place)}, '.', 1)`], {
      row: sql<string>`${place.row}`.as('row'),
      sealed: sql<string>`${textOf(place)}`.as('sealed'),
    })
    .from(place.table)
    .where(sql`${textOf(place)} is not null`);

const pageSize = 500;

/** Returns a page of values sealed with other keys, ordered by row. */
export const sealedByOthers = (
  db: Db,
  place: SealedColumn,
  keyId: string,
  after: string,
): Promise<SealedValue[]> => {
  const row = sql<string>`${place.row} collate "C"`;
  return db
    .select({ row: sql<string>`${row}`.as('row'), sealed: sql<string>`${textOf(place)}`.as('sealed') })
    .from(place.table)
    .where(and(isByOthers(place, keyId), gt(row, after)))
    .orderBy(asc(row))
    .limit(pageSize);
};

export async function countSealedByOthers(db: Db, place: SealedColumn, keyId: string): Promise<number> {
  const [counted] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(place.table)
    .where(isByOthers(place, keyId));
  return counted?.n ?? 0;
}

/** Replaces sealed values; a value that was changed meanwhile is kept. */
export async function replaceSealed(
  db: Db,
  place: SealedColumn,
  values: readonly (SealedValue & { resealed: string })[],
): Promise<void> {
  const column = sql.identifier(place.column.name);
  const value =
    place.member === undefined
      ? sql`changed.resealed`
      : sql`jsonb_set(${column}, array[${place.member}], to_jsonb(changed.resealed))`;
  await db.execute(sql`
    update ${place.table} set ${column} = ${value}
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as changed("row" text, sealed text, resealed text)
    where ${place.row} = changed."row" and ${textOf(place)} = changed.sealed`);
}

const textOf = ({ column, member }: SealedColumn): SQL =>
  member === undefined ? sql`${column}` : sql`(${column} ->> ${member})`;

const isByOthers = (place: SealedColumn, keyId: string): SQL =>
  sql`${textOf(place)} is not null and ${textOf(place)} not like ${`${keyId}.%`}`;

/** The names of the records whose values are sealed with other keys, in order. */
export async function recordsSealedByOthers(
  db: Db,
  place: SealedColumn,
  record: SQL<string>,
  keyId: string,
): Promise<string[]> {
  const found = await db.execute(
    sql`select distinct ${record} as name from ${place.table} where ${isByOthers(place, keyId)} order by name`,
  );
  return (found as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
}

/** Deletes the values that are sealed with other keys. */
export async function deleteSealedByOthers(db: Db, place: SealedColumn, keyId: string): Promise<void> {
  const column = sql.identifier(place.column.name);
  const value =
    place.member === undefined ? sql`null` : sql`jsonb_set(${column}, array[${place.member}], 'null')`;
  await db.execute(sql`update ${place.table} set ${column} = ${value} where ${isByOthers(place, keyId)}`);
}
