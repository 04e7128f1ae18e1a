import { and, eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { disconnectSession } from '../../simulator/data/sessions.ts';
import { changeWorkplace, driveMachine } from '../../simulator/data/workplaces.ts';
import { type Ask, addMember, base, useWorld } from '../../support/factories.ts';
import { observe, sessionOf, startFleet, useFleet, workplaceOf } from '../../support/fleet/fleet.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const fleet = useFleet(world);

type What = 'workplaces' | 'spsessions' | 'servicespools';
const at = (uuid: string, farm: Json = fleet.farm) => ({ farm_id: farm.id, uuid });
const workplace = (n: number) => at(workplaceOf(fleet, 'Office', n).uuid);
const office = () => at(fleet.simulator.state.poolNamed('Office').uuid);
const session = () => at(sessionOf(fleet).session_uuid);

async function preview(what: What, action: string, objects: Json[], ask: Ask = world.admin) {
  const route = `POST ${base}/${what}/preview`;
  const { answer, events, calls } = await observe(world, fleet, () => ask(route, { action, objects }));
  expect([answer.status, events, calls]).toEqual([200, [], []]);
  expect(answer.body.items.map(({ farm_id, uuid }: Json) => ({ farm_id, uuid }))).toEqual(objects);
  return answer.body.items.map(({ verdict, reason }: Json) => (reason ? `${verdict} ${reason}` : verdict));
}

describe('the preview of an action on workplaces', () => {
  it('names what needs force, what is possible, and what does not exist, in one round trip', async () => {
    const objects = [workplace(0), workplace(1), workplace(2), at(newId())];
    driveMachine(fleet.simulator.state, workplaceOf(fleet, 'Office', 2), 'poweroff');
    await syncAll(world.portal, fleet.farm);
    expect(await preview('workplaces', 'reboot', objects)).toEqual([
      'needs_force session_live',
      'possible',
      'no_effect machine_state',
      'refused not_found',
    ]);
    const { trips } = await observe(world, fleet, () =>
      world.admin(`POST ${base}/workplaces/preview`, { action: 'reboot', objects }),
    );
    // One for the session of the caller.
    expect(trips).toBe(2);
  });

  it('agrees with the action itself', async () => {
    const careful = (await addMember(world, ['workplaces.read', 'workplaces.power'])).ask;
    const objects = [workplace(0), workplace(1)];
    expect(await preview('workplaces', 'reset', objects, careful)).toEqual([
      'refused session_live',
      'possible',
    ]);
    const path = ({ farm_id, uuid }: Json) =>
      `PATCH ${base}/workplaces/${farm_id}/machine/${office().uuid}/${uuid}`;
    const answers = await Promise.all(objects.map((one) => careful(path(one), { action: 'reset' })));
    expect(answers.map(({ status, body }) => [status, body.reason])).toEqual([
      [409, 'session_live'],
      [202, undefined],
    ]);
  });

  it('judges each action by what it depends on', async () => {
    changeWorkplace(fleet.simulator.state, workplaceOf(fleet, 'Office', 1), { maintenance: true });
    await syncAll(world.portal, fleet.farm);
    const verdicts = (action: string) => preview('workplaces', action, [workplace(0), workplace(1)]);
    expect(await verdicts('assign')).toEqual(['refused other_owner', 'possible']);
    expect(await verdicts('unassign')).toEqual(['possible', 'no_effect no_owner']);
    expect(await verdicts('start_maintenance')).toEqual(['possible', 'no_effect in_maintenance']);
    expect(await verdicts('end_maintenance')).toEqual(['no_effect not_in_maintenance', 'possible']);
    expect(await verdicts('message')).toEqual(['possible', 'no_effect no_session']);
    expect(await verdicts('tag')).toEqual(['possible', 'possible']);
    expect(await verdicts('delete')).toEqual(['needs_force session_live', 'possible']);
    expect(await verdicts('start')).toEqual(['no_effect machine_state', 'no_effect machine_state']);
  });

  it('takes old data, closed farms and open circuits into account', async () => {
    const { db } = world.portal;
    const ofFarm = eq(farmParts.farm_id, fleet.farm.id);
    const change = (values: object) =>
      db
        .update(farmParts)
        .set(values)
        .where(and(ofFarm, eq(farmParts.kind, 'spsessions')));
    await change({ fetched_at: sql`now() - interval '1 hour'` });
    expect(await preview('workplaces', 'refresh', [workplace(1)])).toEqual(['needs_force snapshot_stale']);
    await change({ fetched_at: new Date() });
    await db.update(dispatchers).set({ circuit: 'open' }).where(eq(dispatchers.farm_id, fleet.farm.id));
    expect(await preview('workplaces', 'refresh', [workplace(1)])).toEqual(['unlikely circuit_open']);
    await db.update(farms).set({ enabled: false }).where(eq(farms.id, fleet.farm.id));
    expect(await preview('workplaces', 'refresh', [workplace(1)])).toEqual(['refused farm_disabled']);
  });

  it('shows nothing of other sites, and refuses actions that the roles do not allow there', async () => {
    const elsewhere = await startFleet(world);
    const foreign = at(workplaceOf(elsewhere, 'Office', 1).uuid, elsewhere.farm);
    const own = (await addMember(world, ['workplaces.read', 'workplaces.power'], [fleet.site.id])).ask;
    const verdicts = ['possible', 'refused not_found'];
    expect(await preview('workplaces', 'reboot', [workplace(1), foreign], own)).toEqual(verdicts);
    expect(await preview('workplaces', 'delete', [workplace(1)], own)).toEqual(['refused forbidden']);
    await elsewhere.simulator.close();
  });

  it('is refused without permission to read, for unknown actions and for too many objects', async () => {
    const route = `POST ${base}/workplaces/preview`;
    const { ask } = await addMember(world, ['servicespools.read']);
    const objects = [workplace(0)];
    expect((await ask(route, { action: 'reboot', objects })).status).toBe(403);
    expect((await world.admin(route, { action: 'explode', objects })).status).toBe(422);
    expect((await world.admin(route, { action: 'reboot', objects: [] })).status).toBe(422);
    const many = Array.from({ length: 501 }, () => objects[0]);
    expect((await world.admin(route, { action: 'reboot', objects: many })).status).toBe(422);
  });
});

describe('the preview of an action on sessions and pools', () => {
  it('names sessions that are disconnected or gone', async () => {
    const objects = [session(), at(newId())];
    expect(await preview('spsessions', 'disconnect', objects)).toEqual(['possible', 'refused not_found']);
    disconnectSession(fleet.simulator.state, sessionOf(fleet));
    await syncAll(world.portal, fleet.farm);
    expect(await preview('spsessions', 'disconnect', [session()])).toEqual(['no_effect disconnected']);
    expect(await preview('spsessions', 'logoff', [session()])).toEqual(['possible']);
  });

  it('names pools that are in maintenance', async () => {
    expect(await preview('servicespools', 'start_maintenance', [office()])).toEqual(['possible']);
    await world.admin(`PATCH ${base}/servicespools/${fleet.farm.id}/maintenance/${office().uuid}`, {
      maintenance: true,
    });
    expect(await preview('servicespools', 'start_maintenance', [office()])).toEqual([
      'no_effect in_maintenance',
    ]);
    expect(await preview('servicespools', 'end_maintenance', [office()])).toEqual(['possible']);
  });
});

describe('the filter of sessions by workplace', () => {
  it('returns the session at the workplace only', async () => {
    const list = async (n: number) => {
      const { uuid } = workplaceOf(fleet, 'Office', n);
      return (await world.admin(`GET ${base}/spsessions?workplace_uuid=${uuid}`)).body.items;
    };
    expect((await list(0)).map(({ session_uuid }: Json) => session_uuid)).toEqual([session().uuid]);
    expect(await list(1)).toEqual([]);
  });
});
