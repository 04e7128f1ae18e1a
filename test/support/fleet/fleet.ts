import { beforeEach } from 'vitest';
import type { PoolSeed } from '../../simulator/data/seed.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import type { Simulator } from '../../simulator/start.ts';
import { addFarm, addNode, addSite, audited, base, pool, type World } from '../factories.ts';
import type { Answer, Json } from '../portal.ts';
import { syncAll } from './snapshot.ts';

/** A farm of one simulated node in a separate site, with its objects in the snapshot. */
export type Fleet = { site: Json; farm: Json; simulator: Simulator };

/** The first workplace of the first pool has a session of `ada`. */
export async function startFleet(
  world: World,
  pools: PoolSeed[] = [pool('Office'), pool('Lab')],
): Promise<Fleet> {
  const site = await addSite(world.admin);
  const farm = await addFarm(world.admin, site);
  const { simulator } = await addNode(world, farm, { pools });
  const [first] = simulator.state.pools.all();
  const [workplace] = first?.members ?? [];
  if (!workplace) throw new Error('no workplace');
  const person = { domain: world.domain.small_name, name: 'ada' };
  openSession(simulator.state, workplace, { person, protocol: 'rdp' });
  await syncAll(world.portal, farm);
  return { site, farm, simulator };
}

/** A new fleet for each test of a file or of a `describe`. */
export function useFleet(world: World): Fleet {
  const fleet = {} as Fleet;
  beforeEach(async () => {
    Object.assign(fleet, await startFleet(world));
    return () => fleet.simulator.close();
  });
  return fleet;
}

export const workplaceOf = ({ simulator }: Fleet, pool: string, n: number) => {
  const found = simulator.state.poolNamed(pool).members[n];
  if (!found) throw new Error('no such workplace');
  return found;
};

export const sessionOf = (fleet: Fleet) => {
  const [session] = fleet.simulator.state.sessions.all();
  if (!session) throw new Error('no session');
  return session;
};

/** A list of the snapshot for a farm, by the names of its objects. */
export async function listed({ admin }: World, { farm }: Fleet, what: string): Promise<Json[]> {
  const { body } = await admin(`GET ${base}/${what}?farm_id=${farm.id}&limit=500`);
  return body.items;
}

/** Runs an action. @returns its response, its one event, and the calls to the node with its key */
export async function observe({ portal }: World, { simulator }: Fleet, work: () => Promise<Answer>) {
  await portal.settled();
  simulator.resetCalls();
  let trips = 0;
  const { result: answer, events } = await audited(portal, async () => {
    const atStart = portal.trips();
    const done = await work();
    await portal.settled();
    trips = portal.trips() - atStart;
    return done;
  });
  const calls = simulator.calls.map(({ method, path }) => `${method} ${path}`);
  return { answer, events, calls, trips, event: events[0] };
}
