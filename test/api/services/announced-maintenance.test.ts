import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  addSite,
  addTemplate,
  adminOf,
  base,
  type Member,
  pool,
  useWorld,
} from '../../support/factories.ts';
import { type FarmWithNode, siteWithFarms } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let member: Member;
let site: Json;
let east: FarmWithNode;
let west: FarmWithNode;
let empty: FarmWithNode;

beforeAll(async () => {
  member = await addMember(world, []);
  const made = await siteWithFarms(world, [
    { pools: [pool('East')] },
    { pools: [pool('West')] },
    { pools: [pool('Foreign', { entitled: { users: [], groups: [] } })] },
  ]);
  site = made.site;
  [east, west, empty] = made.farms as [FarmWithNode, FarmWithNode, FarmWithNode];
  await list();
});
afterAll(() => Promise.all([east, west, empty].map((farm) => farm?.node.simulator.close())));

async function list(etag = '') {
  const path = `GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`;
  const answer = await member.ask(path, undefined, etag ? { 'if-none-match': etag } : {});
  await world.portal.settled();
  return answer;
}
const announced = async () => (await list()).body.announced_maintenance;
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const order = (what: string, { id }: Json, given: Json) => admin(`PATCH ${base}/${what}/${id}`, given);

describe('announced maintenance in a list of services', () => {
  it('is absent without a maintenance', async () => expect(await announced()).toEqual([]));

  it('is that of the site and of farms with services of the caller, before and during it', async () => {
    const etag = (await list()).headers.get('etag') ?? '';
    const later = await addTemplate(admin, { message: 'Save it', start_at: hours(30), end_at: hours(32) });
    const now = await addTemplate(admin, { message: 'Brief', block_new_sessions: false, end_at: hours(1) });
    const templates = { site: now.id, east: later.id };
    await order('farms', east.farm, { maintenance: true, maintenance_template_id: templates.east });
    await order('farms', empty.farm, { maintenance: true, maintenance_template_id: templates.east });
    await order('sites', site, { maintenance: true, maintenance_template_id: templates.site });
    const ofEast = {
      ...{ farm_id: east.farm.id, name: east.farm.name, message: 'Save it', blocks_new_sessions: true },
      ...{ starts_at: later.start_at, ends_at: later.end_at },
    };
    const ofSite = {
      ...{ farm_id: null, name: site.name, message: 'Brief', blocks_new_sessions: false },
      ...{ starts_at: null, ends_at: now.end_at },
    };
    expect((await list(etag)).status).toBe(200);
    expect(await announced()).toEqual([ofSite, ofEast]);
    await order('sites', site, { maintenance: false, maintenance_template_id: null });
    expect(await announced()).toEqual([ofEast]);
    await order('farms', east.farm, { maintenance: false, maintenance_template_id: null });
  });

  it('has no times and blocks without a template', async () => {
    await order('farms', west.farm, { maintenance: true, maintenance_template_id: null });
    expect(await announced()).toEqual([
      {
        ...{ farm_id: west.farm.id, name: west.farm.name, message: '', blocks_new_sessions: true },
        ...{ starts_at: null, ends_at: null },
      },
    ]);
    await order('farms', west.farm, { maintenance: false });
  });

  it('is absent after its end, also while the flag is still set', async () => {
    const over = await addTemplate(admin, { start_at: hours(-2), end_at: hours(2) });
    await order('farms', west.farm, { maintenance: true, maintenance_template_id: over.id });
    expect(await announced()).toHaveLength(1);
    await admin(`PATCH ${base}/maintenance/${over.id}`, { end_at: hours(-1) });
    expect(await announced()).toEqual([]);
    await order('farms', west.farm, { maintenance: false });
  });

  it('is not that of another site', async () => {
    const other = await addSite(admin, { authenticators: [world.domain.id] });
    await order('sites', other, { maintenance: true });
    expect(await announced()).toEqual([]);
  });
});
