import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { assignOwner, changeWorkplace } from '../../simulator/data/workplaces.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  base,
  pool,
  type SimulatedNode,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { partOf, sync, syncAll } from '../../support/fleet/snapshot.ts';
import { addPart, addWorkplaces } from '../../support/fleet/snapshot-rows.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/workplaces`;
const world = useWorld();
let other: { site: Json; farm: Json };
let nodes: SimulatedNode[];

beforeAll(async () => {
  const site = await addSite(world.admin);
  other = { site, farm: await addFarm(world.admin, site) };
  nodes = [
    await addNode(world, world.farm, { pools: [pool('Office'), pool('Lab')] }),
    await addNode(world, other.farm, { pools: [pool('Office', { workplaces: 2 })] }),
  ];
  const [own] = nodes;
  const member = own?.simulator.state.poolNamed('Office').members ?? [];
  if (!own || !member[0] || !member[1]) throw new Error('no workplaces');
  const { state } = own.simulator;
  openSession(state, member[0], {
    person: { domain: 'CORP', name: 'Ada' },
    protocol: 'rdp',
    client_ip: '192.0.2.7',
  });
  assignOwner(state, member[1], { domain: 'Lab', name: 'ADA' });
  changeWorkplace(state, member[2] ?? member[1], { tags: ['blue'], maintenance: true });
  await syncAll(world.portal, world.farm);
  await syncAll(world.portal, other.farm);
  await world.portal.settled();
});
afterAll(async () => {
  await Promise.all(nodes.map(({ simulator }) => simulator.close()));
});

const list = async (query = '', ask = world.admin): Promise<Json> => {
  const { status, body } = await ask(`GET ${path}${query}`);
  expect([query, status, body.code]).toEqual([query, 200, undefined]);
  return body;
};

