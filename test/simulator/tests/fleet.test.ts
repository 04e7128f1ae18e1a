import { afterEach, describe, expect, it } from 'vitest';
import type { Collection, Page } from '../data/collection.ts';
import type { Workplace } from '../data/rows.ts';
import { type Knobs, noFaults } from '../faults.ts';
import { type FleetNode, startFleet } from '../fleet.ts';
import { flap, playFaults } from '../script.ts';

const fleet: FleetNode[] = [];
afterEach(() => Promise.all(fleet.splice(0).map(({ simulator }) => simulator.close())));

const domains = [
  { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
];

describe('a fleet of simulated dispatchers', () => {
  it('is fifty sites of several farms in one process, each at its own address', async () => {
    const plan = { sites: 50, farmsPerSite: 2, workplacesPerFarm: 100, domains };
    fleet.push(...(await startFleet({ ...plan, jwks: async () => ({ keys: [] }) })));
    expect(new Set(fleet.map(({ simulator }) => simulator.url)).size).toBe(100);
    expect(new Set(fleet.map(({ simulator }) => simulator.caPem)).size).toBe(1);
    expect(fleet.at(-1)).toMatchObject({ site: 49, farm: 1, simulator: { name: 'site-50-farm-2' } });
    expect(fleet.at(-1)?.simulator.state.workplaces.all()).toHaveLength(100);
  });

  it('has a farm with ten thousand workplaces, returned once each by pages, and then only changes', async () => {
    const plan = { sites: 2, farmsPerSite: 3, workplacesPerFarm: 10_000, domains };
    fleet.push(...(await startFleet({ ...plan, jwks: async () => ({ keys: [] }) })));
    for (const { simulator } of fleet) {
      const { workplaces } = simulator.state;
      const { uuids, as_of, pages } = pagesOf(workplaces, undefined);
      expect([new Set(uuids).size, uuids.length, pages]).toEqual([10_000, 10_000, 10]);
      const [changed = '', removed = ''] = uuids.slice(7_000);
      workplaces.touch(changed);
      workplaces.remove(removed);
      expect(pagesOf(workplaces, as_of)).toMatchObject({ uuids: [changed], removed: [removed] });
    }
    const macs = fleet.flatMap(({ simulator }) => simulator.state.workplaces.all().map(macOf));
    expect(macs[0]).toMatch(/^52:54:00(?::[0-9a-f]{2}){3}$/);
    expect(new Set(macs.slice(0, 9_999)).size).toBe(9_999);
  });
});

const macOf = ({ unique_id }: Workplace) => unique_id;

/** A complete list. */
function pagesOf(workplaces: Collection<Workplace>, since: number | undefined) {
  const uuids: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  let first: Page<Workplace> | undefined;
  do {
    const page = workplaces.page({ limit: 1_000, since, cursor });
    first ??= page;
    pages += 1;
    uuids.push(...page.rows.map(({ uuid }) => uuid));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return { uuids, pages, as_of: first.as_of, removed: first.removed };
}

describe('a fault script', () => {
  it('applies its settings step by step, and keeps other settings unchanged', async () => {
    const knobs = { ...noFaults(), keyLifetimeS: 7 };
    const { watched, seen } = watch(knobs);
    const steps = [
      { forMs: 5, faults: { failing: 503 } },
      { forMs: 5 },
      { forMs: 5, faults: { reset: true } },
    ];
    await playFaults(watched, steps).ended;
    expect([seen, knobs.keyLifetimeS, knobs.reset]).toEqual([[null, 503, null, null], 7, true]);
  });

  it('alternates until it is stopped', async () => {
    const { watched, seen } = watch(noFaults());
    const flapping = flap(watched, 2, { failing: 503 });
    // A step resets all settings, and then applies its faults.
    await expect.poll(() => seen.filter((status) => status === 503).length).toBeGreaterThan(2);
    flapping.stop();
    expect(seen.slice(0, 6)).toEqual([null, 503, null, null, 503, null]);
  });
});

/** A control that records the value of `failing`. */
function watch(knobs: Knobs): { watched: Knobs; seen: unknown[] } {
  const seen: unknown[] = [];
  const watched = new Proxy(knobs, {
    set: (target, name, value) => {
      if (name === 'failing') seen.push(value);
      return Reflect.set(target, name, value);
    },
  });
  return { watched, seen };
}
