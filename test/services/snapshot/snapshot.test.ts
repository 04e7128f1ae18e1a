import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetVersions } from '../../../db/schema/sites/fleet-versions.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { syncRows } from '../../../db/schema/snapshot/sync-rows.ts';
import { failingFarmsJob, newFarmsJob, snapshotJob } from '../../../functions/health/jobs/snapshot/tasks.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { assignOwner, removeWorkplace } from '../../simulator/data/workplaces.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import {
  addDispatcher,
  addFarm,
  addNode,
  pool,
  type SimulatedNode,
  useWorld,
} from '../../support/factories.ts';
import { partOf, rowsOf, sync, syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

describe.each<Driver>(['pg', 'neon'])('a sync, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let farm: Json;
  let node: SimulatedNode;

  beforeEach(async () => {
    farm = await addFarm(world.admin, world.site);
    node = await addNode(world, farm, { pools: [pool('Office'), pool('Lab', { tags: ['blue'] })] });
  });
  afterEach(() => node.simulator.close());

  const rows = (kind: 'servicespools' | 'workplaces' | 'spsessions' | 'tags' = 'workplaces') =>
    rowsOf(world.portal.db, farm, kind);
  const part = () => partOf(world.portal.db, farm, 'workplaces');
  const read = (kind: 'servicespools' | 'workplaces' | 'spsessions' | 'tags' = 'workplaces') =>
    sync(world.portal, farm, kind);
  const listCalls = () => node.simulator.calls.filter(({ path }) => path.startsWith('/api/webui/'));
  const workplace = (n = 0) => {
    const found = node.simulator.state.poolNamed('Office').members[n];
    if (!found) throw new Error('no such workplace');
    return found;
  };

  it('stores the node data unchanged', async () => {
    openSession(node.simulator.state, workplace(), {
      person: { domain: 'CORP', name: 'Ada' },
      protocol: 'rdp',
    });
    await syncAll(world.portal, farm);
    expect((await rows('servicespools')).map(({ name }) => name).sort()).toEqual(['Lab', 'Office']);
    expect(await rows()).toHaveLength(6);
    expect((await rows()).find(({ uuid }) => uuid === workplace().uuid)).toMatchObject({
      name: workplace().name,
      owner_key: 'corp\\ada',
      in_use: true,
      state: 'in_use',
      servicepool_uuid: workplace().pool.uuid,
      in_use_since: expect.any(Date),
      touched_at: null,
    });
    expect(await rows('spsessions')).toMatchObject([
      { user_name: 'Ada', user_domain: 'CORP', protocol: 'rdp' },
    ]);
    expect(await rows('tags')).toMatchObject([{ name: 'blue', dispatcher_id: node.dispatcher.id }]);
    expect(await part()).toMatchObject({ error: null, sync_id: null, dispatcher_id: node.dispatcher.id });
    expect(await world.portal.db.$count(syncRows)).toBe(0);
  });

  it('reads only changes where the node supports that, and writes only differences', async () => {
    await read();
    const before = await rows();
    expect(await read()).toBe('unchanged');
    assignOwner(node.simulator.state, workplace(1), { domain: 'CORP', name: 'Bob' });
    removeWorkplace(node.simulator.state, workplace(2));
    expect(await read()).toBe('synced');
    expect(listCalls().at(-1)?.query).toContain('since=');
    const after = await rows();
    expect(after).toHaveLength(5);
    const changed = after.filter((row) => !before.some((old) => JSON.stringify(old) === JSON.stringify(row)));
    expect(changed).toMatchObject([{ uuid: workplace(1).uuid, owner_name: 'Bob' }]);
    expect((await part())?.is_incremental).toBe(true);
  });

  it('detects by its validator that a node without increments has nothing new', async () => {
    node.simulator.knobs.incremental = false;
    // The first read finds no difference, the second that the node reports no changes, the third gets the validator.
    const outcomes = [await read(), await read(), await read(), await read(), await read()];
    expect(outcomes).toEqual(['synced', 'synced', 'synced', 'unchanged', 'unchanged']);
    assignOwner(node.simulator.state, workplace(), { domain: 'CORP', name: 'Bob' });
    expect([await read(), await read()]).toEqual(['synced', 'unchanged']);
    expect((await rows()).find(({ uuid }) => uuid === workplace().uuid)).toMatchObject({ owner_name: 'Bob' });
  });

  it.each([600, -600])('is correct with a clock that is off by %d seconds', async (clockSkewS) => {
    // Such a clock would reject a token of the portal; the key of another read is valid.
    await read('tags');
    node.simulator.knobs.clockSkewS = clockSkewS;
    await read();
    assignOwner(node.simulator.state, workplace(), { domain: 'CORP', name: 'Bob' });
    await read();
    expect((await rows()).find(({ uuid }) => uuid === workplace().uuid)).toMatchObject({ owner_name: 'Bob' });
    const { fetched_at } = (await part()) ?? {};
    expect(Math.abs(Date.now() - Number(fetched_at))).toBeLessThan(60_000);
  });

  it('keeps the previous data with the reason when no node answers', async () => {
    await read();
    const { fetched_at } = (await part()) ?? {};
    node.simulator.knobs.lies = 'html';
    expect(await read()).toBe('failed');
    expect(await rows()).toHaveLength(6);
    expect(await part()).toMatchObject({ error: 'upstream_failed:not_json', fetched_at, sync_id: null });
    node.simulator.knobs.lies = null;
    await read();
    expect((await part())?.error).toBeNull();
  });

  it.each([
    'half_json',
    'other_schema',
    'huge',
    'gzip_bomb',
    'redirect',
  ] as const)('stores nothing of an answer that is %s', async (lies) => {
    await read();
    Object.assign(node.simulator.knobs, { lies, path: '/api/webui' });
    expect(await read()).toBe('failed');
    expect(await rows()).toHaveLength(6);
    expect((await part())?.error).toMatch(/^upstream_failed:/);
  });

  it('calls another node once, and reads everything from it', async () => {
    const second = await addNode(world, farm, {
      state: node.simulator.state,
      dispatcher: { priority: 2 },
    });
    await addDispatcher(world.admin, farm, { priority: 3 });
    await read();
    node.simulator.knobs.failing = 500;
    expect(await read()).toBe('synced');
    expect((await part())?.dispatcher_id).toBe(second.dispatcher.id);
    const asked = second.simulator.calls.filter(({ path }) => path.startsWith('/api/webui/'));
    expect(asked.map(({ query }) => query)).toEqual(['limit=1000']);
    expect(await rows()).toHaveLength(6);
    await second.simulator.close();
  });

  it('reads everything again after an hour', async () => {
    await read();
    await world.portal.db.update(farmParts).set({ full_at: new Date(Date.now() - 3_700_000) });
    await read();
    expect(listCalls().at(-1)?.query).toBe('limit=1000');
  });

  it('updates the entitlement version with the pools, and not with their usage', async () => {
    const version = async () =>
      (await world.portal.db.select().from(fleetVersions).where(eq(fleetVersions.name, 'entitlement')))[0]
        ?.version;
    await read('servicespools');
    const first = await version();
    openSession(node.simulator.state, workplace(), {
      person: { domain: 'CORP', name: 'Ada' },
      protocol: 'rdp',
    });
    await read('servicespools');
    expect(await version()).toBe(first);
    node.simulator.state.changePool('Office', { tags: ['green'] });
    await read('servicespools');
    expect(await version()).toBeGreaterThan(first ?? 0);
  });

  it('is executed by the job for every farm, once with any number of sidecars', async () => {
    const broken = await addFarm(world.admin, world.site);
    await addDispatcher(world.admin, broken, { url: 'https://127.0.0.1:1' });
    const known = { current: () => parametersFrom(null) };
    const jobs = [1, 2].map(() => snapshotJob(world.portal.deps, known));
    await Promise.all(jobs.map(({ round }) => round(new AbortController().signal)));
    expect(listCalls()).toHaveLength(4);
    expect(await rows('servicespools')).toHaveLength(2);
    // After the first failed part, the others are left to the job for failing farms.
    expect((await partOf(world.portal.db, broken, 'servicespools'))?.error).toMatch(/^upstream_/);
    expect(await partOf(world.portal.db, broken, 'tags')).toMatchObject({ tried_at: null, sync_id: null });
    await failingFarmsJob(world.portal.deps).round(new AbortController().signal);
    expect((await partOf(world.portal.db, broken, 'tags'))?.error).toMatch(/^upstream_/);
    expect(listCalls()).toHaveLength(4);
    const { body } = await world.admin(`GET /api/webui/aggregator/farms/${broken.id}`);
    expect(body).toMatchObject({ last_sync_at: null, last_sync_error: expect.stringMatching(/^upstream_/) });
    await world.admin(`PATCH /api/webui/aggregator/farms/${broken.id}`, { enabled: false });
  });

  it('is scheduled soon for a farm that was never read, and only once', async () => {
    const { round } = newFarmsJob(world.portal.deps);
    const run = () => round(new AbortController().signal);
    const empty = await addFarm(world.admin, world.site);
    await run();
    expect(listCalls()).toHaveLength(4);
    expect(await rows('servicespools')).toHaveLength(2);
    expect(await partOf(world.portal.db, empty, 'servicespools')).toBeUndefined();
    await world.portal.db
      .update(farmParts)
      .set({ tried_at: new Date(0) })
      .where(eq(farmParts.farm_id, farm.id));
    await run();
    expect(listCalls()).toHaveLength(4);
  });

  it('has the time when every part was read; a farm with a missing part counts as new', async () => {
    const dated = async () =>
      (await world.admin(`GET /api/webui/aggregator/farms/${farm.id}`)).body.last_sync_at as string | null;
    await read('workplaces');
    await read('tags');
    expect(await dated()).toBeNull();
    await newFarmsJob(world.portal.deps).round(new AbortController().signal);
    expect(listCalls()).toHaveLength(4);
    const oldest = await partOf(world.portal.db, farm, 'workplaces');
    expect(await dated()).toBe(oldest?.fetched_at?.toISOString());
  });
});
