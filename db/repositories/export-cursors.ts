import { sql } from 'drizzle-orm';
import { connectPg } from '../pg.ts';
import type { ExportQuery, ExportRow } from './export-sources.ts';

/** The rows of an export as they were at one moment. */
export type ExportCursor = {
  /** How many there are, or one less or more: they are counted a moment before. */
  expected: number;
  /** The next rows, fewer than asked for at the end. */
  next(limit: number): Promise<ExportRow[]>;
  /** Lets go of the rows. */
  close(): Promise<void>;
};

/** The server collects all rows before the first can be had. */
const longestMs = 900_000;

/**
 * Opens a cursor on a connection of its own. The server keeps the rows of that moment aside, so that no transaction is open
 * while they are read, however long that takes: neither vacuum nor an engine of one session has to wait for it.
 * @param name of the cursor; one that a dead process left under it is closed
 */
export async function openExportCursor(url: string, name: string, query: ExportQuery): Promise<ExportCursor> {
  const { db, close } = connectPg({ url, maxConnections: 1, statementTimeoutMs: longestMs, keepIdle: true });
  const cursor = sql.identifier(name);
  const execute = async (statement: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> =>
    (await (db.execute(statement) as Promise<{ rows: Record<string, unknown>[] }>)).rows;
  const release = async (): Promise<void> => {
    const [left] = await execute(sql`select 1 from pg_cursors where name = ${name}`);
    if (left) await execute(sql`close ${cursor}`);
  };
  try {
    const [counted] = await execute(query.count);
    await release();
    await execute(sql`declare ${cursor} no scroll cursor with hold for ${query.rows}`);
    return {
      expected: Number(counted?.n),
      next: async (limit) =>
        (await execute(sql`fetch ${sql.raw(String(limit))} from ${cursor}`)) as ExportRow[],
      close: () => release().finally(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
