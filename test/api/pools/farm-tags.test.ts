import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  base,
  pool,
  type SimulatedNode,
  useWorld,
} from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';

const world = useWorld();
let node: SimulatedNode;
const path = () => `${base}/farms/${world.farm.id}/tags`;

beforeAll(async () => {
  node = await addNode(world, world.farm, { pools: [pool('Office', { tags: ['green', 'blue'] })] });
});
afterAll(async () => {
  await node.simulator.close();
});

it('a farm that was never synchronised has no tags, and the answer states it', async () => {
  const { body } = await world.admin(`GET ${path()}`);
  expect(body).toEqual({
    items: [],
    next: null,
    sites: [expect.objectContaining({ status: 'pending', fetched_at: null })],
  });
});

it('the tags of a farm are those of its nodes, in the list and in the farm', async () => {
  await syncAll(world.portal, world.farm);
  const { body } = await world.admin(`GET ${path()}?count=exact`);
  const [{ fetched_at }] = body.sites;
  const tag = { farm_id: world.farm.id, dispatcher_id: node.dispatcher.id, fetched_at };
  expect(body.items).toEqual([
    { name: 'blue', ...tag },
    { name: 'green', ...tag },
  ]);
  expect(body.total).toBe(2);
  const { body: farm } = await world.admin(`GET ${base}/farms/${world.farm.id}`);
  expect(farm).toMatchObject({
    tags: ['blue', 'green'],
    last_sync_error: null,
    last_sync_at: expect.any(String),
  });
  expect((await world.admin(`GET ${path()}?search=GR`)).body.items).toHaveLength(1);
});

it('the tags are read from the nodes on request', async () => {
  node.simulator.state.tags.put('0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', {
    uuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11',
    name: 'red',
  });
  expect((await world.admin(`GET ${path()}?refresh=true`)).body.items).toHaveLength(3);
});

it('an unreachable farm returns no tags', async () => {
  const site = await addSite(world.admin);
  await addFarm(world.admin, site);
  const { ask } = await addMember(world, ['farms.read'], [site.id]);
  expect((await ask(`GET ${path()}`)).status).toBe(404);
  expect((await world.admin(`GET ${base}/farms/0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11/tags`)).status).toBe(404);
});
