import { describe, expect, it } from 'vitest';
import type { AgedOutcome, ProbeOutcome, ProbeTarget } from '../../../db/repositories/sites/probes.ts';
import type { ProbeLimits } from '../../../functions/health/jobs/probes/node.ts';
import { createProbeSlots, healthySlots } from '../../../functions/health/jobs/probes/probe-slots.ts';
import { ProbeResults } from '../../../functions/health/jobs/probes/results.ts';
import { createProbeScheduler } from '../../../functions/health/jobs/probes/scheduler.ts';
import { outcomeOf } from '../../support/fleet/virtual-fleet.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

const forever = Number.POSITIVE_INFINITY;

describe('the probe slots', () => {
  it('have slots for healthy nodes by their number and the interval', () => {
    expect(healthySlots({ nodes: 1, intervalMs: 15_000 })).toBe(6);
    expect(healthySlots({ nodes: 500, intervalMs: 15_000 })).toBe(84);
    expect(healthySlots({ nodes: 5_000, intervalMs: 1_000 })).toBe(250);
  });

  it('move a probe of a healthy node that lasts longer than 2 s to the lane of failing nodes', async () => {
    const time = createVirtualTime(1);
    const slots = createProbeSlots(time, () => ({ nodes: 1, intervalMs: 15_000 }));
    let rooms = 0;
    const leaves = Array.from({ length: 6 }, () => slots.enter(false, () => rooms++));
    expect([slots.hasFreeSlot(false), slots.hasFreeSlot(true)]).toEqual([false, true]);
    for (let n = 0; n < 195; n++) slots.enter(true, () => undefined);
    await time.runUntil(1_999);
    expect([slots.hasFreeSlot(false), slots.hasFreeSlot(true), rooms]).toEqual([false, true, 0]);
    await time.runUntil(2_000);
    expect([slots.hasFreeSlot(false), slots.hasFreeSlot(true), rooms]).toEqual([true, false, 6]);
    for (const leave of leaves) leave();
    expect([slots.hasFreeSlot(false), slots.hasFreeSlot(true)]).toEqual([true, true]);
  });
});

describe('the probe results', () => {
  function start(write = async () => undefined as undefined) {
    const time = createVirtualTime(1);
    const statements: (string | number)[][] = [];
    const failures: unknown[] = [];
    const results = new ProbeResults({
      timing: time,
      intervalMs: () => 15_000,
      mayWrite: () => true,
      write: async (outcomes: AgedOutcome[]) => {
        await write();
        statements.push([
          time.now(),
          ...outcomes.map(({ id, status, age_ms }) => `${id} ${status} ${age_ms}`),
        ]);
      },
      onFailure: (error) => failures.push(error),
    });
    const add = async (at: number, id: string, status: ProbeOutcome['status']) => {
      await time.runUntil(at);
      results.add(outcomeOf(id, status));
      await time.runUntil(at);
    };
    return { time, statements, failures, add };
  }

  it('are written at once when they are new or changed, and otherwise once per interval', async () => {
    const { time, statements, add } = start();
    await add(1_000, 'a', 'pass');
    await add(2_000, 'b', 'pass');
    await add(3_000, 'a', 'pass');
    await add(4_000, 'b', 'pass');
    await add(5_000, 'b', 'pass');
    await add(6_000, 'a', 'fail');
    await time.runUntil(20_000);
    expect(statements).toEqual([
      [1_000, 'a pass 0'],
      [2_000, 'b pass 0'],
      [6_000, 'a fail 0'],
      // An interval after the last statement that left nothing unwritten.
      [17_000, 'b pass 12000'],
    ]);
  });

  it('are written by one statement at a time, together with those that arrived meanwhile', async () => {
    const writing = Promise.withResolvers<undefined>();
    const { time, statements, add } = start(() => writing.promise);
    await add(1_000, 'a', 'pass');
    await add(1_100, 'b', 'pass');
    await add(1_200, 'a', 'fail');
    await add(1_300, 'c', 'pass');
    writing.resolve(undefined);
    await time.runUntil(1_400);
    expect(statements.map(([, ...rest]) => rest)).toEqual([
      ['a pass 0'],
      ['a fail 100', 'b pass 200', 'c pass 0'],
    ]);
  });

  it('are retried every second after a failure, the latest of each node', async () => {
    let isDown = true;
    const { time, statements, failures, add } = start(async () => {
      if (isDown) throw new Error('the database does not answer');
      return undefined;
    });
    await add(1_000, 'a', 'pass');
    await add(1_500, 'a', 'fail');
    for (let n = 0; n < 50; n++) await add(2_100 + n, `n${n}`, 'pass');
    await time.runUntil(4_500);
    expect(failures).toHaveLength(4);
    isDown = false;
    await time.runUntil(5_000);
    expect(statements).toHaveLength(1);
    expect(statements[0]).toHaveLength(52);
    expect(statements[0]?.slice(0, 2)).toEqual([5_000, 'a fail 3500']);
  });
});

