import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatchers } from '../../db/schema/dispatchers.ts';
import { monitoringRecords } from '../../db/schema/monitoring-records.ts';
import { newId } from '../../shared/kernel/ids.ts';
import {
  type Ask,
  addDispatcher,
  addFarm,
  addMember,
  addSite,
  base,
  logIn,
  startWorld,
  type World,
} from '../support/factories.ts';

let world: World;
let admin: Ask;

beforeAll(async () => {
  world = await startWorld();
  ({ admin } = world);
});
afterAll(() => world.portal.close());

const read = async (ask: Ask = admin) => (await ask(`GET ${base}/dashboard/admin`)).body;
const at = '2027-01-01T00:00:00.000Z';

describe('the dashboard of administrators', () => {
  it('counts what there is, and marks by code what is not told yet', async () => {
    const { counters, pools_near_full } = await read();
    expect(counters).toMatchObject({
      sites: 1,
      farms: 1,
      dispatchers: 0,
      domains: 2,
      users: 1,
      admin_sessions: 1,
      workplaces: { error: 'not_available' },
    });
    expect(pools_near_full).toEqual({ error: 'not_available' });
  });

  it('tells of each site how many of its nodes pass', async () => {
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

  it('shows failures of the journal, failed logins and certificates that end soon', async () => {
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

  it('tells the other parts when one fails', async () => {
    await world.portal.db.execute(sql`alter table monitoring_records rename to monitoring_gone`);
    const shown = await read();
    await world.portal.db.execute(sql`alter table monitoring_gone rename to monitoring_records`);
    expect(shown.recent_failures).toEqual({ error: 'internal' });
    expect(shown.counters.domains).toBe(2);
  });
});

describe('the information about the server', () => {
  it('tells version, runtime, database and workers', async () => {
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
