import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updatePoolRow } from '../../../db/repositories/snapshot/write-through.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { addMember, addNode, base, pool, type SimulatedNode, useWorld } from '../../support/factories.ts';
import { addRule, memberOf, siteWithFarms } from '../../support/fleet/rules.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/servicespools`;
const world = useWorld();
let node: SimulatedNode;

beforeAll(async () => {
  const pools = [pool('Office', { tags: ['blue'], comments: 'Desks' }), pool('Lab', { workplaces: 1 })];
  node = await addNode(world, world.farm, { pools });
  const { state } = node.simulator;
  const [workplace] = state.poolNamed('Lab').members;
  if (!workplace) throw new Error('no workplace');
  openSession(state, workplace, { person: { domain: 'CORP', name: 'Ada' }, protocol: 'spice' });
  await syncAll(world.portal, world.farm);
});
afterAll(async () => {
  await node.simulator.close();
});

const list = async (query = ''): Promise<Json> => {
  const { status, body } = await world.admin(`GET ${path}${query}`);
  expect([query, status, body.code]).toEqual([query, 200, undefined]);
  return body;
};

describe('the merged list of pools', () => {
  it('shows the values that the nodes returned', async () => {
    const { items, sites } = await list();
    expect(items.map(({ name }: Json) => name)).toEqual(['Lab', 'Office']);
    expect(items[1]).toEqual({
      uuid: expect.any(String),
      name: 'Office',
      short_name: 'Office',
      comments: 'Desks',
      state: 'ready',
      visible: true,
      farm_id: world.farm.id,
      farm_name: world.farm.name,
      site_id: world.site.id,
      site_name: world.site.name,
      maintenance: false,
      maintenance_template_id: null,
      protocols: ['rdp', 'spice'],
      initial_srvs: 3,
      cache_l1_srvs: 0,
      cache_l2_srvs: 0,
      max_srvs: 3,
      workplaces_count: 3,
      in_use_count: 0,
      in_preparation_count: 0,
      usage_percent: 0,
      restrained: false,
      tags: ['blue'],
      fetched_at: sites[0].fetched_at,
    });
  });

  it.each([
    ['state=busy', ['Lab']],
    ['maintenance=false', ['Lab', 'Office']],
    ['tag=blue', ['Office']],
    ['search=OFF', ['Office']],
    ['sort=-usage_percent', ['Lab', 'Office']],
    ['sort=usage_percent', ['Office', 'Lab']],
  ])('is filtered and sorted by %s', async (query, names) => {
    const { items, total } = await list(`?${query}&count=exact`);
    expect([items.map(({ name }: Json) => name), total]).toEqual([names, names.length]);
  });

  it('supports page numbers as well', async () => {
    const first = await list('?sort=-usage_percent&limit=1');
    const second = await list(`?sort=-usage_percent&limit=1&cursor=${first.next}`);
    expect([first, second].map(({ items: [{ name }] }) => name)).toEqual(['Lab', 'Office']);
    expect(second.next).toBeNull();
  });

  it('shows at once what an action of the portal changed, with the time', async () => {
    const { items, sites } = await list('?search=office');
    await updatePoolRow(world.portal.db, world.farm.id, items[0].uuid, { comments: 'Moved' });
    const after = await list('?search=office');
    expect(after.items[0].comments).toBe('Moved');
    expect(after.items[0].fetched_at > sites[0].fetched_at).toBe(true);
    expect(after.sites[0].fetched_at).toBe(sites[0].fetched_at);
  });

  it('filters the pools that users see without a rule, as their list of services does', async () => {
    const names = ['Free', 'Ruled', 'Tagged', 'Paused'];
    const made = await siteWithFarms(world, [
      { pools: names.map((name) => pool(name, { tags: name === 'Tagged' ? ['red'] : [] })) },
    ]);
    const [at] = made.farms;
    if (!at) throw new Error('no farm');
    await syncAll(world.portal, at.farm);
    const { ask } = await addMember(world, []);
    const namesOf = (items: Json[]) => items.map(({ name }) => name).sort();
    const offered = async (wanted: boolean) =>
      namesOf((await list(`?site_id=${made.site.id}&offered_directly=${wanted}`)).items);
    const seen = async () => {
      const { body } = await ask(`GET /aggregator/api/client/v7.0/${made.site.uri}/servicesList/`);
      return namesOf(body.services.filter(({ kind }: Json) => kind === 'pool'));
    };
    expect([await offered(true), await offered(false)]).toEqual([await seen(), []]);
    await addRule(world, made.site, [memberOf(at, 'Ruled'), memberOf(at, 'Free', { enabled: false })]);
    await addRule(world, made.site, [], { match_tags: { any: ['red'], all: [] } });
    await addRule(world, made.site, [memberOf(at, 'Paused')], { enabled: false });
    expect(await offered(true)).toEqual(['Free', 'Paused']);
    expect([await offered(true), await offered(false)]).toEqual([await seen(), ['Ruled', 'Tagged']]);
    await at.node.simulator.close();
  });

  it('needs the permission to read pools, within its sites', async () => {
    const nobody = await addMember(world, ['workplaces.read']);
    expect((await nobody.ask(`GET ${path}`)).body.required_permission).toBe('servicespools.read');
    const elsewhere = await addMember(world, ['servicespools.read'], []);
    expect((await elsewhere.ask(`GET ${path}?count=exact`)).body).toEqual({
      items: [],
      next: null,
      total: 0,
      sites: [],
    });
  });
});
