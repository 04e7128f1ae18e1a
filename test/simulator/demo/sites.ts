import { type Authority, createAuthority } from '../authority.ts';
import type { Domain } from '../data/rows.ts';
import { createDispatcherState, type PoolSeed } from '../data/seed.ts';
import type { Knobs } from '../faults.ts';
import { portalAccount, seededBroker } from '../openuds/seed.ts';
import { startOpenUds } from '../openuds/start.ts';
import { type Simulator, startSimulator } from '../start.ts';
import type { SeededFarm, SeededSite } from './seed.ts';

export type DemoFarm = SeededFarm & { simulator: Simulator };
export type DemoSite = SeededSite & { farms: readonly DemoFarm[] };

type FarmPlan = { name: string; node: string; pools: PoolSeed[]; knobs?: Partial<Knobs> };
type Plan = Omit<SeededSite, 'farms'> & { farms: FarmPlan[] };

const domain: Domain = {
  authUuid: '3c1f7c1a-8a52-4d0e-9a3b-5f6f1c0d7e21',
  authSmallName: 'demo',
  auth: 'Demo',
};

const plans: readonly Plan[] = [
  {
    uri: 'north',
    name: 'North',
    what: 'responds immediately',
    farms: [
      {
        name: 'North farm',
        node: 'north-1',
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
    ],
  },
  {
    uri: 'south',
    name: 'South',
    what: 'takes 800 ms for each request of a user',
    farms: [
      {
        name: 'South farm',
        node: 'south-1',
        pools: [{ name: 'Design studio', protocols: ['spice'], workplaces: 5, entitled: 'all' }],
        // Authentication calls are fast: three slow calls in a row would exceed the deadline of a list.
        knobs: { latencyMs: 800, path: '/api/client/' },
      },
    ],
  },
  {
    uri: 'west',
    name: 'West',
    what: 'has two farms; one returns 503 every third minute',
    farms: [
      {
        name: 'West farm',
        node: 'west-1',
        pools: [{ name: 'Classroom', protocols: ['rdp'], workplaces: 30, entitled: 'all' }],
      },
      {
        name: 'West annex',
        node: 'west-2',
        pools: [{ name: 'Library', protocols: ['rdp'], workplaces: 10, entitled: 'all' }],
      },
    ],
  },
];

/** The pools of a dispatcher without a site. The administrator guide adds it to a site. */
const sparePools: PoolSeed[] = [{ name: 'Workshop', protocols: ['rdp'], workplaces: 3, entitled: 'all' }];

export type DemoDispatchers = { sites: DemoSite[]; spare: Simulator; brokers: DemoBrokers };

/** A site with a broker of another kind, which the portal signs in at. */
type DemoBrokers = { site: SeededSite; close(): Promise<void> };

async function startBrokers(authority: Authority): Promise<DemoBrokers> {
  const users = ['alice', 'bob'].map((name) => ({ name, groups: ['staff'] }));
  const pools = [
    { name: 'Lab', groups: ['staff'], cached: 3, transports: ['spice' as const] },
    { name: 'Lecture room', groups: ['staff'], cached: 5, transports: ['rdp' as const] },
  ];
  const state = seededBroker({ label: domain.authSmallName, users, pools });
  const broker = await startOpenUds({ state, authority });
  const account = { account_name: portalAccount.name, account_password: portalAccount.password };
  const node = { kind: 'openuds', account_domain: domain.authSmallName, ...account };
  const simulator = { name: 'campus-1', url: broker.url, caPem: broker.caPem };
  const farms = [{ name: 'Campus farm', simulator, node }];
  return {
    site: { uri: 'campus', name: 'Campus', what: 'runs OpenUDS', farms },
    close: broker.close,
  };
}

/**
 * Starts the dispatchers of three sites, one without a site, and the broker of a fourth site. Dispatchers verify tokens
 * with the JWKS of the portal.
 * @throws Error if `sparePort` is in use
 */
export async function startDispatchers(
  baseUrl: string,
  portalCa: string,
  sparePort: number,
): Promise<DemoDispatchers> {
  const authority = await createAuthority();
  const start = (name: string, pools: PoolSeed[], more: { port?: number; knobs?: Partial<Knobs> } = {}) =>
    startSimulator({
      state: createDispatcherState({ name, domains: [domain], pools }),
      jwks: `${baseUrl}/api/auth/v7.0/jwks`,
      portalCa,
      issuer: baseUrl,
      healthKey: `health key of ${name}`,
      authority,
      ...more,
    });
  const spare = await start('east-1', sparePools, { port: sparePort });
  const startFarm = async ({ name, node, pools, knobs = {} }: FarmPlan): Promise<DemoFarm> => ({
    name,
    simulator: await start(node, pools, { knobs }),
  });
  const sites = await Promise.all(
    plans.map(async (site) => ({ ...site, farms: await Promise.all(site.farms.map(startFarm)) })),
  );
  return { sites, spare, brokers: await startBrokers(authority) };
}

/** When a farm fails. */
export type Failing = 'every_third_minute' | 'always' | 'never';

export const isFailing = (failing: Failing, at: number): boolean =>
  failing === 'every_third_minute' ? Math.floor(at / minuteMs) % 3 === 2 : failing === 'always';

/** Start of the current or next failing minute. */
export const failsFrom = (at: number): Date => {
  const minute = Math.floor(at / minuteMs);
  return new Date((minute + 2 - (minute % 3)) * minuteMs);
};

const minuteMs = 60_000;

/** Makes a farm fail. @returns a function that stops this */
export function letFail({ simulator: { knobs } }: DemoFarm, failing: Failing): () => void {
  const set = (): void => {
    knobs.failing = isFailing(failing, Date.now()) ? 503 : null;
  };
  set();
  const timer = setInterval(set, 1_000);
  return () => clearInterval(timer);
}
