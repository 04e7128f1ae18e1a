import { createAuthority } from '../../simulator/authority.ts';
import { type FleetPlan, startFleet } from '../../simulator/fleet.ts';
import { obey, tellReady } from '../child-process.ts';

export type FleetSettings = {
  jwks: string;
  fleets: (Pick<FleetPlan, 'sites' | 'farmsPerSite' | 'workplacesPerFarm' | 'domains' | 'knobs'> & {
    prefix: string;
  })[];
};
/** These nodes hang from now on, and all others answer. */
export type FleetOrder = { hang: string[] };

/** All simulated farms of the benchmark in one process, separate from the measuring one. */
const { jwks, fleets }: FleetSettings = JSON.parse(process.argv[2] ?? '{}');
const authority = await createAuthority();
const started = await Promise.all(fleets.map((fleet) => startFleet({ ...fleet, jwks, authority })));
const nodes = started.flat().map(({ simulator }) => simulator);

obey((order) => {
  const { hang } = order as FleetOrder;
  for (const { name, knobs } of nodes) knobs.hang = hang.includes(name) ? 'headers' : null;
});
tellReady({
  url: '',
  ca_certificate: authority.caPem,
  nodes: nodes.map(({ name, url }) => ({ name, url })),
});
