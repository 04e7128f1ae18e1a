import { and, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import type { Terse } from '../../simulator/faults.ts';
import { addMember, base, useWorld } from '../../support/factories.ts';
import { listed, observe, sessionOf, useFleet, workplaceOf } from '../../support/fleet/fleet.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const fleet = useFleet(world);

const office = () => fleet.simulator.state.poolNamed('Office');
const workplace = (verb: string): string =>
  `${base}/workplaces/${fleet.farm.id}/${verb}/${office().uuid}/${workplaceOf(fleet, 'Office', 1).uuid}`;
const pool = (): string => `${base}/servicespools/${fleet.farm.id}/maintenance/${office().uuid}`;
const session = (verb: string): string =>
  `${base}/spsessions/${fleet.farm.id}/${verb}/${sessionOf(fleet).session_uuid}`;
const terse: Terse[] = ['no_content', 'empty_object', 'text', 'other_row', 'bad_members'];

type Order = { send: () => Promise<[route: string, body?: object]>; shows?: Json };
const orders: Record<string, Order> = {
  delete: { send: async () => [`DELETE ${workplace('delete')}`], shows: { state: 'removing' } },
  suspend: { send: async () => [`PATCH ${workplace('machine')}`, { action: 'suspend' }] },
  refresh: { send: async () => [`PATCH ${workplace('refresh')}`, {}] },
  tags: {
    send: async () => [
      `PATCH ${base}/workplaces/${fleet.farm.id}/tags/${workplaceOf(fleet, 'Office', 1).uuid}`,
      { tags: ['blue'] },
    ],
    shows: { tags: ['blue'] },
  },
  assign: {
    send: async () => {
      const { user } = await addMember(world, []);
      return [`PATCH ${workplace('assign')}`, { authenticator_id: world.domain.id, user_id: user.id }];
    },
    shows: { owner: { name: expect.any(String) } },
  },
  'maintenance of a workplace': {
    send: async () => [`PATCH ${workplace('maintenance')}`, { maintenance: true }],
    shows: { maintenance: true },
  },
  'maintenance of a pool': {
    send: async () => [`PATCH ${pool()}`, { maintenance: true }],
    shows: { maintenance: true },
  },
  disconnect: { send: async () => [`PATCH ${session('disconnect')}`], shows: { state: 'disconnected' } },
  logoff: { send: async () => [`PATCH ${session('logoff')}`] },
};

describe.each(Object.keys(orders))('%s', (name) => {
  it.each(terse)('succeeds for a node that answers with %s', async (answer) => {
    const { send, shows = {} } = orders[name] as Order;
    const [route, body] = await send();
    fleet.simulator.knobs.terse = answer;
    const { answer: got, events, calls } = await observe(world, fleet, () => world.admin(route, body));
    expect([got.status < 300, got.body.code]).toEqual([true, undefined]);
    // Properties in the response of the node take precedence over the expected result of the action.
    if (answer !== 'bad_members') expect(got.body).toMatchObject(shows);
    expect(events.map(({ result }) => result)).toEqual(['success']);
    expect(calls.filter((call) => !/jwtauth/.test(call))).toHaveLength(1);
  });
});

describe('a property that the answer omits', () => {
  const isOne = () =>
    and(eq(workplaces.farm_id, fleet.farm.id), eq(workplaces.uuid, workplaceOf(fleet, 'Office', 1).uuid));
  const rowOf = async () => (await world.portal.db.select().from(workplaces).where(isOne()))[0];

  it('stays unchanged in the snapshot, and is read again in the next sync', async () => {
    const before = await rowOf();
    fleet.simulator.knobs.terse = 'empty_object';
    await world.admin(`PATCH ${workplace('machine')}`, { action: 'suspend' });
    expect(await rowOf()).toMatchObject({ name: before?.name, machine_state: before?.machine_state });
    const [part] = await world.portal.db
      .select()
      .from(farmParts)
      .where(and(eq(farmParts.farm_id, fleet.farm.id), eq(farmParts.kind, 'workplaces')));
    expect(part?.tried_at).toBeNull();
    await syncAll(world.portal, fleet.farm);
    expect((await rowOf())?.machine_state).toBe('suspended');
  });

  it('is not taken from a row of another object', async () => {
    const before = await rowOf();
    fleet.simulator.knobs.terse = 'other_row';
    await world.admin(`PATCH ${workplace('refresh')}`, {});
    expect(await rowOf()).toMatchObject({ name: before?.name, tags: before?.tags });
    expect(await listed(world, fleet, 'workplaces')).not.toContainEqual(
      expect.objectContaining({ name: 'another' }),
    );
  });
});
