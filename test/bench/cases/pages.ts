import type pg from 'pg';
import { type Comparison, compare, type Loading } from '../load.ts';
import { judgePlans, type Verdict } from '../plans.ts';
import type { StatementsSettings } from '../portal/statements-server.ts';
import type { Stand } from '../stand.ts';
import type { ListCase } from './list-cases.ts';
import { type Watched, watchPortal } from './statements.ts';

export type PageFigures = Comparison & { items: number; statements: number; plan: Verdict };

/**
 * Compares pages of lists, as an administrator reads them, with the bare run of the same statements.
 * @param big the tables that may not be read sequentially
 */
export async function measurePages(
  { settings, adminToken, portalUrl, start }: Stand,
  database: pg.Pool,
  cases: readonly ListCase[],
  big: readonly string[],
  loading: Loading,
): Promise<PageFigures[]> {
  const portal = await watchPortal(settings, adminToken);
  try {
    const watched: Watched[] = [];
    for (const { path } of cases) watched.push(await portal.ask(path));
    const statementsOf: StatementsSettings['pages'] = watched.map(({ statements }) => statements);
    const floor = await start('portal/statements-server.ts', {
      databaseUrl: settings.databaseUrl,
      pages: statementsOf,
    });
    const pages: PageFigures[] = [];
    for (const [at, { statements, items }] of watched.entries()) {
      const { name = '', path = '' } = cases[at] ?? {};
      const plan = await judgePlans(database, statements, big);
      const headers = { 'x-auth-token': adminToken };
      const pair = {
        portal: { url: portalUrl + path, headers },
        floor: { url: `${floor.url}/${at}`, headers },
      };
      pages.push({ ...(await compare(name, pair, loading)), items, statements: statements.length, plan });
    }
    return pages;
  } finally {
    await portal.close();
  }
}
