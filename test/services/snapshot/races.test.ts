import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomically } from '../../../db/client.ts';
import { sweepSyncs } from '../../../db/repositories/snapshot/sync.ts';
import {
  removeWorkplace as dropRow,
  freeWorkplace,
  updateWorkplaceRow,
} from '../../../db/repositories/snapshot/write-through.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { syncRows } from '../../../db/schema/snapshot/sync-rows.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { assignOwner, changeWorkplace, removeWorkplace } from '../../simulator/data/workplaces.ts';
import { addFarm, addNode, pool, type SimulatedNode, useWorld } from '../../support/factories.ts';
import { partOf, rowsOf, snapshotFarm, sync } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let farm: Json;
let node: SimulatedNode;

beforeEach(async () => {
  farm = await addFarm(world.admin, world.site);
  node = await addNode(world, farm, { pools: [pool('Office', { workplaces: 4 })] });
});
afterEach(() => node.simulator.close());

const rows = () => rowsOf(world.portal.db, farm, 'workplaces');
const read = (given = {}) => sync(world.portal, farm, 'workplaces', given);
const members = () => node.simulator.state.poolNamed('Office').members;
const member = (n: number) => {
  const found = members()[n];
  if (!found) throw new Error('no such workplace');
  return found;
};
const rowOf = async (n: number) => (await rows()).find(({ uuid }) => uuid === member(n).uuid);

/** Syncs, and runs the callback when the node has answered and before the merge. */
const duringSync = (work: () => Promise<unknown>) => {
  const { dispatchers } = world.portal.deps;
  const list: typeof dispatchers.list = async (...asked) => {
    const page = await dispatchers.list(...asked);
    await work();
    return page;
  };
  return read({ deps: { ...world.portal.deps, dispatchers: { ...dispatchers, list } } });
};

describe('the effect of a portal action during a sync', () => {
  it('is not overwritten by it, and other changes of the node arrive with the next sync', async () => {
    await read();
    const outcome = await duringSync(async () => {
      await updateWorkplaceRow(world.portal.db, farm.id, member(0).uuid, { maintenance: true });
    });
    expect(outcome).toBe('unchanged');
    changeWorkplace(node.simulator.state, member(0), { tags: ['blue'] });
    await duringSync(async () => {
      await updateWorkplaceRow(world.portal.db, farm.id, member(0).uuid, { maintenance: true });
    });
    expect(await rowOf(0)).toMatchObject({ maintenance: true, tags: [] });
    await read();
    expect(await rowOf(0)).toMatchObject({ maintenance: false, tags: ['blue'] });
  });

  it('is not overwritten by a full list either', async () => {
    node.simulator.knobs.incremental = false;
    await read();
    removeWorkplace(node.simulator.state, member(3));
    const [gone] = (await rows()).filter(({ uuid }) => !members().some((one) => one.uuid === uuid));
    await duringSync(async () => {
      await updateWorkplaceRow(world.portal.db, farm.id, String(gone?.uuid), { maintenance: true });
    });
    expect(await rows()).toHaveLength(4);
    await read();
    expect(await rows()).toHaveLength(3);
  });

  it('is not overwritten when a session has ended, and its workplace is free', async () => {
    openSession(node.simulator.state, member(0), {
      person: { domain: 'CORP', name: 'Bob' },
      protocol: 'rdp',
    });
    await read();
    expect(await rowOf(0)).toMatchObject({ in_use: true });
    changeWorkplace(node.simulator.state, member(0), { tags: ['blue'] });
    await duringSync(() => atomically(world.portal.db, (h) => [freeWorkplace(h, farm.id, member(0).uuid)]));
    expect(await rowOf(0)).toMatchObject({ in_use: false, state: 'ready' });
  });

  it('stays removed when it was a removal', async () => {
    const { uuid } = member(0);
    await duringSync(() => atomically(world.portal.db, (h) => dropRow(h, farm.id, uuid)));
    expect((await rows()).map((row) => row.uuid)).not.toContain(uuid);
    // The node still has it until the next sync, which began after the removal.
    await read();
    expect(await rows()).toHaveLength(4);
  });
});

