import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Comparison, compare, type Loading } from '../load.ts';
import type { Stand } from '../stand.ts';

export type HealthFigures = { sites: number; series: number; asked: Comparison[] };

const sites = 50;
/** Load balancers call often; even several metrics scrapers call less often. */
const demands = {
  check: { connections: 4, perSecond: 50 },
  metrics: { connections: 1, perSecond: 4 },
} as const;

/** Health and metrics of an installation of fifty sites, beside one database query. */
export async function measureHealth(stand: Stand, loading: Loading): Promise<HealthFigures> {
  const accessKey = randomBytes(16).toString('hex');
  await fillFleet(stand.settings.databaseUrl);
  const { url } = await stand.start('portal/health-server.ts', { ...stand.settings, accessKey });
  const headers = { authorization: `Token ${accessKey}` };
  const floor = { url: `${url}/floor`, headers };
  const pathOf = (name: string) => `${url}/aggregator/health/${name}`;
  const text = await (await fetch(pathOf('metrics'), { headers })).text();
  const asked: Comparison[] = [];
  for (const [name, demand] of Object.entries(demands)) {
    const pair = { portal: { url: pathOf(name), headers }, floor };
    asked.push(await compare(`GET …/health/${name}`, pair, { ...loading, ...demand }));
  }
  return { sites, series: text.split('\n').filter((line) => /^[^#]/.test(line)).length, asked };
}

/** Sites with two farms of one node each, and the sums of two hundred operations. */
async function fillFleet(connectionString: string): Promise<void> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  await database.query(`
    with site as (
      insert into sites (id, name, name_key, uri)
      select gen_random_uuid(), 'bench ' || n, 'bench ' || n, 'bench-' || n from generate_series(1, ${sites}) n
      returning id, name
    ), farm as (
      insert into farms (id, name, name_key, site_id)
      select gen_random_uuid(), name || ' ' || n, name || ' ' || n, id from site, generate_series(1, 2) n
      returning id, name
    )
    insert into dispatchers (id, name, name_key, farm_id, url, status, last_check_at, certificate)
    select gen_random_uuid(), name, name, id, 'https://node.example', 'pass', now(),
      '{"subject": "CN=a", "issuer": "CN=b", "not_after": "2100-01-01T00:00:00Z"}' from farm`);
  await database.query(`
    insert into telemetry_sums (family, labels, value)
    select 'http_requests', array['webui', 'operation.' || n, '200'], n from generate_series(1, 200) n
    union all select 'http_duration', array['webui', 'operation.' || n, le], n
      from generate_series(1, 200) n, unnest(array['0.005', '0.05', '1']) le`);
  // The health check needs a live worker.
  await database.query(`insert into job_workers (name, host, started_at, last_seen_at)
    values ('bench', 'bench', now(), now() + interval '1 hour')`);
  await database.end();
}
