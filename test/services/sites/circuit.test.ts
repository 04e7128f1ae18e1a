import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { circuitJob } from '../../../functions/health/jobs/probes/circuits.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { createProcessMemory } from '../../../shared/context/process-memory.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { pool, useStand } from '../../support/factories.ts';
import type { FarmWithNode } from '../../support/fleet/rules.ts';
import { partOf, sync } from '../../support/fleet/snapshot.ts';
import { asked, keyPath, servicesOf, startFleetStand, statusesOf } from '../../support/fleet/stand.ts';
import type { Json, TestPortal } from '../../support/portal.ts';

const stand = useStand(startFleetStand);
let site: Json;
let farms: FarmWithNode[];
let west: FarmWithNode;

beforeEach(async () => {
  ({ site, farms } = await stand.site([{ pools: [pool('East')] }, { pools: [pool('West')] }]));
  const [, second] = farms;
  if (!second) throw new Error('two farms were asked for');
  west = second;
  // Session keys and domains are cached, so that a fault of a test affects the list itself.
  await stand.list(site);
  await forget();
});
afterEach(() => stand.clear());

async function forget(): Promise<void> {
  await stand.forgetLists();
  west.node.simulator.resetCalls();
}
const failures = async () => (await stand.circuitOf(west)).circuit_failures;
const circuit = async () => (await stand.circuitOf(west)).circuit;
/** A list by each of several isolates, with their background writes. */
async function failIn(isolates: readonly TestPortal['send'][]): Promise<void> {
  for (const send of isolates) {
    await stand.list(site, send);
    await stand.forgetLists();
  }
}
const isolates = (count: number) => Array.from({ length: count }, () => stand.world.portal.isolate());
const known = { current: () => parametersFrom(null) };
const jobs = (count: number) =>
  Array.from({ length: count }, () => circuitJob({ ...stand.world.portal.deps }, known));
const openUntil = (at: Date) =>
  stand.changeNode(west, { circuit: 'open', circuit_failures: 3, circuit_probe_until: at });
const past = () => new Date(Date.now() - 1_000);
const later = () => new Date(Date.now() + 60_000);

describe('the circuit breaker of a node', () => {
  it('opens after three failures in a row of any users, and the list reports it at once', async () => {
    west.node.simulator.knobs.failing = 500;
    await failIn(isolates(2));
    expect(await stand.circuitOf(west)).toMatchObject({ circuit: 'closed', circuit_failures: 2 });
    await failIn(isolates(1));
    expect(await circuit()).toBe('open');
    await forget();
    const shown = await stand.list(site);
    expect(statusesOf(shown, farms)).toEqual(['ok', 'circuit_open']);
    expect([servicesOf(shown), west.node.simulator.calls]).toEqual([['East'], []]);
    expect(await stand.journalOf(west)).toEqual(['circuit_open']);
  });

  it('is in the journal once, however many calls fail concurrently', async () => {
    west.node.simulator.knobs.failing = 500;
    await Promise.all(isolates(8).map((send) => stand.list(site, send)));
    await stand.world.portal.settled();
    expect([await circuit(), await stand.journalOf(west)]).toEqual(['open', ['circuit_open']]);
  });

  it('counts at most one failure a second per isolate', async () => {
    west.node.simulator.knobs.reset = true;
    await Promise.all(Array.from({ length: 6 }, () => stand.list(site)));
    await stand.world.portal.settled();
    expect(await failures()).toBe(1);
  });

  it('resets its count after a success', async () => {
    west.node.simulator.knobs.failing = 500;
    await failIn(isolates(2));
    west.node.simulator.knobs.failing = null;
    await failIn(isolates(1));
    expect(await failures()).toBe(0);
    west.node.simulator.knobs.failing = 500;
    await failIn(isolates(2));
    expect(await circuit()).toBe('closed');
  });

  it.each([401, 403])('does not open by a %d, which concerns one user only', async (status) => {
    Object.assign(west.node.simulator.knobs, { path: '/api/client/', failing: status });
    await failIn(isolates(4));
    expect(asked(west)).toBeGreaterThanOrEqual(4);
    expect(await stand.circuitOf(west)).toMatchObject({ circuit: 'closed', circuit_failures: 0 });
  });

  it.each([
    ['with a key', true],
    ['before there is a key', false],
  ])('counts calls without an answer at their own time limit, not at that of the list, %s', async (_when, hasKey) => {
    await stand.setParameter('aggregator.list_deadline_ms', 300);
    await stand.setParameter('aggregator.call_timeout_ms', 3_000);
    if (!hasKey) await stand.world.portal.ownerDb.execute('truncate dispatcher_sessions');
    west.node.simulator.knobs.hang = 'headers';
    expect(statusesOf(await stand.list(site), farms)).toEqual(['ok', 'timeout']);
    expect(await failures()).toBe(0);
    await stand.world.portal.settled();
    expect(await failures()).toBe(1);
  });
});

