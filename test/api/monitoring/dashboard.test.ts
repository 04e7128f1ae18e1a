import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
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

const world = useWorld();
let admin: Ask;

beforeAll(async () => {
  ({ admin } = world);
});

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

  it('CON-14: shows snapshot counts within the scope only, equal to those of the lists', async () => {
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
    expect(shown.recent_failures).toMatchObject([{ id: journal.id, at, level: 'critical', message: 'gone' }]);
    expect(shown.failed_logins_24h).toBe(1);
    expect(shown.certificates_expiring).toMatchObject([
      { dispatcher_id: node.id, site_id: world.site.id, subject: 'CN=node', days_left: 5 },
    ]);
  });

  it('shows and counts only sites within the scope', async () => {
    const [mine] = [await addSite(admin), await addSite(admin)];
    const { ask } = await addMember(world, ['dashboard.read'], [mine.id]);
    const { counters, sites } = await read(ask);
    expect(sites.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
    expect(counters).toMatchObject({ sites: 1, farms: 0 });
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
