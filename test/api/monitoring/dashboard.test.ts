import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendMonitoringRows } from '../../../db/repositories/monitoring/records.ts';
import { nodeRecord } from '../../../db/repositories/sites/node-records.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import {
  type Ask,
  addDispatcher,
  addDomain,
  addFarm,
  addMember,
  addNode,
  addSite,
  base,
  logIn,
  pool,
  useWorld,
} from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let admin: Ask;

beforeAll(async () => {
  ({ admin } = world);
});

const accepted = async (path: string, body: object): Promise<Json> => {
  const answer = await admin(`POST ${base}/${path}`, body);
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body;
};
const read = async (ask: Ask = admin) => (await ask(`GET ${base}/dashboard/admin`)).body;
const person = { domain: 'CORP', name: 'Ada' };
const at = '2027-01-01T00:00:00.000Z';

describe('the dashboard of administrators', () => {
  it('counts the objects of each kind', async () => {
    const { counters, pools_near_full } = await read();
    expect(counters).toMatchObject({
      sites: 1,
      farms: 1,
      dispatchers: 0,
      domains: 2,
      users: 1,
      admin_sessions: 1,
      workplaces: 0,
      workplaces_in_use: 0,
      sessions: 0,
    });
    expect(pools_near_full).toEqual([]);
  });

  it('shows snapshot counts within the scope only, equal to those of the lists', async () => {
    const [mine, other] = [await addSite(admin), await addSite(admin)];
    const [near, far] = [await addFarm(admin, mine), await addFarm(admin, other)];
    const node = await addNode(world, near, {
      pools: [pool('Full', { workplaces: 1 }), pool('Roomy', { workplaces: 4 })],
    });
    const others = await addNode(world, far, { pools: [pool('Elsewhere', { workplaces: 2 })] });
    const taken = [
      { simulator: node.simulator, farm: near, name: 'Full' },
      { simulator: others.simulator, farm: far, name: 'Elsewhere' },
    ];
    for (const { simulator, farm, name } of taken) {
      const [workplace] = simulator.state.poolNamed(name).members;
      if (workplace) openSession(simulator.state, workplace, { person, protocol: 'rdp' });
      await syncAll(world.portal, farm);
      await simulator.close();
    }
    const { ask } = await addMember(world, ['dashboard.read'], [mine.id]);
    const shown = await read(ask);
    expect(shown.counters).toMatchObject({ workplaces: 5, workplaces_in_use: 1, sessions: 1 });
    expect(shown.sites).toMatchObject([
      { id: mine.id, pools: 2, workplaces: 5, in_use: 1, sessions: 1, fetched_at: expect.any(String) },
    ]);
    expect(shown.pools_near_full).toEqual([
      {
        uuid: node.simulator.state.poolNamed('Full').uuid,
        name: 'Full',
        farm_id: near.id,
        farm_name: near.name,
        site_id: mine.id,
        site_name: mine.name,
        usage_percent: 100,
      },
    ]);
    // The usage counters of a pool may differ from the workplaces that the node lists.
    await world.portal.db.update(pools).set({ workplaces_count: 99, in_use_count: null });
    const listed = async (query: string) =>
      (await admin(`GET ${base}/workplaces?count=exact&limit=1${query}`)).body.total;
    const { counters } = await read();
    expect([counters.workplaces, counters.workplaces_in_use]).toEqual([
      await listed(''),
      await listed('&in_use=true'),
    ]);
    const all = await read();
    expect(all.counters).toMatchObject({ workplaces: 7, workplaces_in_use: 2, sessions: 2 });
    expect(all.sites.find(({ id }: { id: string }) => id === world.site.id)).toMatchObject({
      pools: 0,
      workplaces: 0,
      fetched_at: null,
    });
  });

  it('shows the number of healthy nodes of each site', async () => {
    const site = await addSite(admin);
    const farm = await addFarm(admin, site);
    const [up] = [await addDispatcher(admin, farm), await addDispatcher(admin, farm)];
    await world.portal.db
      .update(dispatchers)
      .set({ status: 'pass' })
      .where(sql`${dispatchers.id} = ${up.id}`);
    const shown = (await read()).sites.find(({ id }: { id: string }) => id === site.id);
    expect(shown).toMatchObject({
      uri: site.uri,
      status: 'pass',
      farms: 1,
      dispatchers: 2,
      dispatchers_up: 1,
    });
  });

  it('shows failures in the journal, failed logins and certificates that expire soon', async () => {
    const farm = await addFarm(admin, world.site);
    const node = await addDispatcher(admin, farm);
    const soon = new Date(Date.now() + 5.5 * 86_400_000).toISOString();
    await world.portal.db
      .update(dispatchers)
      .set({ certificate: { subject: 'CN=node', issuer: 'CN=ca', not_after: soon } })
      .where(sql`${dispatchers.id} = ${node.id}`);
    const journal = {
      id: newId(),
      at: new Date(at),
      message: 'gone',
      message_key: 'gone',
      source: 'site' as const,
    };
    await world.portal.db.insert(monitoringRecords).values([
      { ...journal, level: 'critical' },
      { ...journal, id: newId(), level: 'info' },
      { ...journal, id: newId(), level: 'error', state: 'closed' },
    ]);
    await logIn(world.portal, world.domain, { name: 'nobody' });
    const shown = await read();
    expect(shown.recent_failures).toMatchObject([
      { code: '', cause: 'gone', level: 'critical', count: 1, first_at: at, last_at: at, objects: [] },
    ]);
    expect(shown.failed_logins_24h).toBe(1);
    expect(shown.certificates_expiring).toMatchObject([
      { dispatcher_id: node.id, site_id: world.site.id, subject: 'CN=node', days_left: 5 },
    ]);
  });

  it('groups failures by cause, with their number, times and objects', async () => {
    const farm = await addFarm(admin, world.site);
    const [first, second] = [await addDispatcher(admin, farm), await addDispatcher(admin, farm)];
    const failed = (node: Json, minute: number, last_error: string) => ({
      ...nodeRecord(
        { id: node.id, name: node.name },
        { status: 'fail', last_error },
        new Date(`2027-02-01T00:0${minute}:00.000Z`),
      ),
    });
    const entries = [
      failed(first, 1, 'upstream_timeout'),
      failed(second, 2, 'upstream_timeout'),
      failed(first, 3, 'upstream_timeout'),
      failed(first, 2, 'upstream_tls:expired'),
    ];
    await appendMonitoringRows(world.portal.db, entries);
    const { recent_failures: groups } = await read();
    expect(groups.slice(0, 2)).toMatchObject([
      {
        code: 'dispatcher_fail',
        source: 'dispatcher',
        cause: 'upstream_timeout',
        level: 'error',
        count: 3,
        first_at: '2027-02-01T00:01:00.000Z',
        last_at: '2027-02-01T00:03:00.000Z',
        message: `Dispatcher ${first.name} fails: it does not respond in time (upstream_timeout)`,
        objects_count: 2,
      },
      { cause: 'upstream_tls:expired', count: 1, objects: [{ id: first.id, name: first.name }] },
    ]);
    const named = groups[0].objects.map(({ name }: Json) => name);
    expect(named.sort()).toEqual([first.name, second.name].sort());
  });

  it('shows sites, farms, nodes, gateways, maintenance and failures within the scope only', async () => {
    const [mine, other] = [await addSite(admin), await addSite(admin)];
    const template = await accepted('maintenance', {
      name: newId(),
      title: 'Weekend',
      message: 'Back on Monday',
      start_at: '2027-06-01T20:00:00.000Z',
      end_at: '2027-06-01T22:00:00.000Z',
    });
    const farms = [];
    for (const site of [mine, other]) {
      const farm = await addFarm(admin, site, { maintenance: true, maintenance_template_id: template.id });
      const node = await addDispatcher(admin, farm);
      const status = { status: 'fail', last_error: 'upstream_timeout' } as const;
      await appendMonitoringRows(world.portal.db, [nodeRecord(node, status, new Date('2027-03-01'))]);
      farms.push({ farm, node });
    }
    const [own] = farms;
    const gateway = await accepted('gateways', {
      name: newId(),
      host: 'gw.example.com',
      sites: [mine.id, other.id],
    });
    await accepted('gateways', { name: newId(), host: 'gw.example.com', sites: [other.id] });
    const { ask } = await addMember(world, ['dashboard.read'], [mine.id]);
    const shown = await read(ask);
    expect(shown.counters).toMatchObject({ sites: 1, farms: 1, dispatchers: 1, gateways: 1 });
    expect(shown.sites).toMatchObject([{ id: mine.id }]);
    expect(shown.farms).toMatchObject([{ id: own?.farm.id, site_id: mine.id, fetched_at: null }]);
    expect(shown.nodes).toMatchObject([
      { id: own?.node.id, farm_id: own?.farm.id, status: 'unknown', circuit: 'closed' },
    ]);
    expect(shown.gateways).toMatchObject([
      { id: gateway.id, sites: [mine.id], state: 'unknown', connections: 0 },
    ]);
    expect(shown.maintenance).toEqual([
      {
        object_type: 'farm',
        object_id: own?.farm.id,
        object_name: own?.farm.name,
        site_id: mine.id,
        site_name: mine.name,
        farm_name: own?.farm.name,
        title: 'Weekend',
        message: 'Back on Monday',
        start_at: '2027-06-01T20:00:00.000Z',
        end_at: '2027-06-01T22:00:00.000Z',
        in_effect: false,
      },
    ]);
    const concerned = shown.recent_failures.flatMap(({ objects }: Json) => objects.map(({ id }: Json) => id));
    expect(concerned).toEqual([own?.node.id]);
    const all = await read();
    expect(all.gateways.find(({ id }: Json) => id === gateway.id).sites).toHaveLength(2);
  });

  it('is limited to one site, which must be in the scope', async () => {
    const [mine, other] = [await addSite(admin), await addSite(admin)];
    const [near, far] = [await addFarm(admin, mine), await addFarm(admin, other)];
    const node = await addDispatcher(admin, near);
    await addDispatcher(admin, far);
    const of = async (ask: Ask, { id }: Json) =>
      (await ask(`GET ${base}/dashboard/admin?site_id=${id}`)).body;
    const { sites, farms, nodes, counters } = await of(admin, mine);
    const ids = [sites, farms, nodes].map((rows) => rows.map(({ id }: Json) => id));
    expect(ids).toEqual([[mine.id], [near.id], [node.id]]);
    expect(counters).toMatchObject({ sites: 1, farms: 1, dispatchers: 1 });
    const { ask } = await addMember(world, ['dashboard.read'], [other.id]);
    expect(await of(ask, mine)).toMatchObject({ sites: [], farms: [], nodes: [], gateways: [] });
    expect((await of(ask, other)).farms).toMatchObject([{ id: far.id }]);
    expect((await admin(`GET ${base}/dashboard/admin?site_id=mine`)).status).toBe(422);
  });

  it('shows maintenance in effect first, also of pools', async () => {
    const site = await addSite(admin, { maintenance: true });
    const farm = await addFarm(admin, await addSite(admin));
    const { simulator } = await addNode(world, farm, { pools: [pool('Closed')] });
    Object.assign(simulator.state.poolNamed('Closed'), { maintenance: true });
    await syncAll(world.portal, farm);
    await simulator.close();
    const { maintenance } = await read();
    const about = (name: string) => maintenance.find((one: Json) => one.object_name === name);
    expect(about(site.name)).toMatchObject({
      object_type: 'site',
      in_effect: true,
      title: null,
      end_at: null,
    });
    expect(about('Closed')).toMatchObject({ object_type: 'servicespool', farm_name: farm.name });
    expect(maintenance.map((one: Json) => one.in_effect)).toEqual(
      maintenance.map((one: Json) => one.in_effect).sort((a: boolean, b: boolean) => Number(b) - Number(a)),
    );
  });

  it('shows the other parts when one fails', async () => {
    await world.portal.ownerDb.execute(sql`alter table monitoring_records rename to monitoring_gone`);
    const shown = await read();
    await world.portal.ownerDb.execute(sql`alter table monitoring_gone rename to monitoring_records`);
    expect(shown.recent_failures).toEqual({ error: 'internal' });
    expect(shown.counters.domains).toBe(2);
  });
});

