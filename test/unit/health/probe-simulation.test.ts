import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runProbes } from '../../../functions/health/jobs/probes/probes.ts';
import { siteStates } from '../../../functions/health/site-states.ts';
import { createVirtualFleet, hangsAt, type VirtualNode } from '../../support/fleet/virtual-fleet.ts';
import { createVirtualTime, randomOf } from '../../support/virtual-time.ts';

const intervalMs = 15_000;
const minute = 60_000;
const nodeCount = 500;
const hangingCount = 200;
const sampleMs = 250;

/** Of 500 nodes 200 hang from a given time, half of them together; most recover, and some hang again. */
function fleetOf(seed: number): VirtualNode[] {
  const random = randomOf(seed);
  return Array.from({ length: nodeCount }, (_, at) => {
    const id = `n${at}`;
    if (at >= hangingCount) return { id, latencyMs: latencyOf(random()), hangs: [] };
    const from = at % 2 ? minute : minute + random() * 2 * minute;
    const to = from + 40_000 + random() * 3 * minute;
    const again = to + 20_000 + random() * minute;
    const second = random() < 0.3 ? [{ from: again, to: again + 2 * minute }] : [];
    // Recovered nodes answer within the limit of a probe of a failing node.
    const hangs = random() < 0.2 ? [{ from, to: Number.POSITIVE_INFINITY }] : [{ from, to }, ...second];
    return { id, latencyMs: 5 + random() * 1_500, hangs };
  });
}

/** Most answer at once; one of twenty needs up to 4.5 seconds. */
const latencyOf = (random: number): number =>
  random < 0.95 ? 5 + random * 400 : 1_500 + ((random - 0.95) / 0.05) * 3_000;

type Seen = { at: number; states: Map<string, string> };

/** Ten minutes; the states are those of a health check at that time. */
async function simulate(seed: number) {
  const time = createVirtualTime(seed);
  const nodes = fleetOf(seed);
  const fleet = createVirtualFleet(time, nodes);
  const stopping = new AbortController();
  const failures: unknown[] = [];
  const parts = {
    ...fleet,
    timing: time,
    intervalMs: () => intervalMs,
    onFailure: (e: unknown) => failures.push(e),
  };
  const running = runProbes(parts, stopping.signal);
  const seen: Seen[] = [];
  let startsOfFirstSecond = 0;
  for (let at = sampleMs; at <= 10 * minute; at += sampleMs) {
    await time.runUntil(at);
    if (at === 1_000) startsOfFirstSecond = fleet.counts.starts;
    const sites = siteStates({ overrides: null, sites: nodes.map(({ id }) => fleet.factsOf(id)) });
    seen.push({ at, states: new Map(sites.map(({ uri, state }) => [uri, state])) });
  }
  stopping.abort();
  await time.runUntil(11 * minute);
  await running;
  return { nodes, seen, counts: fleet.counts, failures, startsOfFirstSecond };
}

/** Longest time for which the site was shown in a state while `isWrong` was true. */
function longest(seen: readonly Seen[], id: string, isWrong: (state: string, at: number) => boolean): number {
  let since: number | undefined;
  let most = 0;
  for (const { at, states } of seen) {
    if (!isWrong(states.get(id) ?? '', at)) since = undefined;
    else {
      since ??= at - sampleMs;
      most = Math.max(most, at - since);
    }
  }
  return most;
}

describe('500 nodes of which 200 hang, for ten minutes', () => {
  it('no healthy site is shown as failing, no hanging one as passing, recovered ones pass within 10 s', async () => {
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const { nodes, seen, counts, failures, startsOfFirstSecond } = await simulate(seed);
      expect(failures).toEqual([]);
      for (const node of nodes) {
        const { id } = node;
        const wronglyFailing = longest(seen, id, (state, at) => state === 'fail' && !hangsAt(node, at));
        const wronglyPassing = longest(seen, id, (state, at) => state === 'pass' && hangsAt(node, at));
        expect(wronglyFailing, `${id} fails`).toBeLessThanOrEqual(node.hangs.length === 0 ? 0 : 10_000);
        expect(wronglyPassing, `${id} passes`).toBeLessThanOrEqual(2 * intervalMs);
        expect(
          longest(seen, id, (state) => state === 'unknown'),
          `${id} is unknown`,
        ).toBeLessThanOrEqual(intervalMs);
      }
      expect(startsOfFirstSecond).toBeLessThanOrEqual(110);
      expect(counts.mostInFlight).toBeLessThan(400);
    });
    await fc.assert(property, { numRuns: 4, endOnFailure: true });
  }, 180_000);

  it('without changes there is one write per interval, and one read of the plan every three seconds', async () => {
    const time = createVirtualTime(1);
    const nodes = fleetOf(1).map((node, at) => ({
      ...node,
      hangs: at < 200 ? [{ from: 0, to: Number.POSITIVE_INFINITY }] : [],
    }));
    const fleet = createVirtualFleet(time, nodes);
    const stopping = new AbortController();
    const parts = { ...fleet, timing: time, intervalMs: () => intervalMs, onFailure: () => undefined };
    void runProbes(parts, stopping.signal);
    await time.runUntil(minute);
    const before = { ...fleet.counts };
    await time.runUntil(6 * minute);
    stopping.abort();
    expect(fleet.counts.writes - before.writes).toBeLessThanOrEqual(21);
    expect(fleet.counts.plans - before.plans).toBeLessThanOrEqual(101);
    // Every healthy node once per interval, every failing one about every five seconds.
    const starts = fleet.counts.starts - before.starts;
    expect(starts).toBeGreaterThan(300 * 20 + 200 * 55);
    expect(starts).toBeLessThan(300 * 25 + 200 * 80);
  }, 60_000);
});
