import { describe, expect, it } from 'vitest';
import { addMember, addNode, addUser, adminOf, base, useWorld } from '../../support/factories.ts';
import { listed, observe, startFleet, useFleet, workplaceOf } from '../../support/fleet/fleet.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const fleet = useFleet(world);
const admin = adminOf(world);

const at = (verb: string, n = 1, pool = 'Office', farm = fleet.farm): string => {
  const { uuid } = workplaceOf(fleet, pool, n);
  return `${base}/workplaces/${farm.id}/${verb}/${fleet.simulator.state.poolNamed(pool).uuid}/${uuid}`;
};
const tagsAt = (n = 1): string =>
  `${base}/workplaces/${fleet.farm.id}/tags/${workplaceOf(fleet, 'Office', n).uuid}`;
const shown = async (n: number, pool = 'Office'): Promise<Json> =>
  (await listed(world, fleet, 'workplaces')).find(({ uuid }) => uuid === workplaceOf(fleet, pool, n).uuid);
const assigning = (user: Json) => ({ authenticator_id: world.domain.id, user_id: user.id });

describe('an action on a workplace', () => {
  it.each([
    ['machine', 'PATCH', { action: 'suspend' }, 202, { machine_state: 'suspended' }, ['machine_state']],
    ['refresh', 'PATCH', {}, 202, { revision: 2 }, ['revision']],
    ['delete', 'DELETE', undefined, 202, { state: 'removing' }, ['state']],
    ['tags', 'PATCH', { tags: ['blue'] }, 200, { tags: ['blue'] }, ['tags']],
  ])('%s takes one call, one event, and is in the snapshot at once', async (verb, method, body, status, after, fields) => {
    const path = verb === 'tags' ? tagsAt() : at(verb);
    const before = await shown(1);
    const { answer, events, event, calls } = await observe(world, fleet, () =>
      admin(`${method} ${path}`, body),
    );
    expect([answer.status, answer.body]).toEqual([
      status,
      { ...before, ...after, fetched_at: expect.any(String) },
    ]);
    const suffix = verb === 'delete' ? '' : `/${verb}`;
    expect(calls).toEqual(
      [expect.any(String), `${method} /api/webui/workplaces/${before.uuid}${suffix}`].slice(-calls.length),
    );
    expect(events).toHaveLength(1);
    expect(event).toMatchObject({
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      result: 'success',
      action: verb,
      object_type: 'workplace',
      object_id: before.uuid,
      object_name: before.name,
      details: { farm_id: fleet.farm.id },
    });
    expect(event?.changes.map(({ field }) => field)).toEqual(fields);
    const now = (await listed(world, fleet, 'workplaces')).find(({ uuid }) => uuid === before.uuid);
    expect(now).toMatchObject(after);
  });

  it('costs four round trips with a cached key, and one dispatcher call', async () => {
    const { user } = await addMember(world, []);
    await admin(`PATCH ${tagsAt()}`, { tags: [] });
    const actions = [
      [`PATCH ${at('assign')}`, assigning(user)],
      [`PATCH ${at('machine')}`, { action: 'shutdown' }],
      [`PATCH ${at('refresh')}`, {}],
      [`PATCH ${tagsAt()}`, { tags: ['x'] }],
      [`DELETE ${at('delete')}`, undefined],
    ] as const;
    for (const [route, body] of actions) {
      const { answer, trips, calls } = await observe(world, fleet, () => admin(route, body));
      expect([route, answer.status < 300, calls.length]).toEqual([route, true, 1]);
      expect([route, trips <= 4]).toEqual([route, true]);
    }
  });

  it('is refused when the node reports that the state does not allow it, with one event', async () => {
    const attempts = [
      [`PATCH ${at('machine')}`, { action: 'start' }],
      [`DELETE ${at('delete', 0)}?force=true`, undefined],
    ] as const;
    for (const [route, body] of attempts) {
      const { answer, events } = await observe(world, fleet, () => admin(route, body));
      expect([route, answer.status, answer.body.code]).toEqual([route, 409, 'invalid_state']);
      expect(events.map(({ event, result, details }) => [event, result, details.code])).toEqual([
        ['portal.WorkplaceAction', 'failure', 'invalid_state'],
      ]);
    }
    expect((await admin(`PATCH ${at('refresh', 0)}`, { force: true })).body.in_use).toBe(false);
  });

  it('is refused for objects that do not belong together or are outside the scope', async () => {
    const other = await startFleet(world);
    const wrong = [
      at('machine', 1, 'Office', other.farm),
      at('machine').replace(
        fleet.simulator.state.poolNamed('Office').uuid,
        fleet.simulator.state.poolNamed('Lab').uuid,
      ),
      at('machine').replace(/[^/]+$/, '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11'),
    ];
    const { ask } = await addMember(world, ['workplaces.power'], [other.site.id]);
    const own = await addMember(world, ['workplaces.power'], [fleet.site.id]);
    const body = { action: 'reboot' };
    for (const path of wrong)
      expect([path, (await admin(`PATCH ${path}`, body)).status]).toEqual([path, 404]);
    expect((await ask(`PATCH ${at('machine')}`, body)).status).toBe(404);
    expect(fleet.simulator.calls.filter(({ method }) => method === 'PATCH')).toEqual([]);
    expect((await own.ask(`PATCH ${at('machine')}`, body)).status).toBe(202);
    expect((await own.ask(`PATCH ${at('refresh')}`, {})).status).toBe(403);
    await other.simulator.close();
  });

  it('deletes a workplace from the snapshot that the node no longer has', async () => {
    const { uuid } = workplaceOf(fleet, 'Office', 2);
    const path = at('machine', 2);
    fleet.simulator.state.workplaces.remove(uuid);
    const { answer, events } = await observe(world, fleet, () => admin(`PATCH ${path}`, { action: 'reset' }));
    expect([answer.status, events.map(({ result }) => result)]).toEqual([404, ['failure']]);
    expect((await listed(world, fleet, 'workplaces')).map((one) => one.uuid)).not.toContain(uuid);
  });

  it('has no dry run, and is refused on a disabled farm', async () => {
    const dry = await admin(`PATCH ${at('machine')}`, { action: 'reset' }, { 'x-dry-run': 'true' });
    expect([dry.status, dry.body.errors[0].pointer]).toEqual([422, 'X-Dry-Run']);
    await admin(`PATCH ${base}/farms/${fleet.farm.id}`, { enabled: false });
    const answer = await admin(`PATCH ${at('machine')}`, { action: 'reset' });
    expect([answer.status, answer.body.reason]).toEqual([409, 'farm_disabled']);
    expect(fleet.simulator.calls.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });
});

describe('a node that fails during an action', () => {
  const act = () => admin(`PATCH ${at('machine')}`, { action: 'reset' });
  const patches = () => fleet.simulator.calls.filter(({ method }) => method === 'PATCH').length;

  it.each([
    [500, 'upstream_failed', 502, 1],
    [403, 'upstream_refused', 502, 1],
    // When the node rejects the key, the call is repeated once with a new one.
    [401, 'upstream_refused', 502, 2],
  ] as const)('with %s causes an error and an event, and is not retried on another node', async (failing, code, status, times) => {
    await act();
    const second = await addNode(world, fleet.farm, { state: fleet.simulator.state });
    Object.assign(fleet.simulator.knobs, { path: '/api/webui', failing });
    Object.assign(second.simulator.knobs, { path: '/api/webui', failing });
    second.simulator.resetCalls();
    const { answer, events } = await observe(world, fleet, act);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body).toMatchObject({ site: fleet.site.uri, farm: fleet.farm.name });
    const all = [...fleet.simulator.calls, ...second.simulator.calls];
    expect(all.filter(({ method }) => method === 'PATCH')).toHaveLength(times);
    expect(events.map(({ result, details }) => [result, details.code])).toEqual([['failure', code]]);
    await second.simulator.close();
  });

  it('before the call was sent is replaced by another node', async () => {
    await act();
    const second = await addNode(world, fleet.farm, { state: fleet.simulator.state });
    const { simulator } = fleet;
    await simulator.close();
    Object.assign(fleet, { simulator: second.simulator });
    const { answer, events } = await observe(world, fleet, act);
    expect([answer.status, patches(), events.map(({ result }) => result)]).toEqual([202, 1, ['success']]);
  });

  it('after the call was sent is not replaced', async () => {
    await act();
    const second = await addNode(world, fleet.farm, { state: fleet.simulator.state });
    Object.assign(fleet.simulator.knobs, { path: '/api/webui', reset: true });
    Object.assign(second.simulator.knobs, { path: '/api/webui', reset: true });
    const { answer } = await observe(world, fleet, act);
    const all = [...fleet.simulator.calls, ...second.simulator.calls];
    expect([answer.status, all.filter(({ method }) => method === 'PATCH').length]).toEqual([502, 1]);
    await second.simulator.close();
  });
});

