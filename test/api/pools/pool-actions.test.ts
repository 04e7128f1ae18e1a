import { describe, expect, it } from 'vitest';
import { addFarm, addMember, addNode, adminOf, base, unique, useWorld } from '../../support/factories.ts';
import { listed, observe, useFleet } from '../../support/fleet/fleet.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const fleet = useFleet(world);
const admin = adminOf(world);

const uuidOf = (name: string): string => fleet.simulator.state.poolNamed(name).uuid;
const update = (name: string): string => `PUT ${base}/servicespools/${fleet.farm.id}/update/${uuidOf(name)}`;
const policies = (name: string, query = ''): string =>
  `GET ${base}/servicespools/${uuidOf(name)}/policies${query}`;
const shown = async (uuid: string): Promise<Json> =>
  (await listed(world, fleet, 'servicespools')).find((one) => one.uuid === uuid);

describe('a pool', () => {
  it('is changed on its node and in the snapshot, with the values of its list row, in one call', async () => {
    await admin(policies('Lab'));
    const uuid = uuidOf('Lab');
    const before = await shown(uuid);
    const change = { comments: 'upstairs', tags: ['blue'], max_srvs: 9 };
    const route = update('Lab');
    const { answer, events, event, calls, trips } = await observe(world, fleet, () =>
      admin(route, { ...before, ...change }),
    );
    expect([answer.status, answer.body]).toMatchObject([200, { ...change, uuid, farm_id: fleet.farm.id }]);
    expect([calls, trips <= 4, events.length]).toEqual([[`PUT /api/webui/servicespools/${uuid}`], true, 1]);
    expect(event).toMatchObject({
      event: 'portal.EntityAction',
      category: 'config',
      action: 'update',
      object_type: 'servicespool',
      object_id: uuid,
      object_name: 'Lab',
    });
    expect(event?.changes.map(({ field }) => field)).toEqual(['comments', 'max_srvs', 'tags']);
    expect(await shown(uuid)).toMatchObject(change);
  });

  it('keeps the properties that a request omits', async () => {
    const before = await shown(uuidOf('Lab'));
    const { status } = await admin(update('Lab'), { name: 'Lab' });
    expect([status, await shown(uuidOf('Lab'))]).toEqual([
      200,
      { ...before, fetched_at: expect.any(String) },
    ]);
  });

  it('is not changed when the node refuses', async () => {
    const before = await shown(uuidOf('Lab'));
    for (const change of [{ name: 'Office' }, { initial_srvs: 50 }]) {
      const { answer, events } = await observe(world, fleet, () =>
        admin(update('Lab'), { ...before, ...change }),
      );
      expect([answer.status, answer.body.code]).toEqual([409, 'invalid_state']);
      expect(events.map(({ result }) => result)).toEqual(['failure']);
    }
    expect(await shown(uuidOf('Lab'))).toEqual(before);
  });

  it('is deleted from the snapshot when the node no longer has it', async () => {
    const [lab, office] = [uuidOf('Lab'), uuidOf('Office')];
    const [first, second] = [update('Lab'), policies('Office')];
    const body = await shown(lab);
    fleet.simulator.state.pools.remove(lab);
    fleet.simulator.state.pools.remove(office);
    expect((await admin(first, body)).status).toBe(404);
    expect((await admin(second)).status).toBe(404);
    await world.portal.settled();
    expect(await listed(world, fleet, 'servicespools')).toEqual([]);
  });
});

describe('the policies of a pool', () => {
  it('are read from the node at each request, without an event', async () => {
    const { answer, events } = await observe(world, fleet, () => admin(policies('Lab')));
    expect([answer.status, answer.body.length, events]).toEqual([200, 3, []]);
    expect(answer.body[0]).toEqual({
      key: 'clipboard',
      name: 'Clipboard',
      group: 'Redirection',
      value: true,
      default: true,
      type: 'bool',
      inherited: true,
    });
  });

  it('come from the given farm when several have the pool, within the scope only', async () => {
    const farm = await addFarm(world.admin, world.site, { name: unique('twin') });
    const { simulator } = await addNode(world, farm, { state: fleet.simulator.state });
    await syncAll(world.portal, farm);
    const ambiguous = await admin(policies('Lab'));
    expect([ambiguous.status, ambiguous.body.reason]).toEqual([409, 'ambiguous']);
    simulator.resetCalls();
    expect((await admin(policies('Lab', `?farm_id=${farm.id}`))).status).toBe(200);
    expect(simulator.calls.at(-1)?.path).toMatch(/policies$/);
    const { ask } = await addMember(world, ['servicespools.read'], [fleet.site.id]);
    expect((await ask(policies('Lab'))).status).toBe(200);
    expect((await ask(policies('Lab', `?farm_id=${farm.id}`))).status).toBe(404);
    await simulator.close();
  });

  it('come from another node when one fails', async () => {
    const { simulator } = await addNode(world, fleet.farm, { state: fleet.simulator.state });
    Object.assign(fleet.simulator.knobs, { path: '/api/webui', failing: 500 });
    expect((await admin(policies('Lab'))).status).toBe(200);
    await simulator.close();
  });
});