describe('an open circuit breaker', () => {
  it('is probed by one of several sidecars, and by no other meanwhile', async () => {
    await openUntil(past());
    west.node.simulator.knobs.latencyMs = 400;
    const rounds = Promise.all(jobs(5).map(({ round }) => round(new AbortController().signal)));
    await expect.poll(circuit).toBe('half_open');
    expect(statusesOf(await stand.list(site), farms)).toEqual(['ok', 'circuit_open']);
    await rounds;
    await stand.world.portal.settled();
    expect([asked(west, keyPath), asked(west), await circuit()]).toEqual([1, 0, 'closed']);
    expect(await stand.journalOf(west)).toEqual(['circuit_closed']);
  });

  it('is probed after a request where there is no sidecar, and never before it is due', async () => {
    await openUntil(later());
    await stand.list(site);
    await forget();
    expect([west.node.simulator.calls.length, await circuit()]).toEqual([0, 'open']);
    await openUntil(past());
    expect(statusesOf(await stand.list(site), farms)).toEqual(['ok', 'circuit_open']);
    await stand.world.portal.settled();
    expect([asked(west, keyPath), await circuit()]).toEqual([1, 'closed']);
  });

  it('stays open when the probe fails, without another journal entry', async () => {
    await openUntil(past());
    west.node.simulator.knobs.failing = 503;
    for (const { round } of jobs(2)) await round(new AbortController().signal);
    const { circuit_probe_until, circuit: state } = await stand.circuitOf(west);
    expect([state, asked(west, keyPath), await stand.journalOf(west)]).toEqual(['open', 1, []]);
    expect(circuit_probe_until?.getTime()).toBeGreaterThan(Date.now() + 3_000);
  });

  it('closes when a node refuses the portal, because it answers', async () => {
    await openUntil(past());
    west.node.simulator.knobs.failing = 401;
    for (const { round } of jobs(1)) await round(new AbortController().signal);
    expect(await circuit()).toBe('closed');
  });

  it('allows no calls, one probe, and closes within 10 s after recovery', async () => {
    west.node.simulator.knobs.failing = 500;
    await failIn(isolates(3));
    await forget();
    const stopping = new AbortController();
    const loops = jobs(2).map((job) => runEvery(job, stand.world.portal.deps.log, stopping.signal));
    west.node.simulator.knobs.failing = null;
    const recovered = Date.now();
    await expect
      .poll(async () => servicesOf(await stand.list(site)), { timeout: 10_000, interval: 200 })
      .toEqual(['East', 'West']);
    expect(Date.now() - recovered).toBeLessThan(10_000);
    stopping.abort();
    await Promise.all(loops);
    expect([asked(west, keyPath), await stand.journalOf(west)]).toEqual([
      1,
      ['circuit_open', 'circuit_closed'],
    ]);
  }, 20_000);
});

describe('a sync and its circuit breaker', () => {
  const read = (given: Parameters<typeof sync>[3] = {}) =>
    sync(stand.world.portal, west.farm, 'workplaces', {
      deps: { ...stand.world.portal.deps, memory: createProcessMemory() },
      ...given,
    });

  it('opens it by reads that fail in a row, and reads nothing while it is open', async () => {
    west.node.simulator.knobs.lies = 'html';
    for (let n = 0; n < 3; n++) expect(await read()).toBe('failed');
    expect([await circuit(), await stand.journalOf(west)]).toEqual(['open', ['circuit_open']]);
    await forget();
    expect([await read(), west.node.simulator.calls]).toEqual(['failed', []]);
    await openUntil(past());
    await stand.changeNode(west, { circuit: 'half_open' });
    expect([await read(), west.node.simulator.calls]).toEqual(['failed', []]);
    expect((await partOf(stand.world.portal.db, west.farm, 'workplaces'))?.error).toMatch(
      /^upstream_unavailable/,
    );
  });

  it('resets the failures by a successful read', async () => {
    await stand.changeNode(west, { circuit_failures: 2 });
    expect(await read()).toBe('synced');
    expect(await failures()).toBe(0);
  });

  it('counts no failure for rows that are too large, nor for a local abort', async () => {
    Object.assign(west.node.simulator.knobs, { path: '/api/webui/', lies: 'huge' });
    expect(await read()).toBe('failed');
    Object.assign(west.node.simulator.knobs, { lies: null, hang: 'headers' });
    expect(await read({ signal: AbortSignal.timeout(200) })).toBe('failed');
    expect(await failures()).toBe(0);
  });
});
