import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { addTag as addNodeTag } from '../../simulator/data/state.ts';
import {
  addDomain,
  addFarm,
  addMember,
  addNode,
  addSite,
  addTag,
  base,
  pool,
  type SimulatedNode,
  tagsPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { sync, syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let farm: Json;
let node: SimulatedNode;
let name: string;

beforeEach(async () => {
  name = unique('tag');
  farm = await addFarm(world.admin, world.site);
  node = await addNode(world, farm, { pools: [pool('Office', { tags: [name] })] });
});
afterEach(() => node.simulator.close());

const read = () => sync(world.portal, farm, 'tags');
const found = async (wanted = name): Promise<Json[]> =>
  (await world.admin(`GET ${tagsPath}?search=${encodeURIComponent(wanted)}`)).body.items;
const lose = ({ simulator }: SimulatedNode, wanted = name) => {
  for (const tag of simulator.state.tags.all().filter((one) => one.name === wanted))
    simulator.state.tags.remove(tag.uuid);
};

describe('tags of dispatchers', () => {
  it('become tags with any name, and are deleted with the last farm that has them', async () => {
    const spaced = `${name} с пробелом`;
    addNodeTag(node.simulator.state, spaced);
    await read();
    expect(await found()).toMatchObject([
      { name, source: 'dispatcher', objects_count: 0 },
      { name: spaced, source: 'dispatcher' },
    ]);
    const filtered = await world.admin(`GET ${tagsPath}?source=dispatcher&search=${name}`);
    expect(filtered.body.items).toHaveLength(2);
    lose(node);
    lose(node, spaced);
    await read();
    expect(await found()).toEqual([]);
  });

  it('are one tag for all farms that have them', async () => {
    const farms = [farm, await addFarm(world.admin, world.site)];
    const other = await addNode(world, farms[1] as Json, {
      pools: [pool('Lab', { tags: [name.toUpperCase()] })],
    });
    for (const one of farms) await sync(world.portal, one, 'tags');
    const [only, ...more] = await found();
    expect([only?.name, more]).toEqual([name, []]);
    lose(node);
    await read();
    expect(await found()).toMatchObject([{ id: only?.id, source: 'dispatcher' }]);
    await other.simulator.close();
    await world.admin(`DELETE ${base}/dispatchers/${other.dispatcher.id}`);
    expect((await world.admin(`DELETE ${base}/farms/${farms[1]?.id}`)).status).toBe(204);
    for (const leftover of expiredRows(parametersFrom(null), new Date()))
      await deleteExpired(world.portal.sidecarDb, leftover, new AbortController().signal);
    expect(await found()).toEqual([]);
  });

  it('do not change a portal tag of the same name', async () => {
    const own = await addTag(world.admin, { name: name.toUpperCase(), color: '#112233' });
    await read();
    expect(await found()).toMatchObject([{ id: own.id, source: 'manual', color: '#112233' }]);
    lose(node);
    await read();
    expect(await found()).toHaveLength(1);
  });

  it('are named and deleted at the dispatcher only, and may have a colour in the portal', async () => {
    const spaced = `${name} two`;
    addNodeTag(node.simulator.state, spaced);
    await read();
    const [tag, other] = await found();
    const path = `${tagsPath}/${tag?.id}`;
    const refusals = [
      await world.admin(`PATCH ${path}`, { name: unique('renamed') }),
      await world.admin(`DELETE ${path}`),
    ];
    expect(refusals.map(({ status, body }) => [status, body.reason])).toEqual([
      [409, 'dispatcher_tag'],
      [409, 'dispatcher_tag'],
    ]);
    expect((await world.admin(`PATCH ${path}`, { color: '#445566' })).body).toMatchObject({
      color: '#445566',
    });
    // Tags of the node are accepted, also with a name that a portal tag cannot have.
    const replaced = await world.admin(`PUT ${tagsPath}/${other?.id}`, other);
    expect([replaced.status, replaced.body.name]).toEqual([200, spaced]);
    const domain = await addDomain(world.admin);
    const attach = [{ type: 'authenticator', id: domain.id }];
    const attached = await world.admin(`PATCH ${tagsPath}/${other?.id}`, { attach });
    expect([attached.status, attached.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
    expect((await world.admin(`PATCH ${path}`, { attach })).body).toMatchObject({ objects_count: 1 });
    // A tag with attached objects stays a portal tag.
    lose(node);
    await read();
    expect(await found()).toMatchObject([{ name, source: 'manual', color: '#445566' }, { name: spaced }]);
  });

  it('are visible with the sites in scope whose farms have them', async () => {
    await read();
    const elsewhere = await addSite(world.admin);
    const { ask: near } = await addMember(world, ['tags.read'], [world.site.id]);
    const { ask: far } = await addMember(world, ['tags.read'], [elsewhere.id]);
    const [tag] = await found();
    for (const [ask, status] of [
      [near, 200],
      [far, 404],
    ] as const)
      expect((await ask(`GET ${tagsPath}/${tag?.id}`)).status).toBe(status);
    expect((await far(`GET ${tagsPath}?search=${name}`)).body.items).toEqual([]);
  });
});

describe('the name of the pool', () => {
  it('comes from the snapshot when the node omits it in workplaces and sessions', async () => {
    const { state, knobs } = node.simulator;
    const [workplace] = state.poolNamed('Office').members;
    if (!workplace) throw new Error('no workplace');
    openSession(state, workplace, { person: { domain: 'CORP', name: 'Ada' }, protocol: 'rdp' });
    knobs.alter = (_list, { servicepool_name: _, ...row }) => row;
    await syncAll(world.portal, farm);
    for (const list of ['workplaces', 'spsessions']) {
      const { body } = await world.admin(`GET ${base}/${list}?farm_id=${farm.id}`);
      expect(new Set(body.items.map((one: Json) => one.servicepool_name))).toEqual(new Set(['Office']));
    }
    knobs.alter = (_list, row) => ('servicepool_name' in row ? { ...row, servicepool_name: 'Bureau' } : row);
    for (const { uuid } of state.poolNamed('Office').members) state.workplaces.touch(uuid);
    await sync(world.portal, farm, 'workplaces');
    const { body } = await world.admin(`GET ${base}/workplaces?farm_id=${farm.id}`);
    expect(body.items[0].servicepool_name).toBe('Bureau');
  });
});