describe('the owner of a workplace', () => {
  it('is the user that an administrator sets, and can be removed', async () => {
    const user = await addUser(world.admin, world.domain);
    const owner = { domain: world.domain.small_name, name: user.name };
    const { answer, event } = await observe(world, fleet, () =>
      admin(`PATCH ${at('assign')}`, assigning(user)),
    );
    expect([answer.status, answer.body.owner]).toEqual([200, owner]);
    expect(event?.changes).toEqual([{ field: 'owner', before: null, after: owner }]);
    expect([(await shown(1)).owner, workplaceOf(fleet, 'Office', 1).owner]).toEqual([owner, owner]);
    const freed = await admin(`PATCH ${at('assign')}`, { user_id: null });
    expect([freed.status, freed.body.owner, (await shown(1)).owner]).toEqual([200, null, null]);
    expect((await admin(`PATCH ${at('assign')}`, assigning(user))).status).toBe(200);
  });

  it('must exist, is the only one, and has at most one workplace of a pool', async () => {
    const [first, second] = [
      await addUser(world.admin, world.domain),
      await addUser(world.admin, world.domain),
    ];
    expect((await admin(`PATCH ${at('assign')}`, assigning(first))).status).toBe(200);
    fleet.simulator.resetCalls();
    for (const [path, user] of [
      [at('assign'), second],
      [at('assign', 2), first],
      [at('assign'), first],
    ])
      expect((await admin(`PATCH ${path}`, assigning(user))).body.code).toBe('invalid_state');
    const stranger = await admin(`PATCH ${at('assign', 2)}`, {
      authenticator_id: world.domain.id,
      user_id: world.domain.id,
    });
    expect([stranger.status, stranger.body.errors?.[0].pointer]).toEqual([422, '/user_id']);
    expect(fleet.simulator.calls).toEqual([]);
    expect((await admin(`PATCH ${at('assign', 1, 'Lab')}`, assigning(first))).status).toBe(200);
  });

  it('is decided by the node when the snapshot is incomplete, and the action can be retried', async () => {
    const [first, second] = [
      await addUser(world.admin, world.domain),
      await addUser(world.admin, world.domain),
    ];
    workplaceOf(fleet, 'Office', 1).owner = { domain: world.domain.small_name, name: first.name };
    const { answer, events } = await observe(world, fleet, () =>
      admin(`PATCH ${at('assign')}`, assigning(second)),
    );
    expect([answer.status, answer.body.code, events.length]).toEqual([409, 'invalid_state', 1]);
    workplaceOf(fleet, 'Office', 1).owner = null;
    expect((await admin(`PATCH ${at('assign')}`, assigning(second))).status).toBe(200);
  });

  it.each([
    true,
    false,
  ])('is unique when two administrators set one concurrently (the same: %s)', async (isSame) => {
    const users = [await addUser(world.admin, world.domain), await addUser(world.admin, world.domain)];
    const [first, second] = [users[0], isSame ? users[0] : users[1]];
    fleet.simulator.knobs.latencyMs = 50;
    const answers = await Promise.all(
      [first, second].map((user) => admin(`PATCH ${at('assign')}`, assigning(user))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.find(({ status }) => status === 200);
    await syncAll(world.portal, fleet.farm);
    expect((await shown(1)).owner).toEqual(winner?.body.owner);
  });
});
