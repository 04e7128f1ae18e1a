import { type SuspectNode, suspectNodes } from '../../../../db/repositories/sites/circuit.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import { createSemaphore } from '../../../../shared/kernel/concurrency/semaphore.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { type ProbeParts, probeCircuit } from '../../../../shared/sites/calls/circuit.ts';
import { nodeOf } from '../../../../shared/sites/calls/dispatcher-keys.ts';
import type { CachedParameters } from '../parameters.ts';
import type { Task } from '../process/agenda.ts';

type Parts = Omit<ProbeParts, 'now'> & { clock: Clock };

const maxInFlight = 6;
/** Time limit of one probe in milliseconds. */
const longestMs = 5_000;

/**
 * Probes the nodes whose circuit breaker is open as soon as their back-off has elapsed, so that recovered nodes return
 * to service quickly.
 */
export const circuitJob = (parts: Parts, parameters: CachedParameters): Task => ({
  name: 'circuits',
  intervalMs: () => 1_000,
  dueIn: ({ circuits }) => circuits,
  round: async () => {
    const turn = createSemaphore(maxInFlight);
    const suspects = await suspectNodes(parts.db);
    const probe = (suspect: SuspectNode) =>
      probeCircuit(
        { ...parts, now: parts.clock() },
        nodeOf(suspect, longestMs),
        parameters.current(),
        newId(),
      );
    await Promise.all(suspects.map((suspect) => turn(() => probe(suspect))));
  },
});