describe('the merged list of workplaces', () => {
  it('shows those of all farms by name, with their site, farm and pool and the age of the data', async () => {
    const body = await list('?count=exact');
    expect([body.items.length, body.total, body.next]).toEqual([8, 8, null]);
    const names = body.items.map(({ name }: Json) => name);
    expect(names).toEqual([...names].sort());
    expect(body.items.find(({ in_use }: Json) => in_use)).toEqual({
      uuid: expect.any(String),
      name: expect.stringMatching(/^office-/),
      farm_id: world.farm.id,
      farm_name: world.farm.name,
      site_id: world.site.id,
      site_name: world.site.name,
      servicepool_uuid: expect.any(String),
      servicepool_name: 'Office',
      unique_id: expect.stringMatching(/^52:54:/),
      hostname: expect.any(String),
      ip: expect.stringMatching(/^10\./),
      state: 'in_use',
      machine_state: 'running',
      owner: { domain: 'CORP', name: 'Ada' },
      in_use: true,
      in_use_since: expect.stringMatching(/\.\d{3}Z$/),
      client_ip: '192.0.2.7',
      client_host: null,
      maintenance: false,
      tags: [],
      agent_version: '7.0.0',
      agent_seen_at: expect.any(String),
      revision: 1,
      created_at: expect.any(String),
      fetched_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    const site = body.sites.find(({ farm_id }: Json) => farm_id === world.farm.id);
    expect(site).toEqual({
      site_id: world.site.id,
      site_uri: world.site.uri,
      site_name: world.site.name,
      farm_id: world.farm.id,
      farm_name: world.farm.name,
      status: 'ok',
      fetched_at: body.items.find(({ farm_id }: Json) => farm_id === world.farm.id).fetched_at,
      age_ms: expect.any(Number),
      took_ms: expect.any(Number),
    });
    expect(body.sites).toHaveLength(2);
  });

  it.each([
    ['owner=ada', 2],
    ['owner=corp%5CADA', 1],
    ['owner=corp%5Cnobody', 0],
    ['state=in_use', 1],
    ['machine_state=running', 8],
    ['machine_state=stopped', 0],
    ['in_use=false', 7],
    ['maintenance=true', 1],
    ['tag=blue', 1],
    ['tag=b', 0],
    ['search=LAB-', 3],
    ['search=%25', 0],
    // Shorter than what an index of trigrams finds.
    ['search=B-', 3],
    ['search=f', 5],
    ['search=f&in_use=true', 1],
    ['search=zz', 0],
    ['search=office&in_use=true', 1],
  ])('filters by %s', async (query, count) => {
    const body = await list(`?${query}&count=exact`);
    expect([body.items.length, body.total]).toEqual([count, count]);
  });

  it.each(['name', '-name'])('pages through a search for a short text by %s', async (sort) => {
    const whole = (await list(`?search=f&sort=${sort}`)).items.map(({ uuid }: Json) => uuid);
    const found: string[] = [];
    let cursor = '';
    do {
      const page = await list(`?search=f&sort=${sort}&limit=2${cursor}`);
      found.push(...page.items.map(({ uuid }: Json) => uuid));
      cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`;
    } while (cursor !== '');
    expect([whole.length, found]).toEqual([5, whole]);
  });

  it('filters by site, farm and pool, and then reports the state of these farms only', async () => {
    const farms = ({ sites }: Json) => sites.map(({ farm_id }: Json) => farm_id);
    const ofSite = await list(`?site_id=${other.site.id}&count=exact`);
    expect([ofSite.items.length, ofSite.total, farms(ofSite)]).toEqual([2, 2, [other.farm.id]]);
    const ofFarm = await list(`?farm_id=${world.farm.id}&sort=-name`);
    expect([ofFarm.items.length, farms(ofFarm)]).toEqual([6, [world.farm.id]]);
    const [{ servicepool_uuid }] = ofFarm.items;
    expect((await list(`?servicepool_uuid=${servicepool_uuid}`)).items).toHaveLength(3);
    expect(await list(`?farm_id=${world.farm.id}&site_id=${other.site.id}`)).toEqual({
      items: [],
      next: null,
      sites: [],
    });
  });

  it('is limited to the sites of the caller, whatever the filter', async () => {
    const { ask } = await addMember(world, ['workplaces.read'], [other.site.id]);
    for (const query of [
      '?count=exact',
      '?search=office&count=exact',
      `?site_id=${other.site.id}&count=exact`,
    ]) {
      const body = await list(query, ask);
      expect([body.items.length, body.total, body.sites.length]).toEqual([2, 2, 1]);
    }
    expect((await list('?owner=ada', ask)).items).toEqual([]);
    expect((await list(`?farm_id=${world.farm.id}`, ask)).sites).toEqual([]);
    const none = await addMember(world, ['sites.read']);
    expect((await none.ask(`GET ${path}`)).status).toBe(403);
  });

  it('costs two database round trips', async () => {
    const before = world.portal.trips();
    await list('?count=exact&search=office');
    expect(world.portal.trips() - before).toBeLessThanOrEqual(2);
  });

  it('has the reason for each farm that is not fresh', async () => {
    const site = await addSite(world.admin);
    const statuses: [Json, Parameters<typeof addPart>[3] | undefined, string][] = [
      [{}, {}, 'ok'],
      [{}, undefined, 'pending'],
      [{}, { fetched_at: new Date(Date.now() - 600_000) }, 'stale'],
      [{}, { error: 'upstream_timeout' }, 'stale'],
      [{}, { error: 'upstream_failed:not_json' }, 'stale'],
      [{}, { error: 'upstream_timeout', fetched_at: null }, 'timeout'],
      [{}, { error: 'upstream_failed:not_json', fetched_at: null }, 'error'],
      [{ maintenance: true }, {}, 'maintenance'],
      [{ enabled: false }, {}, 'disabled'],
    ];
    for (const [given, part, status] of statuses) {
      const farm = await addFarm(world.admin, site, given);
      if (part) await addPart(world.portal.db, farm, 'workplaces', part);
      const [told] = (await list(`?farm_id=${farm.id}`)).sites;
      expect([told.status, told.error]).toEqual([status, part?.error ?? undefined]);
      if (!part?.fetched_at && status !== 'ok' && !given.maintenance && given.enabled !== false)
        expect(told.fetched_at === null).toBe(part === undefined || part.fetched_at === null);
    }
  });
});

type Change = { farm: number; adds: string[]; removes: number };

/**
 * Pages through the list of a site, changing it after each page.
 * @returns the rows read, and those that existed throughout
 */
async function pageWhileChanging(site: Json, farms: Json[], changes: Change[], query: string) {
  const { db } = world.portal;
  const all = async (): Promise<string[]> =>
    (await list(`?site_id=${site.id}&limit=500`)).items.map(({ uuid }: Json) => uuid);
  const stayed = new Set(await all());
  const seen: string[] = [];
  const waiting = changes.values();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { items, next }: Json = await list(`?site_id=${site.id}${query}${cursor}`);
    seen.push(...items.map(({ uuid }: Json) => uuid));
    cursor = next && `&cursor=${next}`;
    for (const { farm, adds, removes } of waiting.take(1)) {
      if (adds.length > 0) await addWorkplaces(db, farms[farm], adds);
      const victim = (await all())[removes] ?? '00000000-0000-0000-0000-000000000000';
      await db.delete(workplaces).where(eq(workplaces.uuid, victim));
      stayed.delete(victim);
    }
  }
  return { seen, stayed };
}

describe('paging through a list while rows are added and deleted', () => {
  it('returns each row that keeps its name exactly once', async () => {
    const name = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'B', 'é') });
    const farm = fc.nat({ max: 1 });
    const change = fc.record({ farm, adds: fc.array(name, { maxLength: 3 }), removes: fc.nat({ max: 30 }) });
    const rows = fc.array(fc.tuple(farm, name), { minLength: 1, maxLength: 15 });
    const limit = fc.integer({ min: 1, max: 5 });
    const sort = fc.constantFrom('name', '-name');
    const law = fc.asyncProperty(rows, fc.array(change, { maxLength: 6 }), limit, sort, async (...given) => {
      const site = await addSite(world.admin);
      const farms = [await addFarm(world.admin, site), await addFarm(world.admin, site)];
      for (const one of farms) await addPart(world.portal.db, one, 'workplaces');
      for (const [n, named] of given[0]) await addWorkplaces(world.portal.db, farms[n], [named]);
      const query = `&limit=${given[2]}&sort=${given[3]}`;
      const { seen, stayed } = await pageWhileChanging(site, farms, given[1], query);
      expect(new Set(seen).size).toBe(seen.length);
      for (const uuid of stayed) expect(seen).toContain(uuid);
    });
    await fc.assert(law, { numRuns: 15 });
  });

  it('uses a cursor for one caller, filter and order', async () => {
    const { next } = await list('?limit=1&in_use=false');
    expect((await world.admin(`GET ${path}?limit=1&in_use=true&cursor=${next}`)).status).toBe(400);
    expect((await world.admin(`GET ${path}?limit=1&in_use=false&sort=-name&cursor=${next}`)).status).toBe(
      400,
    );
    const second = await world.admin(`GET ${path}?limit=1&in_use=false&cursor=${next}`);
    expect([second.status, second.body.items.length]).toEqual([200, 1]);
    expect(second.headers.get('link')).toContain('rel="next"');
  });
});

describe('a refresh of the list', () => {
  it('reads the farms first; one that hangs is reported as pending and does not delay the others', async () => {
    const site = await addSite(world.admin);
    const farms = [await addFarm(world.admin, site), await addFarm(world.admin, site)];
    const [good, hanging] = await Promise.all(
      farms.map((farm) => addNode(world, farm, { pools: [pool(unique('pool'))] })),
    );
    if (!good || !hanging) throw new Error('no nodes');
    hanging.simulator.knobs.hang = 'headers';
    const startedAt = performance.now();
    const body = await list(`?site_id=${site.id}&refresh=true`);
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(body.items).toHaveLength(3);
    const byFarm = new Map(body.sites.map((one: Json) => [one.farm_id, one]));
    expect(byFarm.get(farms[0].id)).toMatchObject({ status: 'ok' });
    expect(byFarm.get(farms[1].id)).toMatchObject({ status: 'pending', fetched_at: null, age_ms: null });
    hanging.simulator.knobs.hang = null;
    await hanging.simulator.close();
    await world.portal.settled();
    const after = await list(`?site_id=${site.id}`);
    expect(after.sites.find(({ farm_id }: Json) => farm_id === farms[1].id).error).toMatch(/^upstream_/);
    await good.simulator.close();
  });

  it('waits for a synchronization that is running already, such as the first one of a farm', async () => {
    const farm = await addFarm(world.admin, await addSite(world.admin));
    const node = await addNode(world, farm, { pools: [pool(unique('pool'))] });
    node.simulator.knobs.latencyMs = 300;
    const first = sync(world.portal, farm, 'workplaces');
    await expect
      .poll(async () => (await partOf(world.portal.db, farm, 'workplaces'))?.sync_id ?? null)
      .not.toBeNull();
    const body = await list(`?farm_id=${farm.id}&refresh=true`);
    expect(body.items).toHaveLength(3);
    expect(body.sites).toMatchObject([{ status: 'ok', fetched_at: expect.any(String) }]);
    expect(await first).toBe('synced');
    expect(node.simulator.calls.filter(({ path: called }) => called.endsWith('/workplaces'))).toHaveLength(1);
    await node.simulator.close();
  });

  it('has the same result in whatever order the farms answer', async () => {
    const answers: unknown[] = [];
    for (const slow of [0, 1]) {
      for (const [n, { simulator }] of nodes.entries()) simulator.knobs.latencyMs = n === slow ? 150 : 0;
      const { items } = await list('?refresh=true&search=office-');
      answers.push(items.map(({ fetched_at: _, ...item }: Json) => item));
    }
    for (const { simulator } of nodes) simulator.knobs.latencyMs = 0;
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toHaveLength(5);
  });
});
