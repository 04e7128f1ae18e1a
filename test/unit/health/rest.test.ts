import { describe, expect, it } from 'vitest';
import type { Agenda } from '../../../db/repositories/jobs/agenda.ts';
import { Rest } from '../../../functions/health/jobs/process/rest.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

const minuteMs = 60_000;
const nothing: Agenda = {
  ...{ audit: null, refusals: null, telemetry: null, circuits: null, ended_keys: null, gateways: null },
  ...{ tunnels: null, new_farms: null, failing_farms: null, maintenance: null, is_maintained: false },
  ...{ events: null, webhooks: null, alerts: null, provider_grants: null },
  ...{ outbox: [], queue: {}, is_working: false, plan: '', overrides: null, sealed_to: 0, forwards: [] },
};

/** A leader that reads an agenda every ten seconds while it is awake. */
function createSidecar(given: { maySuspend?: boolean } = {}) {
  const time = createVirtualTime(1);
  const state = { isListening: true, agenda: nothing };
  const statements: number[] = [];
  const send = async (): Promise<void> => void statements.push(time.now());
  const rest: Rest = new Rest({
    maySuspend: given.maySuspend ?? true,
    isLeading: () => true,
    agenda: () => ({ agenda: state.agenda, at: time.now() }),
    isListening: () => state.isListening,
    begin: send,
    end: send,
    onWaking: () => undefined,
    onAwake: () => undefined,
    timing: time,
  });
  const signal = new AbortController().signal;
  const lease = rest.waking({ name: 'lease', intervalMs: () => 10_000, round: send });
  const snapshot = rest.pausing({ name: 'snapshot', intervalMs: () => minuteMs, round: send });
  const repeat = (job: typeof lease): void => {
    const ms = Math.min(job.intervalMs(), 1_000);
    time.after(Math.max(ms, 1), () => void job.round(signal).then(() => repeat(job)));
  };
  for (const job of [lease, snapshot, rest.job]) repeat(job);
  return {
    rest,
    state,
    /** Times without a statement, in whole minutes from the start of the rest. */
    silences: async (minutes: number): Promise<number[]> => {
      await time.runUntil(time.now() + minutes * minuteMs);
      const gaps = statements.slice(1).map((at, n) => Math.round((at - (statements[n] ?? 0)) / minuteMs));
      statements.splice(0);
      return gaps.filter((gap) => gap > 0);
    },
  };
}

describe('a sidecar of a database that may suspend', () => {
  it('rests up to an hour while notifications arrive', async () => {
    const { silences } = createSidecar();
    expect(await silences(190)).toEqual([60, 60, 60]);
  });

  it('never rests by default', async () => {
    expect(await createSidecar({ maySuspend: false }).silences(60)).toEqual([]);
  });

  it('without notifications, rests for six minutes, and longer while there is nothing to do', async () => {
    const { silences, state } = createSidecar();
    state.isListening = false;
    expect(await silences(220)).toEqual([6, 12, 24, 48, 60, 60]);
  });

  it('wakes six minutes after its connection is lost, and not before', async () => {
    const { silences, state, rest } = createSidecar();
    await silences(5);
    state.isListening = false;
    rest.limit();
    expect(await silences(5)).toEqual([]);
    expect((await silences(14))[0]).toBe(12);
  });

  it('wakes when work is due, and does not rest before work that is due soon', async () => {
    const { silences, state } = createSidecar();
    state.agenda = { ...nothing, maintenance: 20 * minuteMs };
    expect((await silences(30))[0]).toBe(20);
    state.agenda = { ...nothing, maintenance: 5 * minuteMs };
    await silences(30);
    expect(await silences(30)).toEqual([]);
  });

  it.each([
    ['unsealed events', { audit: 0 }],
    ['a job in the outbox', { outbox: ['export'] }],
    ['a job that runs', { is_working: true }],
    [
      'events that a collector accepts',
      { sealed_to: 5, forwards: [{ target: 'syslog', seq: 3, error: null, checkedAgeS: 1 }] },
    ],
  ] as const)('does not rest with %s', async (_, work) => {
    const { silences, state } = createSidecar();
    state.agenda = { ...nothing, ...(work as Partial<Agenda>) };
    expect(await silences(60)).toEqual([]);
  });

  it('wakes at once by a notification', async () => {
    const { silences, rest } = createSidecar();
    await silences(5);
    expect(rest.isResting()).toBe(true);
    rest.wake();
    await silences(0.02);
    expect(rest.isAwake()).toBe(true);
    expect(await silences(1)).toEqual([]);
    expect(rest.isResting()).toBe(true);
  });
});
