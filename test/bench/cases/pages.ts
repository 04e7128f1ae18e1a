import type pg from 'pg';
import { type Loading, measureAlone, type Sample } from '../load.ts';
import { judgePlans, type Verdict } from '../plans.ts';
import type { Stand } from '../stand.ts';
import type { ListCase } from './list-cases.ts';
import { watchPortal } from './statements.ts';

export type PageFigures = { name: string; portal: Sample; items: number; statements: number; plan: Verdict };

/**
 * Loads pages of lists as an administrator reads them, and checks the plans of their statements.
 * @param big the tables that may not be read sequentially
 */
export async function measurePages(
  { settings, adminToken, portalUrl }: Stand,
  database: pg.Pool,
  cases: readonly ListCase[],
  big: readonly string[],
  loading: Loading,
): Promise<PageFigures[]> {
  const watched = await watchPortal(settings, adminToken);
  try {
    const pages: PageFigures[] = [];
    for (const { name, path } of cases) {
      const { statements, items } = await watched.ask(path);
      const plan = await judgePlans(database, statements, big);
      const target = { url: portalUrl + path, headers: { 'x-auth-token': adminToken } };
      const portal = await measureAlone(target, loading);
      pages.push({ name, portal, items, statements: statements.length, plan });
    }
    return pages;
  } finally {
    await watched.close();
  }
}
