import pg from 'pg';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { domain } from '../../simulator/demo/seed.ts';
import { casesOf, deepCursor, type ListCase } from '../cases/list-cases.ts';
import { measurePages, type PageFigures } from '../cases/pages.ts';
import { type Loading, rounded } from '../load.ts';
import type { Stand } from '../stand.ts';

export type SnapshotSizes = { sites: number; farmsPerSite: number; workplacesPerFarm: number };
export type WorkplacesFigures = SnapshotSizes & { rows: number; filled_s: number; pages: PageFigures[] };

/** Fills the snapshot, and measures pages of all workplaces. */
export async function measureWorkplaces(
  stand: Stand,
  sizes: SnapshotSizes,
  loading: Loading,
): Promise<WorkplacesFigures> {
  const { databaseUrl, secretKey } = stand.settings;
  const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const began = performance.now();
    await fillWorkplaces(database, sizes);
    const filled_s = rounded((performance.now() - began) / 1000, 1);
    const cases = await workplaceCases(database, secretKey);
    const pages = await measurePages(stand, database, cases, ['workplaces'], loading);
    const { rows } = await database.query('select count(*)::int as n from workplaces');
    return { ...sizes, rows: rows[0].n, filled_s, pages };
  } finally {
    await database.end();
  }
}

/** Sites of farms of workplaces in the snapshot, with unreachable dispatchers; statistics are fresh afterwards. */
export async function fillWorkplaces(database: pg.Pool, sizes: SnapshotSizes): Promise<void> {
  await database.query(fillSites, [sizes.sites, domain.small_name]);
  await database.query(fillFarms, [sizes.farmsPerSite]);
  await database.query(fillNodes);
  await database.query(fillParts);
  await database.query(insertWorkplaces, [sizes.workplacesPerFarm, domain.small_name]);
  await database.query('vacuum analyze');
}

async function workplaceCases(database: pg.Pool, secretKey: string): Promise<ListCase[]> {
  const sealer = await (await createSealer([secretKey])).derive('cursor');
  const { rows } = await database.query(`select id from sites where uri = 'many-7'`);
  const counted = await database.query('select count(*)::int as n from workplaces');
  const cursor = await deepCursor(database, sealer, {
    list: { resource: 'workplace.list', filters: {}, sort: 'name', scope: '*' },
    order: 'select name_key as key, id from workplaces order by name_key, id',
    // Of 500,000 rows this is page 5,000 of 50 rows each.
    rows: Math.floor((counted.rows[0].n * 5) / 9),
  });
  return casesOf('workplaces', '/api/webui/aggregator/workplaces', {
    first: {},
    deep: { cursor },
    owner: { owner: `${domain.small_name}\\owner-000042` },
    site: { site_id: rows[0].id },
    search: { search: 'many-3-1-000042' },
  });
}

const fillSites = `
  with made as (
    insert into sites (id, name, name_key, uri)
    select gen_random_uuid(), 'Many-' || n, 'many-' || n, 'many-' || n from generate_series(1, $1::int) as n
    returning id
  )
  insert into site_authenticators (site_id, authenticator_id)
  select made.id, d.id from made, authenticators as d where d.small_name = $2`;

const fillFarms = `
  insert into farms (id, site_id, name, name_key)
  select gen_random_uuid(), s.id, s.name || '-' || n, s.name_key || '-' || n
  from sites as s, generate_series(1, $1::int) as n where s.uri like 'many-%'`;

const fillNodes = `
  insert into dispatchers (id, farm_id, name, name_key, url, status)
  select gen_random_uuid(), f.id, f.name, f.name_key, 'https://127.0.0.1:9', 'pass' from farms as f
  where f.name_key like 'many-%'`;

const fillParts = `
  insert into farm_parts (farm_id, kind, fetched_at, full_at, took_ms)
  select f.id, 'workplaces', now(), now(), 900 from farms as f where f.name_key like 'many-%'`;

const insertWorkplaces = `
  insert into workplaces (farm_id, uuid, servicepool_uuid, servicepool_name, name, name_key, unique_id, hostname, ip,
    state, machine_state, owner_domain, owner_name, owner_key, in_use, maintenance, tags, node_revision, made_at)
  select f.id, gen_random_uuid(), overlay(overlay(md5(f.id::text || n % 10) placing '4' from 13) placing '8' from 17)::uuid, 'Pool ' || n % 10,
    f.name || '-' || number, f.name_key || '-' || number, '52:54:00:' || number, 'host-' || number, '10.20.30.40',
    ('{ready,in_use,preparing}'::text[])[1 + n % 3], 'running', $2, 'Owner-' || number,
    $2 || chr(92) || 'owner-' || number, n % 3 = 1, false, '{office}', 1, now()
  from farms as f, generate_series(1, $1::int) as n, lpad(n::text, 6, '0') as number
  where f.name_key like 'many-%'`;
