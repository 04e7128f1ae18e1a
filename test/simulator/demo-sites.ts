import { createAuthority } from './authority.ts';
import type { SeededSite } from './demo-seed.ts';
import type { Knobs } from './faults.ts';
import type { Domain } from './rows.ts';
import { createDispatcherState, type PoolSeed } from './seed.ts';
import { type Simulator, startSimulator } from './start.ts';

export type DemoSite = SeededSite & { simulator: Simulator };

type Plan = Omit<DemoSite, 'simulator'> & { pools: PoolSeed[]; knobs?: Partial<Knobs> };

const domain: Domain = {
  authUuid: '3c1f7c1a-8a52-4d0e-9a3b-5f6f1c0d7e21',
  authSmallName: 'demo',
  auth: 'Demo',
};

const plans: readonly Plan[] = [
  {
    uri: 'north',
    name: 'North',
    what: 'answers at once',
    pools: [
      {
        name: 'Accounting',
        protocols: ['rdp'],
        workplaces: 2,
        entitled: { users: ['demo\\alice'], groups: [] },
      },
      { name: 'Office', protocols: ['rdp', 'spice'], workplaces: 20, entitled: 'all' },
    ],
  },
  {
    uri: 'south',
    name: 'South',
    what: 'needs 800 ms for whatever it is asked for a user',
    pools: [{ name: 'Design studio', protocols: ['spice'], workplaces: 5, entitled: 'all' }],
    // The calls that only make sure who asks are fast: three slow ones in a row pass the deadline of a list.
    knobs: { latencyMs: 800, path: '/api/client/' },
  },
  {
    uri: 'west',
    name: 'West',
    what: 'answers 503 in every third minute',
    pools: [{ name: 'Classroom', protocols: ['rdp'], workplaces: 30, entitled: 'all' }],
  },
];

/** The three dispatchers; they check the portal's tokens against the keys that it publishes. */
export async function startSites(baseUrl: string, portalCa: string): Promise<DemoSite[]> {
  const authority = await createAuthority();
  const start = async ({ pools, knobs = {}, ...site }: Plan): Promise<DemoSite> => ({
    ...site,
    simulator: await startSimulator({
      state: createDispatcherState({ name: `${site.uri}-1`, domains: [domain], pools }),
      jwks: `${baseUrl}/api/auth/v7.0/jwks`,
      portalCa,
      issuer: baseUrl,
      healthKey: `health key of ${site.uri}`,
      authority,
      knobs,
    }),
  });
  return Promise.all(plans.map(start));
}

/** Lets a site fail in every third minute of the clock. @returns what ends that */
export function failEveryThirdMinute({ simulator: { knobs } }: DemoSite): () => void {
  const set = (): void => {
    knobs.failing = Math.floor(Date.now() / 60_000) % 3 === 2 ? 503 : null;
  };
  set();
  const timer = setInterval(set, 1_000);
  return () => clearInterval(timer);
}
