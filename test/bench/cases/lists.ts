import pg from 'pg';
import { fillLists, type Rows } from '../fill.ts';
import { type Loading, rounded } from '../load.ts';
import type { Stand } from '../stand.ts';
import { listCases } from './list-cases.ts';
import { measurePages, type PageFigures } from './pages.ts';

export type ListFigures = { rows: Rows; filled_s: number; pages: PageFigures[] };

/** Fills the long lists, and measures pages of them. */
export async function measureLists(stand: Stand, rows: Rows, loading: Loading): Promise<ListFigures> {
  const { databaseUrl, secretKey } = stand.settings;
  const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const began = performance.now();
    await fillLists(database, rows);
    const filled_s = rounded((performance.now() - began) / 1000, 1);
    const cases = await listCases(database, secretKey, rows);
    const pages = await measurePages(stand, database, cases, Object.keys(rows), loading);
    return { rows, filled_s, pages };
  } finally {
    await database.end();
  }
}
