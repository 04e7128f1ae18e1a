import { beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import {
  type Ask,
  addDomain,
  addFarm,
  addGateway,
  addGroup,
  addMember,
  addNode,
  addPriorityGroup,
  addRole,
  addRule,
  addSite,
  addTag,
  addTemplate,
  addUser,
  adminOf,
  base,
  pool,
  useWorld,
} from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Answer, Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const find = (text: string, ask: Ask = admin, limit?: number): Promise<Answer> =>
  ask(`GET ${base}/search?${new URLSearchParams({ text, ...(limit && { limit: String(limit) }) })}`);
const found = async (...args: Parameters<typeof find>): Promise<Json[]> => {
  const { status, body } = await find(...args);
  expect([status, body]).toEqual([200, { items: expect.any(Array) }]);
  return body.items;
};
const shown = (items: readonly Json[]) => items.map(({ type, name }) => [type, name]);

type Place = { site: Json; farm: Json; node: Json };

/** A site with a farm and objects of all types, whose names contain a word. */
async function addPlace(word: string): Promise<Place> {
  const site = await addSite(admin, { name: `${word} site` });
  const farm = await addFarm(admin, site, { name: `${word} farm` });
  const seed = pool(`${word} pool`, { workplaces: 2 });
  const { simulator, dispatcher } = await addNode(world, farm, { name: `${word} node`, pools: [seed] });
  const [workplace] = simulator.state.poolNamed(`${word} pool`).members;
  if (!workplace) throw new Error('the pool has no workplace');
  const person = { domain: world.domain.small_name, name: `${word}.user` };
  openSession(simulator.state, workplace, { person, protocol: 'rdp' });
  await syncAll(world.portal, farm);
  await simulator.close();
  await addRule(admin, site, { name: `${word} rule` });
  await addGateway(admin, { name: `${word} gateway`, sites: [site.id] });
  return { site, farm, node: dispatcher };
}

describe('the search of all types', () => {
  let quartz: Place;
  let zircon: Place;
  beforeAll(async () => {
    quartz = await addPlace('quartz');
    zircon = await addPlace('zircon');
    await addTag(admin, { name: 'quartz-tag' });
    await addTemplate(admin, { name: 'quartz template' });
    await addPriorityGroup(admin, { name: 'quartz preference' });
    await addRole(admin, ['sites.read'], { name: 'quartz role' });
    const domain = await addDomain(admin, { name: 'quartz domain' });
    await addGroup(admin, domain, { name: 'quartz group' });
    await addUser(admin, domain, { name: 'quartz-user' });
  });

  it('finds objects of every type, those of domains and farms with their domain or farm', async () => {
    const items = await found('quartz');
    expect(new Set(shown(items).map(([type]) => type))).toEqual(
      new Set([
        ...['servicespool', 'workplace', 'spsession', 'authenticator', 'group', 'user', 'role', 'site'],
        ...['farm', 'dispatcher', 'tag', 'gateway', 'maintenance_template', 'priority_group', 'rule'],
      ]),
    );
    const of = (type: string) => items.filter((item) => item.type === type);
    expect(of('site')).toEqual([{ type: 'site', id: quartz.site.id, name: 'quartz site', parent: null }]);
    expect(of('dispatcher')[0]?.id).toBe(quartz.node.id);
    expect(of('user')[0]?.parent).toEqual({ id: expect.any(String), name: 'quartz domain' });
    const farm = { id: quartz.farm.id, name: 'quartz farm' };
    for (const type of ['servicespool', 'workplace', 'spsession'])
      expect([type, of(type)[0]?.parent]).toEqual([type, farm]);
    const { items: pools } = (await admin(`GET ${base}/servicespools?farm_id=${quartz.farm.id}`)).body;
    expect(of('servicespool').map(({ id }) => id)).toEqual(pools.map(({ uuid }: Json) => uuid));
    expect(shown(of('spsession'))).toEqual([['spsession', 'quartz.user']]);
  });

  it('finds the objects of the sites of the caller only, of every type', async () => {
    const { ask } = await addMember(world, permissions, [zircon.site.id]);
    const sited = ['servicespool', 'workplace', 'spsession', 'site', 'farm', 'dispatcher', 'gateway', 'rule'];
    const types = (items: readonly Json[]) => [...new Set(items.map(({ type }) => type))];
    expect(types(await found('zircon', ask))).toEqual(expect.arrayContaining(sited));
    expect(types(await found('quartz', ask)).filter((type) => sited.includes(type))).toEqual([]);
  });

  it('finds the types only that the caller may read, each in the sites of its permission', async () => {
    const { ask } = await addMember(world, ['farms.read'], [quartz.site.id]);
    expect(shown(await found('quartz', ask))).toEqual([['farm', 'quartz farm']]);
    const none = await addMember(world, ['rules.explain']);
    const { status, body } = await find('quartz', none.ask);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect((await find('quartz', (await addMember(world, [])).ask)).status).toBe(403);
    expect((await world.portal.send(`GET ${base}/search?text=quartz`)).status).toBe(401);
  });

  it('costs one database round trip', async () => {
    await world.portal.settled();
    const before = world.portal.trips();
    await found('quartz');
    expect(world.portal.trips() - before).toBe(1);
  });
});

describe('the text of a search', () => {
  beforeAll(async () => {
    for (const name of ['Onyx', 'The onyx', 'onyx_1', 'onyxa1', '100% onyx', 'back\\onyx'])
      await addPriorityGroup(admin, { name });
  });
  const names = async (text: string, limit?: number) =>
    (await found(text, admin, limit)).filter(({ type }) => type === 'priority_group').map(({ name }) => name);

  it('ignores case and spaces around, and names that begin with it come first', async () => {
    expect(await names(' ONYX ', 20)).toEqual([
      'Onyx',
      'onyx_1',
      'onyxa1',
      '100% onyx',
      'back\\onyx',
      'The onyx',
    ]);
    expect(await names('onyx', 2)).toEqual(['Onyx', 'onyx_1']);
  });

  it('has no characters with a meaning of their own', async () => {
    expect(await names('onyx_1')).toEqual(['onyx_1']);
    expect(await names('100%')).toEqual(['100% onyx']);
    expect(await names('k\\on')).toEqual(['back\\onyx']);
    expect(await names('%%%')).toEqual([]);
    expect(await names('___')).toEqual([]);
  });

  it('is compared with the beginning of names if it is short', async () => {
    expect(await names('on', 20)).toEqual(['Onyx', 'onyx_1', 'onyxa1']);
    expect(await names('nyx', 20)).toHaveLength(6);
  });

  it('also finds users by their full name and address, as every list of people does', async () => {
    const given = { name: 'ada1815', real_name: 'Ada Пушкина', email: 'Countess@example.com' };
    await addUser(admin, world.domain, given);
    const lists = [`authenticators/${world.domain.id}/users`, 'users', 'sites/users-groups-from-domains'];
    for (const text of ['A1815', 'ПУШКИНА', 'countess@']) {
      expect(shown(await found(text))).toEqual([['user', 'ada1815']]);
      for (const list of lists) {
        const { items } = (await admin(`GET ${base}/${list}?search=${encodeURIComponent(text)}`)).body;
        expect([list, ...items.map(({ name }: Json) => name)]).toEqual([list, 'ada1815']);
      }
    }
  });

  it.each([
    '',
    '?text=',
    '?text=%20%20',
  ])('is required for a result, as the query %o shows', async (query) => {
    expect((await admin(`GET ${base}/search${query}`)).body).toEqual({ items: [] });
  });

  it.each([
    [`text=${'x'.repeat(129)}`, '?text'],
    ['text=a&limit=0', '?limit'],
    ['text=a&limit=21', '?limit'],
    ['text=a&limit=x', '?limit'],
    ['text=a&type=site', '?type'],
  ])('refuses the query %s', async (query, pointer) => {
    const { status, body } = await admin(`GET ${base}/search?${query}`);
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });
});
