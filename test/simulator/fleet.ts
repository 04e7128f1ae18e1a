import { type Authority, createAuthority } from './authority.ts';
import type { Domain } from './data/rows.ts';
import { createDispatcherState } from './data/seed.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './start.ts';

export type FleetPlan = Pick<SimulatorOptions, 'jwks' | 'portalCa' | 'issuer' | 'knobs'> & {
  /** Prefix of the names of the nodes, where one portal has several fleets. */
  prefix?: string;
  sites: number;
  farmsPerSite: number;
  /** In ten pools, which all users may use. */
  workplacesPerFarm: number;
  domains: Domain[];
  authority?: Authority;
};

export type FleetNode = { site: number; farm: number; simulator: Simulator };

const poolsPerFarm = 10;

/** Many farms of one node each in this process, in the order of sites and farms, with one certificate authority. */
export async function startFleet({ sites, farmsPerSite, ...plan }: FleetPlan): Promise<FleetNode[]> {
  const authority = plan.authority ?? (await createAuthority());
  const places = Array.from({ length: sites * farmsPerSite }, (_, n) => ({
    site: Math.floor(n / farmsPerSite),
    farm: n % farmsPerSite,
  }));
  return Promise.all(
    places.map(async (place) => ({
      ...place,
      simulator: await startSimulator({ ...plan, authority, state: stateOf(place, plan) }),
    })),
  );
}

function stateOf(
  { site, farm }: Pick<FleetNode, 'site' | 'farm'>,
  { prefix = '', workplacesPerFarm, domains }: Pick<FleetPlan, 'prefix' | 'workplacesPerFarm' | 'domains'>,
) {
  const name = `${prefix}site-${site + 1}-farm-${farm + 1}`;
  const pools = Array.from({ length: poolsPerFarm }, (_, n) => ({
    name: `${name} pool ${n + 1}`,
    protocols: ['rdp' as const],
    workplaces: Math.ceil(workplacesPerFarm / poolsPerFarm),
    entitled: 'all' as const,
  }));
  return createDispatcherState({ name, domains, pools });
}
