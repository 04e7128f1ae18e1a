import { type SQL, sql } from 'drizzle-orm';
import { type Db, withTransaction } from '../../client.ts';
import { connectPg } from '../../pg.ts';
import type { ExportQuery, ExportRow } from './sources.ts';

/** The rows of an export in one snapshot of the database. */
export type ExportCursor = {
  /** Expected number of rows. Approximate, because rows are counted a moment before. */
  expected: number;
  /** Returns the next rows; fewer than `limit` at the end. */
  next(limit: number): Promise<ExportRow[]>;
};

/** Longest idle time of the cursor's transaction in milliseconds, while a page is written. */
const longestPauseMs = 300_000;

/**
 * Runs `work` with a cursor on a separate connection. The cursor belongs to one transaction, so that it works behind
 * a transaction pooler, and each statement reads one page within the statement timeout. The embedded database has a
 * single session; there a `WITH HOLD` cursor is used, and no transaction stays open.
 * @param name name of the cursor in the embedded database; a cursor with this name left by another process is closed
 */
export async function withExportCursor<T>(
  { url, name, query }: { url: string; name: string; query: ExportQuery },
  work: (cursor: ExportCursor) => Promise<T>,
): Promise<T> {
  const { db, close } = connectPg({
    url,
    applicationName: 'aggregator-export',
    maxConnections: 1,
    statementTimeoutMs: 60_000,
    idleInTransactionMs: longestPauseMs,
    keepIdle: true,
  });
  try {
    const [server] = await rowsOf(db, sql`select version() like '%PGlite%' as is_embedded`);
    return server?.is_embedded === true
      ? await readHeld(db, sql.identifier(name), query, work)
      : await withTransaction(db, (tx) => readOpen(tx, query, work));
  } finally {
    await close();
  }
}

async function readOpen<T>(
  tx: Db,
  query: ExportQuery,
  work: (cursor: ExportCursor) => Promise<T>,
): Promise<T> {
  const cursor = sql.identifier('export_rows');
  const expected = await countOf(tx, query);
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${query.rows}`);
  return work({ expected, next: nextOf(tx, cursor) });
}

async function readHeld<T>(
  db: Db,
  cursor: ReturnType<typeof sql.identifier>,
  query: ExportQuery,
  work: (cursor: ExportCursor) => Promise<T>,
): Promise<T> {
  const release = async (): Promise<void> => {
    const [left] = await rowsOf(db, sql`select 1 as one from pg_cursors where name = ${cursor.value}`);
    if (left) await db.execute(sql`close ${cursor}`);
  };
  await release();
  try {
    const expected = await countOf(db, query);
    await db.execute(sql`declare ${cursor} no scroll cursor with hold for ${query.rows}`);
    return await work({ expected, next: nextOf(db, cursor) });
  } finally {
    await release();
  }
}

async function countOf(db: Db, { count }: ExportQuery): Promise<number> {
  const [counted] = await rowsOf(db, count);
  return Number(counted?.n);
}

const nextOf = (db: Db, cursor: ReturnType<typeof sql.identifier>) => async (limit: number) =>
  (await rowsOf(db, sql`fetch ${sql.raw(String(limit))} from ${cursor}`)) as ExportRow[];

const rowsOf = async (db: Db, statement: SQL): Promise<Record<string, unknown>[]> =>
  (await (db.execute(statement) as Promise<{ rows: Record<string, unknown>[] }>)).rows;
