import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { workplaceList } from '../../../db/repositories/snapshot/lists.ts';
import { mergedPage } from '../../../db/repositories/snapshot/pages.ts';
import type { Position } from '../../../shared/kernel/cursor.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addFarm, addSite } from '../../support/installation.ts';

const farmCount = 10;
const rowsOfFarm = 4_000;

let database: FreshDatabase;
let pool: pg.Pool;
let db: Db;
let site: string;
let farm: string;
const poolUuid = newId();
let asked: { text: string; values: unknown[] } | undefined;

beforeAll(async () => {
  database = await freshDatabase();
  // Statistics of a table can be created by its owner only.
  pool = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  const note = (text: string, values: unknown[]) => {
    asked = { text, values };
  };
  db = drizzle({ client: pool, logger: { logQuery: note } });
  for (let n = 0; n < farmCount; n++) {
    site = (await addSite(db)).id;
    farm = await addFarm(db, site, { name: `farm${n}` });
  }
  await db.execute(sql`
    insert into workplaces (farm_id, uuid, servicepool_uuid, servicepool_name, name, name_key, unique_id, hostname, ip,
      state, machine_state, owner_domain, owner_name, owner_key, in_use, maintenance, tags, node_revision)
    select f.id, gen_random_uuid(), case when n % 20 = 0 and f.id = ${farm} then ${poolUuid}::uuid else f.id end, 'Office',
      f.name || '-office-' || n, f.name || '-office-' || n, '52:54', 'host', '10.0.0.1', 'ready', 'running', 'CORP',
      'u' || n || f.name, 'corp' || chr(92) || 'u' || n || f.name, false, false, array['rack-' || n % 400], 1
    from farms f, generate_series(1, ${rowsOfFarm}::int) n`);
  await db.execute(sql`vacuum analyze workplaces`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

type Given = { filters?: Record<string, unknown>; search?: string; after?: Position; scope?: '*' | string[] };

/** The scans of the table of workplaces for a page. */
async function scansOf({ filters = {}, scope = '*', ...given }: Given): Promise<Plan[]> {
  const { site_id: siteId, farm_id: farmId } = filters as Record<string, string | undefined>;
  const choice = { scope, siteId, farmId };
  const sort = { key: 'name', descending: false };
  const { items } = await mergedPage(db, workplaceList, {
    ...{ filters, scope, sort, choice, limit: 50, count: false },
    ...given,
  });
  expect(items.length).toBeGreaterThan(0);
  const { text, values } = asked ?? { text: '', values: [] };
  const explained = await pool.query(`explain (analyze, format json) ${text}`, values);
  return nodesOf(explained.rows[0]['QUERY PLAN'][0].Plan).filter(
    (node) => node['Relation Name'] === 'workplaces',
  );
}

const midway: Position = { key: 'farm4-office-2000', id: '00000000-0000-0000-0000-000000000000' };

describe('a page of workplaces is read from an index', () => {
  const cases: [string, () => Given][] = [
    ['from the start', () => ({})],
    ['in the midst', () => ({ after: midway })],
    // The names of the last farm are last in the order.
    ['of one site', () => ({ filters: { site_id: site } })],
    ['of one site in the midst', () => ({ filters: { site_id: site }, after: midway })],
    ['of one farm', () => ({ filters: { farm_id: farm } })],
    ['of one pool', () => ({ filters: { servicepool_uuid: poolUuid } })],
    ['within a scope', () => ({ scope: [site] })],
    ['of one owner', () => ({ filters: { owner: 'CORP\\u17farm9' } })],
    ['of one name', () => ({ filters: { owner: 'U17farm9' } })],
    ['of one owner within a scope', () => ({ filters: { owner: 'u17farm9' }, scope: [site] })],
    ['with a search', () => ({ search: 'farm7-office-123' })],
    ['with a tag', () => ({ filters: { tag: 'rack-7' } })],
    ['with a search within a site', () => ({ search: 'office-1234', filters: { site_id: site } })],
  ];
  it.each(cases)('%s', async (_, given) => {
    const scans = await scansOf(given());
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) {
      expect(scan['Node Type']).toMatch(/^(?:Index Scan|Bitmap Heap Scan)$/);
      expect(scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(250);
    }
  });

  it('alone for a text without a trigram, but for the rows of the page', async () => {
    const scans = await scansOf({ search: 'm7' });
    const types = scans.map((scan) => scan['Node Type']).sort();
    expect(types).toEqual(['Index Only Scan', 'Index Scan']);
  });
});
