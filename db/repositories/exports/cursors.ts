import { type SQL, sql } from 'drizzle-orm';
import { type Db, withTransaction } from '../../client.ts';
import { connectPg } from '../../pg.ts';
import type { ExportQuery, ExportRow } from './sources.ts';

/** The rows of an export as they were at one moment. */
export type ExportCursor = {
  /** How many there are, or one less or more: they are counted a moment before. */
  expected: number;
  /** The next rows, fewer than asked for at the end. */
  next(limit: number): Promise<ExportRow[]>;
};

/** Milliseconds that writing a page may take, during which the transaction of the cursor is idle. */
const longestPauseMs = 300_000;

/**
 * Reads the rows of an export by a cursor on a connection of its own, while `work` runs. The cursor belongs to one
 * transaction, so that it works behind a pooler, and each statement reads one page of it, well within its time limit.
 * The embedded database has one session for all: there the server sets the rows aside, and no transaction stays open.
 * @param name of the cursor in the embedded database; one that a process left under it is closed
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
