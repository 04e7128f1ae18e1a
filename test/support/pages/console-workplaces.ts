import { endSession, openSession } from '../../simulator/data/sessions.ts';
import type { DispatcherState } from '../../simulator/data/state.ts';
import { assignOwner, changeWorkplace, refreshMachine } from '../../simulator/data/workplaces.ts';
import type { Simulator } from '../../simulator/start.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  addUser,
  goodPassword,
  pool,
  type World,
} from '../factories.ts';
import { syncAll } from '../fleet/snapshot.ts';
import type { Json } from '../portal.ts';
import type { BrowserStand } from './browser-stand.ts';
import type { Account } from './console-tabs.ts';

type SimulatedFarm = { site: Json; farm: Json; simulator: Simulator };

/** Two sites with simulated farms: North with the pools Office and Lab, and West with the pool Library. */
export type ConsoleWorkplaces = {
  north: SimulatedFarm;
  west: SimulatedFarm;
  /** The state at the start: all machines run, with the sessions of ada, grace and alan, without owners or tags. */
  reset(): Promise<void>;
  /** An account with these permissions at West only. */
  addLimited(permissions: readonly string[]): Promise<Account>;
  close(): Promise<void>;
};

export async function startConsoleWorkplaces({ world, origin }: BrowserStand): Promise<ConsoleWorkplaces> {
  const north = await addSimulated(world, origin, 'North', [pool('Office', { workplaces: 6 }), pool('Lab')]);
  const west = await addSimulated(world, origin, 'West', [pool('Library', { workplaces: 4 })]);
  await addUser(world.admin, world.domain, { name: 'barbara' });
  const reset = async () => {
    for (const { simulator, farm } of [north, west]) {
      resetState(simulator.state);
      openSessions(world, simulator.state);
      await syncAll(world.portal, farm);
    }
  };
  await reset();
  return {
    north,
    west,
    reset,
    addLimited: async (permissions) => {
      const { user } = await addMember(world, permissions, [west.site.id]);
      return { domain: world.domain.name, name: user.name, password: goodPassword };
    },
    close: async () => {
      await north.simulator.close();
      await west.simulator.close();
    },
  };
}

async function addSimulated(
  world: World,
  issuer: string,
  name: string,
  pools: ReturnType<typeof pool>[],
): Promise<SimulatedFarm> {
  const site = await addSite(world.admin, { name, uri: name.toLowerCase() });
  const farm = await addFarm(world.admin, site, { name: `${name} farm` });
  const { simulator } = await addNode(world, farm, {
    name: `${name.toLowerCase()}-1`,
    pools,
    simulator: { issuer },
  });
  return { site, farm, simulator };
}

function resetState(state: DispatcherState): void {
  for (const session of state.sessions.all()) endSession(state, session);
  for (const { members } of state.pools.all())
    for (const workplace of members) {
      assignOwner(state, workplace, null);
      changeWorkplace(state, workplace, { maintenance: false, tags: [] });
      refreshMachine(state, workplace, true);
    }
}

const people: Readonly<Record<string, readonly string[]>> = { Office: ['ada', 'grace'], Library: ['alan'] };

function openSessions({ domain }: World, state: DispatcherState): void {
  for (const { name, members } of state.pools.all())
    for (const [at, person] of (people[name] ?? []).entries()) {
      const workplace = members[at];
      if (!workplace) throw new Error(`pool ${name} has no workplace ${at}`);
      openSession(state, workplace, { person: { domain: domain.small_name, name: person }, protocol: 'rdp' });
    }
}
