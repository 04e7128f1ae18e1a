import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import {
  type Ask,
  addDispatcher,
  addFarm,
  addSite,
  addTemplate,
  base,
  useWorld,
} from '../../support/factories.ts';
import {
  accessKeys,
  checkPath,
  type HealthPort,
  metricsPath,
  startHealthPort,
  token,
} from '../../support/monitoring/health-port.ts';
import { parseMetrics } from '../../support/monitoring/prometheus-text.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let admin: Ask;
let port: HealthPort;

beforeAll(async () => {
  ({ admin } = world);
  port = await startHealthPort(world.portal.database.sidecarUrl);
});
afterAll(async () => {
  await port.close();
});

type Place = { site: Json; farm: Json; node: Json };

async function addPlace(): Promise<Place> {
  const site = await addSite(admin);
  const farm = await addFarm(admin, site);
  return { site, farm, node: await addDispatcher(admin, farm) };
}

const probed = ({ node }: Place, status: 'pass' | 'fail' | 'unauthorized', ageS = 0) =>
  world.portal.ownerDb
    .update(dispatchers)
    .set({ status, last_check_at: sql`now() - make_interval(secs => ${ageS})` })
    .where(eq(dispatchers.id, node.id));
const change = async (path: string, body: object) =>
  expect((await admin(`PATCH ${base}/${path}`, body)).status).toBe(200);

/** The states of the three in each place that shows them, which must be equal. */
async function statesOf({ site, farm, node }: Place): Promise<string[]> {
  const byRecord = await Promise.all(
    [`sites/${site.id}`, `farms/${farm.id}`, `dispatchers/${node.id}`].map(
      async (path) => (await admin(`GET ${base}/${path}`)).body.state,
    ),
  );
  const listed = async (path: string, id: string) =>
    (await admin(`GET ${base}/${path}?limit=500`)).body.items.find((one: Json) => one.id === id).state;
  expect([
    await listed('sites', site.id),
    await listed(`sites/${site.id}/farms`, farm.id),
    await listed(`farms/${farm.id}/dispatchers`, node.id),
  ]).toEqual(byRecord);
  const { body: dashboard } = await admin(`GET ${base}/dashboard/admin`);
  expect(dashboard.sites.find((one: Json) => one.id === site.id).state).toBe(byRecord[0]);
  const health = JSON.parse((await port.ask(checkPath, { headers: token(accessKeys.check) })).text);
  const entry = health.checks['sites:connectionTest'].find((one: Json) => one.componentId === site.uri);
  expect([entry.state, entry.status]).toEqual([byRecord[0], byRecord[0] === 'fail' ? 'fail' : 'pass']);
  const { text } = await port.ask(metricsPath, { headers: token(accessKeys.metrics) });
  expect(['site', 'farm', 'dispatcher'].map((kind) => stateIn(text, kind, site.uri))).toEqual(byRecord);
  return byRecord;
}

function stateIn(text: string, kind: string, uri: string): string | undefined {
  const samples = parseMetrics(text).get(`aggregator_${kind}_state`)?.samples ?? new Map<string, number>();
  const [labels = ''] = [...samples].flatMap(([own, value]) =>
    own.includes(`site="${uri}"`) && value === 1 ? [own] : [],
  );
  return /state="(\w+)"/.exec(labels)?.[1];
}

describe('the state of sites, farms and nodes', () => {
  it('is the same in records, lists, dashboard, health check and metrics', async () => {
    const place = await addPlace();
    expect(await statesOf(place)).toEqual(['unknown', 'unknown', 'unknown']);
    await probed(place, 'pass');
    expect(await statesOf(place)).toEqual(['pass', 'pass', 'pass']);
    await probed(place, 'pass', 60);
    expect(await statesOf(place)).toEqual(['fail', 'fail', 'fail']);
    await probed(place, 'unauthorized');
    expect(await statesOf(place)).toEqual(['fail', 'fail', 'fail']);
    const { site, farm, node } = place;
    await change(`farms/${farm.id}`, { maintenance: true });
    expect(await statesOf(place)).toEqual(['maintenance', 'maintenance', 'maintenance']);
    await change(`farms/${farm.id}`, { maintenance: false });
    await change(`sites/${site.id}`, { maintenance: true });
    expect(await statesOf(place)).toEqual(['maintenance', 'maintenance', 'maintenance']);
    await change(`dispatchers/${node.id}`, { enabled: false });
    expect(await statesOf(place)).toEqual(['maintenance', 'maintenance', 'disabled']);
    await change(`sites/${site.id}`, { maintenance: false });
    expect(await statesOf(place)).toEqual(['unknown', 'unknown', 'disabled']);
    await change(`farms/${farm.id}`, { enabled: false });
    expect(await statesOf(place)).toEqual(['unknown', 'disabled', 'disabled']);
    await change(`sites/${site.id}`, { enabled: false });
    expect(await statesOf(place)).toEqual(['disabled', 'disabled', 'disabled']);
  });

  it('follows the current probe interval', async () => {
    const place = await addPlace();
    await probed(place, 'pass', 60);
    expect(await statesOf(place)).toEqual(['fail', 'fail', 'fail']);
    await world.portal.ownerDb.execute(
      sql`insert into system_parameters values ('aggregator.health_interval_s', '60', now())`,
    );
    expect(await statesOf(place)).toEqual(['pass', 'pass', 'pass']);
    await world.portal.ownerDb.execute(sql`delete from system_parameters`);
  });

  it('is maintenance only from the start to the end of its template', async () => {
    const place = await addPlace();
    await probed(place, 'fail');
    const hours = (n: number) => new Date(Date.now() + n * 3_600_000);
    const template = await addTemplate(admin);
    const window = (from: number, to: number) =>
      world.portal.ownerDb.execute(
        sql`update maintenance_templates set start_at = ${hours(from).toISOString()}, end_at = ${hours(to).toISOString()}
          where id = ${template.id}`,
      );
    const ordered = { maintenance: true, maintenance_template_id: template.id };
    for (const table of [sites, farms] as const) {
      const id = table === sites ? place.site.id : place.farm.id;
      await world.portal.ownerDb.update(table).set(ordered).where(eq(table.id, id));
      await window(1, 2);
      expect(await statesOf(place)).toEqual(['fail', 'fail', 'fail']);
      await window(-1, 1);
      expect(await statesOf(place)).toEqual(['maintenance', 'maintenance', 'maintenance']);
      await window(-2, -1);
      expect(await statesOf(place)).toEqual(['fail', 'fail', 'fail']);
    }
  });

  it('a site without a farm, or with a farm without nodes, is unknown and not failed', async () => {
    const site = await addSite(admin);
    const stateNow = async () => (await admin(`GET ${base}/sites/${site.id}`)).body.state;
    expect(await stateNow()).toBe('unknown');
    const farm = await addFarm(admin, site);
    expect(await stateNow()).toBe('unknown');
    expect((await admin(`GET ${base}/farms/${farm.id}`)).body.state).toBe('unknown');
    const { text } = await port.ask(checkPath, { headers: token(accessKeys.check) });
    const entry = JSON.parse(text).checks['sites:connectionTest'].find(
      (one: Json) => one.componentId === site.uri,
    );
    expect([entry.state, entry.status]).toEqual(['unknown', 'pass']);
    expect(
      stateIn((await port.ask(metricsPath, { headers: token(accessKeys.metrics) })).text, 'site', site.uri),
    ).toBe('unknown');
  });
});
