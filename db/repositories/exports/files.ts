import { and, desc, eq, gt, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { isUniqueViolation } from '../../errors.ts';
import { exportedFiles as table } from '../../schema/exports/files.ts';

export type ExportedFile = typeof table.$inferSelect;
export type ExportSubject = ExportedFile['subject'];
/** Exports of one owner and subject. */
export type ExportScope = Pick<ExportedFile, 'owner_id' | 'subject'>;
export type Order = ExportScope &
  Pick<ExportedFile, 'id' | 'format' | 'filters' | 'fingerprint' | 'created_at' | 'expires_at'>;

const on = ({ owner_id, subject }: ExportScope): SQL | undefined =>
  and(eq(table.owner_id, owner_id), eq(table.subject, subject));

const isUnderWay = sql`${table.state} in ('pending', 'running')`;

export const findExport = async (db: Db, shelf: ExportScope, id: string): Promise<ExportedFile | undefined> =>
  (
    await db
      .select()
      .from(table)
      .where(and(on(shelf), eq(table.id, id)))
  )[0];

/**
 * Returns the export for a request without an id: the newest available file, otherwise the newest pending export,
 * otherwise the newest expired one.
 */
export const findNewestExport = async (
  db: Db,
  shelf: ExportScope,
  now: Date,
): Promise<ExportedFile | undefined> => {
  const rank = sql`case when ${table.state} <> 'ready' then 1 when ${gt(table.expires_at, now)} then 0 else 2 end`;
  const [row] = await db
    .select()
    .from(table)
    .where(and(on(shelf), sql`${table.state} <> 'failed'`))
    .orderBy(rank, desc(table.created_at), desc(table.id))
    .limit(1);
  return row;
};

/** Returns the exports of an owner that have not expired, the newest first. */
export const findOwnExports = (
  db: Db,
  { owner_id, subjects }: { owner_id: string; subjects: readonly ExportSubject[] },
  { now, limit }: { now: Date; limit: number },
): Promise<ExportedFile[]> =>
  db
    .select()
    .from(table)
    .where(
      and(eq(table.owner_id, owner_id), inArray(table.subject, [...subjects]), gt(table.expires_at, now)),
    )
    .orderBy(desc(table.created_at), desc(table.id))
    .limit(limit);

/** Returns an export for an equal order: one in progress, or one that became ready after `readySince`. */
export const findEqualExport = async (
  db: Db,
  { owner_id, fingerprint }: Pick<Order, 'owner_id' | 'fingerprint'>,
  readySince: Date,
): Promise<ExportedFile | undefined> => {
  const isFresh = and(eq(table.state, 'ready'), gt(table.ended_at, readySince));
  const [row] = await db
    .select()
    .from(table)
    .where(and(eq(table.owner_id, owner_id), eq(table.fingerprint, fingerprint), or(isUnderWay, isFresh)))
    .orderBy(desc(table.created_at), desc(table.id))
    .limit(1);
  return row;
};

/**
 * Stores an order, together with the statements of `also`.
 * @returns undefined if an equal order exists already
 */
export async function orderExport(
  db: Db,
  order: Order,
  also: (h: Db) => Statement[],
): Promise<ExportedFile | undefined> {
  try {
    const [rows] = await atomically(db, (h) => [h.insert(table).values(order).returning(), ...also(h)]);
    return (rows as ExportedFile[])[0];
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/**
 * Returns exports whose complete or partial files can be removed.
 * @param after the last export of the previous page
 */
export const findRemovableExports = (
  db: Db,
  limit: number,
  after: ExportedFile | undefined,
): Promise<ExportedFile[]> =>
  db
    .select()
    .from(table)
    .where(
      and(
        isNotNull(table.file),
        or(eq(table.state, 'failed'), and(eq(table.state, 'ready'), lt(table.expires_at, sql`now()`))),
        after &&
          sql`(${table.expires_at}, ${table.id}) > (${after.expires_at.toISOString()}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(table.expires_at, table.id)
    .limit(limit);

export const clearFile = (db: Db, { id, file }: Pick<ExportedFile, 'id' | 'file'>): Statement =>
  db
    .update(table)
    .set({ file: null, upload_id: null })
    .where(and(eq(table.id, id), sql`${table.file} = ${file}`));

/** Fails orders that have not ended a day after their expiry. */
export const failLateExports = (db: Db): Statement =>
  db
    .update(table)
    .set({ state: 'failed', reason: 'late', ended_at: sql`now()` })
    .where(and(isUnderWay, lt(table.expires_at, sql`now() - interval '1 day'`)));
