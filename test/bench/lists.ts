import pg from 'pg';
import { fillLists, type Rows } from './fill.ts';
import { listCases } from './list-cases.ts';
import { type Comparison, compare, type Loading, rounded } from './load.ts';
import { judgePlans, type Verdict } from './plans.ts';
import type { Stand } from './stand.ts';
import { type Watched, watchPortal } from './statements.ts';
import type { StatementsSettings } from './statements-server.ts';

export type ListFigures = {
  rows: Rows;
  filled_s: number;
  pages: (Comparison & { items: number; statements: number; plan: Verdict })[];
};

/** Fills the long lists, and compares pages of them with the bare run of the same statements. */
export async function measureLists(
  { settings, adminToken, portalUrl, start }: Stand,
  rows: Rows,
  loading: Loading,
): Promise<ListFigures> {
  const database = new pg.Pool({ connectionString: settings.databaseUrl, max: 1 });
  const portal = await watchPortal(settings, adminToken);
  try {
    const began = performance.now();
    await fillLists(database, rows);
    const filled_s = rounded((performance.now() - began) / 1000, 1);
    const cases = await listCases(database, settings.secretKey, rows);
    const watched: Watched[] = [];
    for (const { path } of cases) watched.push(await portal.ask(path));
    const pagesOf: StatementsSettings['pages'] = watched.map(({ statements }) => statements);
    const floor = await start('statements-server.ts', { databaseUrl: settings.databaseUrl, pages: pagesOf });
    const pages: ListFigures['pages'] = [];
    for (const [at, { statements, items }] of watched.entries()) {
      const { name = '', path = '' } = cases[at] ?? {};
      const plan = await judgePlans(database, statements, Object.keys(rows));
      const headers = { 'x-auth-token': adminToken };
      const pair = {
        portal: { url: portalUrl + path, headers },
        floor: { url: `${floor.url}/${at}`, headers },
      };
      pages.push({ ...(await compare(name, pair, loading)), items, statements: statements.length, plan });
    }
    return { rows, filled_s, pages };
  } finally {
    await portal.close();
    await database.end();
  }
}
