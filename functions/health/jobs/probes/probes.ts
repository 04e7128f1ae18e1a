import type { Db } from '../../../../db/client.ts';
import {
  type AgedOutcome,
  type ProbeOutcome,
  type ProbePlan,
  type ProbeTarget,
  probePlan,
  recordProbes,
} from '../../../../db/repositories/sites/probes.ts';
import type { Telemetry } from '../../../../shared/kernel/observability/telemetry.ts';
import type { CachedParameters } from '../parameters.ts';
import type { AgendaReader, Task } from '../process/agenda.ts';
import type { Rest } from '../process/rest.ts';
import { pause, systemTiming, type Timing } from '../process/timing.ts';
import { type ProbeDeps, type ProbeLimits, probeNode } from './node.ts';
import { ProbeResults } from './results.ts';
import { createProbeScheduler } from './scheduler.ts';

export type ProbingParts = {
  timing: Timing;
  intervalMs: () => number;
  /** False while the sidecar rests. */
  mayWrite: () => boolean;
  /** Whether the fingerprint of the last plan is known to be that of the current one. */
  isCurrent: (fingerprint: string) => boolean;
  /** @param fingerprint of the last plan */
  readPlan: (fingerprint: string | undefined) => Promise<ProbePlan>;
  probe: (target: ProbeTarget, limits: ProbeLimits) => Promise<ProbeOutcome>;
  write: (outcomes: AgedOutcome[]) => Promise<void>;
  onFailure: (error: unknown) => void;
};

/** New, changed, disabled and deleted nodes take effect within this time. */
const planEveryMs = 3_000;
const name = 'probes';

/**
 * Probes every enabled dispatcher at intervals of `aggregator.health_interval_s`. One round lasts until its signal
 * aborts; a failed statement is logged, counted and repeated.
 */
export function probeJob(
  db: Db,
  deps: ProbeDeps,
  {
    parameters,
    reader,
    rest,
    telemetry,
  }: {
    parameters: CachedParameters;
    reader: Pick<AgendaReader, 'current'>;
    rest: Pick<Rest, 'isAwake'>;
    telemetry: Telemetry;
  },
): Task {
  const counted = async <T>(statement: Promise<T>): Promise<T> => {
    const result = await statement;
    telemetry.count('jobs', [name, 'success']);
    return result;
  };
  const parts: ProbingParts = {
    timing: systemTiming,
    intervalMs: () => parameters.current()['aggregator.health_interval_s'] * 1000,
    mayWrite: rest.isAwake,
    isCurrent: (fingerprint) => !rest.isAwake() || reader.current()?.agenda.plan === fingerprint,
    readPlan: (fingerprint) => counted(probePlan(db, fingerprint)),
    probe: (target, limits) => probeNode(deps, parameters.current(), target, limits),
    write: (outcomes) => counted(recordProbes(db, outcomes)),
    onFailure: (error) => {
      telemetry.count('jobs', [name, 'failure']);
      deps.log.error('a scheduled task failed', { job: name, error });
    },
  };
  return { name, intervalMs: () => planEveryMs, round: (signal) => runProbes(parts, signal) };
}

/** Probes until `signal` aborts. Interrupted probes have no outcome, and nothing is written for them. */
export async function runProbes(parts: ProbingParts, signal: AbortSignal): Promise<void> {
  const results = new ProbeResults(parts);
  const scheduler = createProbeScheduler({ ...parts, onOutcome: (outcome) => results.add(outcome) });
  const stop = (): void => {
    scheduler.stop();
    results.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  let fingerprint: string | undefined;
  while (!signal.aborted) {
    try {
      if (fingerprint === undefined || !parts.isCurrent(fingerprint)) {
        const plan = await parts.readPlan(fingerprint);
        if (plan.targets && !signal.aborted) scheduler.setTargets(plan.targets);
        fingerprint = plan.fingerprint;
      }
    } catch (error) {
      if (!signal.aborted) parts.onFailure(error);
    }
    await pause(parts.timing, planEveryMs, signal);
  }
  stop();
}