describe('two syncs of one part', () => {
  it('never run concurrently: the second is skipped', async () => {
    let second: unknown;
    expect(
      await duringSync(async () => {
        second ??= await read();
      }),
    ).toBe('synced');
    expect(second).toBe('skipped');
  });

  it('are fenced: the result of the first is rejected when its lease expired and another took over', async () => {
    let second: unknown;
    const first = await duringSync(async () => {
      await world.portal.db.update(farmParts).set({ lease_until: new Date(0) });
      assignOwner(node.simulator.state, member(0), { domain: 'CORP', name: 'Bob' });
      second = await read();
    });
    expect([first, second]).toEqual(['lost', 'synced']);
    expect(await rowOf(0)).toMatchObject({ owner_name: 'Bob' });
    expect(await world.portal.db.$count(syncRows)).toBe(0);
  });

  it('are rejected at the end as well, when the other took over after the last page', async () => {
    await read();
    assignOwner(node.simulator.state, member(0), { domain: 'CORP', name: 'Bob' });
    const { deps } = world.portal;
    const farmNow = await snapshotFarm(world.portal.db, farm.id);
    expect(farmNow.nodes).toHaveLength(1);
    let calls = 0;
    const upstream = async <T>(work: () => PromiseLike<T>): Promise<T> => {
      calls += 1;
      // Claim, the call of the node, the staged rows; then the merge.
      if (calls === 4) {
        await world.portal.db.update(farmParts).set({ lease_until: new Date(0) });
        expect(await read()).toBe('synced');
      }
      return work();
    };
    expect(await read({ deps, upstream })).toBe('lost');
    expect(calls).toBe(4);
    expect(await rows()).toHaveLength(4);
  });
});

/** A pool whose connection is cut at its `at`-th query, before or just after it is sent. */
function cutPool(at: number, when: 'before' | 'after') {
  const cut = new pg.Pool({
    connectionString: world.portal.databaseUrl,
    max: 3,
    connectionTimeoutMillis: 2_000,
  });
  let asked = 0;
  cut.on('error', () => undefined);
  cut.on('connect', (client) => {
    client.on('error', () => undefined);
    const { stream } = Reflect.get(client, 'connection');
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    Object.assign(client, {
      query: (...given: unknown[]) => {
        asked += 1;
        if (asked === at && when === 'before') stream.destroy();
        const answer = query(...given);
        if (asked === at && when === 'after') stream.destroy();
        return answer;
      },
    });
  });
  return { db: drizzle({ client: cut }), asked: () => asked, end: () => cut.end() };
}

describe.each([
  'before',
  'after',
] as const)('a sync whose connection is cut %s a statement is sent', (when) => {
  const shapeOf = (uuid: unknown, owner: unknown, tags: unknown) =>
    JSON.stringify([uuid, owner ?? null, tags]);
  const kept = async () =>
    (await rows()).map(({ uuid, owner_name, tags }) => shapeOf(uuid, owner_name, tags)).sort();
  const fresh = () =>
    members()
      .map(({ uuid, owner, tags }) => shapeOf(uuid, owner?.name, tags))
      .sort();

  /** Changes everything at the node, and syncs over a connection that is cut. @returns false when it was not */
  async function cutAt(at: number): Promise<boolean> {
    const old = await kept();
    for (const one of members()) changeWorkplace(node.simulator.state, one, { tags: [`t${at}`] });
    if (at === 5) removeWorkplace(node.simulator.state, member(3));
    const { db, asked, end } = cutPool(at, when);
    await read({ deps: { ...world.portal.deps, db } }).catch(() => undefined);
    // A connection whose transaction failed to begin is never released.
    void end();
    expect([old, fresh()]).toContainEqual(await kept());
    await world.portal.db.update(farmParts).set({ lease_until: new Date(0) });
    await read();
    expect(await kept()).toEqual(fresh());
    return asked() >= at;
  }

  it('leaves the old or the new version, for every statement', async () => {
    await read();
    let at = 1;
    while (await cutAt(at)) at += 1;
    // Claim, staging and every statement of the merge.
    expect(at).toBeGreaterThan(8);
    await sweepSyncs(world.portal.db);
    expect(await world.portal.db.$count(syncRows)).toBe(0);
    expect(await partOf(world.portal.db, farm, 'workplaces')).toMatchObject({ sync_id: null, error: null });
  });
});
