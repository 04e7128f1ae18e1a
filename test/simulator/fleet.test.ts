import { afterEach, describe, expect, it } from 'vitest';
import { noFaults } from './faults.ts';
import { type FleetNode, startFleet } from './fleet.ts';
import { playFaults } from './script.ts';
import { createDispatcherState } from './seed.ts';

const fleet: FleetNode[] = [];
afterEach(() => Promise.all(fleet.splice(0).map(({ simulator }) => simulator.close())));

const domains = [
  { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
];

describe('a fleet of simulated dispatchers', () => {
  it('is fifty sites of several farms in one process, each reached at an address of its own', async () => {
    const plan = { sites: 50, farmsPerSite: 2, workplacesPerFarm: 100, domains };
    fleet.push(...(await startFleet({ ...plan, jwks: async () => ({ keys: [] }) })));
    expect(new Set(fleet.map(({ simulator }) => simulator.url)).size).toBe(100);
    expect(new Set(fleet.map(({ simulator }) => simulator.caPem)).size).toBe(1);
    expect(fleet.at(-1)).toMatchObject({ site: 49, farm: 1, simulator: { name: 'site-50-farm-2' } });
    expect(fleet.at(-1)?.simulator.state.workplaces.all()).toHaveLength(100);
  });

  it('makes ten thousand workplaces of a farm within a second', () => {
    const started = performance.now();
    const pools = [
      { name: 'All', protocols: ['rdp' as const], workplaces: 10_000, entitled: 'all' as const },
    ];
    const state = createDispatcherState({ name: 'large', domains, pools });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(state.workplaces.page({ limit: 1_000 }).rows).toHaveLength(1_000);
  });
});

describe('a script of faults', () => {
  it('turns the knobs step by step, and leaves what is no fault of its own as it was', async () => {
    const knobs = { ...noFaults(), keyLifetimeS: 7 };
    const seen: unknown[] = [];
    const watched = new Proxy(knobs, {
      set: (target, name, value) => {
        if (name === 'failing') seen.push(value);
        return Reflect.set(target, name, value);
      },
    });
    const steps = [
      { forMs: 5, faults: { failing: 503 } },
      { forMs: 5 },
      { forMs: 5, faults: { reset: true } },
    ];
    await playFaults(watched, steps).ended;
    expect([seen, knobs.keyLifetimeS, knobs.reset]).toEqual([[null, 503, null, null], 7, true]);
  });
});