describe('the probe schedule', () => {
  const target = (id: string, given: Partial<ProbeTarget> = {}): ProbeTarget => ({
    ...{ id, revision: 1, status: 'pass', name: id, url: 'https://node.example', verify_tls: true },
    ...{ kind: 'dispatcher', ca_certificate: null, health_key: null, timeout_ms: 5_000 },
    ...{ account_domain: null, account_name: null, account_password: null },
    ...given,
  });

  /** `lasts` is the response time of a node; `delayMs` the delay of this process with every timeout. */
  function start(lasts: (id: string) => number, delayMs = 0) {
    const time = createVirtualTime(7);
    const probes: { id: string; at: number; limitMs: number; url: string }[] = [];
    const outcomes: { id: string; at: number; status: string }[] = [];
    const running = new Set<object>();
    const interval = { ms: 15_000 };
    const scheduler = createProbeScheduler({
      timing: time,
      intervalMs: () => interval.ms,
      probe: async ({ id, url, revision }, { limitMs, signal }: ProbeLimits) => {
        probes.push({ id, at: time.now(), limitMs, url });
        const passes = lasts(id) < limitMs;
        running.add(signal);
        await time.sleep(passes ? lasts(id) : limitMs + delayMs);
        running.delete(signal);
        return outcomeOf(id, passes ? 'pass' : 'fail', revision);
      },
      onOutcome: ({ id, status }) => outcomes.push({ id, at: time.now(), status }),
    });
    return { time, scheduler, probes, outcomes, running, interval };
  }
  const startsOf = (probes: { id: string; at: number }[], id: string) =>
    probes.filter((probe) => probe.id === id).map(({ at }) => at);

  it('probes a new node at once, a changed one again, and a removed one no more', async () => {
    const { time, scheduler, probes, outcomes } = start(() => 1_000);
    scheduler.setTargets([target('a'), target('b')]);
    await time.runUntil(500);
    scheduler.setTargets([target('a', { revision: 2, url: 'https://other.example' }), target('c')]);
    await time.runUntil(60_000);
    expect(probes.slice(0, 4).map(({ id, url }) => `${id} ${url}`)).toEqual([
      'a https://node.example',
      'b https://node.example',
      'a https://other.example',
      'c https://node.example',
    ]);
    expect(outcomes.filter(({ id }) => id === 'b')).toEqual([]);
    expect(startsOf(probes, 'b')).toHaveLength(1);
    // The first probe of the changed node was aborted, and has no outcome.
    expect(outcomes[0]).toMatchObject({ id: 'a', at: 1_500 });
    scheduler.stop();
    const { length } = probes;
    await time.runUntil(120_000);
    expect(probes).toHaveLength(length);
  });

  it('applies a shorter interval within a second', async () => {
    const { time, scheduler, probes, interval } = start(() => 10);
    scheduler.setTargets([target('a')]);
    interval.ms = 3_600_000;
    await time.runUntil(3_000_000);
    const { length } = probes;
    interval.ms = 1_000;
    await time.runUntil(3_003_000);
    expect(probes.length - length).toBeGreaterThanOrEqual(2);
    scheduler.stop();
  });

  it('has 2 s for a failing node, and at times the full limit to detect the recovery of a slow one', async () => {
    const { time, scheduler, probes, outcomes } = start(() => 3_000);
    scheduler.setTargets([target('a', { status: 'fail' })]);
    await time.runUntil(60_000);
    expect(probes.slice(0, 5).map(({ limitMs }) => limitMs)).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
    const passed = outcomes.find(({ status }) => status === 'pass');
    expect(passed?.at).toBeLessThan(40_000);
    // From then on it is healthy: the full limit, once per interval.
    const after = startsOf(probes, 'a').filter((at) => at > (passed?.at ?? forever));
    expect(after.length).toBeLessThanOrEqual(3);
    expect(outcomes.at(-1)?.status).toBe('pass');
    scheduler.stop();
  });

  it('has at most 200 concurrent probes of failing nodes, and reaches all of them', async () => {
    const { time, scheduler, probes, running } = start(() => forever);
    const ids = Array.from({ length: 450 }, (_, n) => `n${n}`);
    scheduler.setTargets(ids.map((id) => target(id, { status: 'fail' })));
    let most = 0;
    for (let at = 100; at <= 20_000; at += 100) {
      await time.runUntil(at);
      most = Math.max(most, running.size);
    }
    expect(most).toBe(200);
    for (const id of ids) expect(startsOf(probes, id).length).toBeGreaterThanOrEqual(3);
    scheduler.stop();
  });

  it('repeats a probe whose timeout may come from a delay of this process', async () => {
    const { time, scheduler, probes, outcomes } = start(() => forever, 900);
    scheduler.setTargets([target('a')]);
    await time.runUntil(11_900);
    expect(startsOf(probes, 'a')).toHaveLength(3);
    expect(outcomes).toEqual([{ id: 'a', at: 11_800, status: 'fail' }]);
    scheduler.stop();
  });
});
