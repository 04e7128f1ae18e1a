import type { Db } from '../../../db/client.ts';
import {
  type ProbeOutcome,
  type ProbeTarget,
  probePlan,
  recordProbes,
} from '../../../db/repositories/probes.ts';
import { type Parameters, parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { Job } from './loop.ts';
import type { KnownParameters } from './parameters.ts';
import { type ProbeDeps, probeNode } from './probe-node.ts';

const maxInFlight = 6;

/** Probes all dispatchers that are in service, every `aggregator.health_interval_s`. */
export function probeJob(db: Db, deps: ProbeDeps, known: KnownParameters): Job {
  return {
    name: 'probes',
    intervalMs: () => known.current()['aggregator.health_interval_s'] * 1000,
    round: async (signal) => {
      const { overrides, targets } = await probePlan(db);
      const parameters = parametersFrom(overrides);
      const outcomes = await probeAll(deps, parameters, targets, signal);
      // What an abort cut short says nothing about the nodes.
      if (!signal.aborted) await recordProbes(db, outcomes);
    },
  };
}

/** Lanes that take from one list: a node that hangs holds up its own lane only. */
async function probeAll(
  deps: ProbeDeps,
  parameters: Parameters,
  targets: readonly ProbeTarget[],
  signal: AbortSignal,
): Promise<ProbeOutcome[]> {
  const outcomes: ProbeOutcome[] = [];
  const waiting = targets.values();
  const runLane = async () => {
    for (const target of waiting) {
      if (signal.aborted) return;
      outcomes.push(await probeNode(deps, parameters, target, signal));
    }
  };
  await Promise.all(Array.from({ length: maxInFlight }, runLane));
  return outcomes;
}
