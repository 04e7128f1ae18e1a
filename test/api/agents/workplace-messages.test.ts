import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, base, useWorld } from '../../support/factories.ts';
import { type Fleet, observe, startFleet, workplaceOf } from '../../support/fleet/fleet.ts';

const world = useWorld();
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet(world);
});
afterAll(async () => {
  await fleet.simulator.close();
});

const route = (farm = fleet.farm): string =>
  `POST ${base}/workplaces/${farm.id}/message/${fleet.simulator.state.poolNamed('Office').uuid}`;
const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

describe('a message to workplaces', () => {
  it('reaches their users, and the answer has the reason for each user it did not reach', async () => {
    const [working, idle] = [workplaceOf(fleet, 'Office', 0).uuid, workplaceOf(fleet, 'Office', 1).uuid];
    const order = { workplaces: [working, idle, unknown], message: 'Save your work', title: 'Soon' };
    const { answer, events, event } = await observe(world, fleet, () => world.admin(route(), order));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        delivered: [working],
        failed: [
          { workplace_uuid: idle, code: 'no_session' },
          { workplace_uuid: unknown, code: 'not_found' },
        ],
      },
    ]);
    expect(fleet.simulator.state.messages.at(-1)).toEqual({
      workplace_uuid: working,
      title: 'Soon',
      message: 'Save your work',
      level: 'info',
    });
    expect(events).toHaveLength(1);
    expect(event).toMatchObject({
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      action: 'message',
      object_type: 'servicespool',
      object_name: 'Office',
      details: { delivered: 1, failed: 2, message: 'Save your work' },
    });
  });

  it('to all workplaces of a pool takes one dispatcher call and at most four round trips', async () => {
    const order = { all: true, message: 'Lunch', level: 'warning' };
    const { answer, calls, trips } = await observe(world, fleet, () => world.admin(route(), order));
    expect(answer.body).toEqual({ delivered: [workplaceOf(fleet, 'Office', 0).uuid], failed: [] });
    expect([calls.length, trips <= 4]).toEqual([1, true]);
  });

  it('needs a text, goes to some or all workplaces, and needs a pool within the scope', async () => {
    for (const order of [
      { message: 'x' },
      { all: true, workplaces: [unknown], message: 'x' },
      { all: false, message: 'x' },
      { all: true, message: '' },
      { all: true, message: 'x'.repeat(1025) },
    ])
      expect((await world.admin(route(), order)).status).toBe(422);
    const { ask } = await addMember(world, ['workplaces.message'], [world.site.id]);
    expect((await ask(route(), { all: true, message: 'x' })).status).toBe(404);
    expect((await world.admin(route(world.farm), { all: true, message: 'x' })).status).toBe(404);
  });
});