describe('the dashboard of a user', () => {
  it('shows their services at the site, and their own sessions there from the snapshot', async () => {
    const site = await addSite(admin, { authenticators: [world.domain.id] });
    const farm = await addFarm(admin, site);
    const { simulator } = await addNode(world, farm, { pools: [pool('Office')] });
    const member = await addMember(world, []);
    const [first, second] = simulator.state.poolNamed('Office').members;
    if (!first || !second) throw new Error('there are no workplaces');
    const own = { domain: world.domain.small_name, name: member.user.name };
    openSession(simulator.state, first, { person: own, protocol: 'rdp' });
    openSession(simulator.state, second, { person, protocol: 'rdp' });
    await syncAll(world.portal, farm);
    const path = `${base}/dashboard/user/${site.uri}`;
    const { status, body } = await member.ask(`GET ${path}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      generated_at: expect.any(String),
      site: { id: site.id, uri: site.uri, name: site.name, maintenance: false },
      services: [{ name: 'Office', in_use: true }],
      sites: [{ farm_id: farm.id, status: 'ok' }],
    });
    expect(body.sessions).toMatchObject([
      { user: member.user.name, workplace_uuid: first.uuid, farm_name: farm.name, site_name: site.name },
    ]);
    await simulator.close();
    const stranger = await addMember({ ...world, domain: await addDomain(admin) }, []);
    expect((await stranger.ask(`GET ${path}`)).status).toBe(404);
    expect((await world.portal.send(`GET ${path}`)).status).toBe(401);
  });
});

describe('the server information', () => {
  it('has version, runtime, database and workers', async () => {
    const { status, body } = await admin(`GET ${base}/node-info`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'portal-1',
      version: '7.0',
      portal_type: 'universal',
      runtime: 'node',
      database: { version: expect.stringMatching(/^\d+/) },
      jobs: { workers: 0, last_run_at: null },
    });
    expect(body.database.latency_ms).toBeGreaterThan(0);
  });
});
