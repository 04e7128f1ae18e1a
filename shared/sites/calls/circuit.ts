import { claimProbe, noteFailure, noteSuccess } from '../../../db/repositories/sites/circuit.ts';
import { circuitRecord } from '../../../db/repositories/sites/node-records.ts';
import { perProcess } from '../../context/process-memory.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Parameters } from '../../kernel/system-parameters.ts';
import { isCapable } from '../../remotes/dispatcher/capabilities.ts';
import { outcomeUnknown } from '../../remotes/dispatcher/failures.ts';
import type { Node } from '../../remotes/dispatcher/port.ts';
import { aggregator, type CallCtx, type FleetDeps } from './dispatcher-keys.ts';

type Circuit = 'closed' | 'open' | 'half_open';

/** Circuit breaker state of a stored node. `circuit_due` is true if an open circuit may be probed. */
export type CircuitFacts = { circuit: Circuit; circuit_failures: number; circuit_due: boolean };

/** True for failures of the node itself. A refusal of a user does not count. */
const isNodeDown = (error: unknown): boolean =>
  error instanceof AppError &&
  (['upstream_timeout', 'upstream_tls', 'upstream_failed'].includes(error.code) ||
    error.members.reason === 'address_not_allowed' ||
    error.members.reason === outcomeUnknown);

/** The error for a farm whose nodes all have an open circuit. */
export const circuitOpen = (): AppError =>
  new AppError('upstream_unavailable', 'The nodes of the farm have failed and are temporarily not called', {
    reason: 'circuit_open',
  });

const rulesOf = (parameters: Parameters) => ({
  failures: parameters['aggregator.breaker_failures'],
  probeS: parameters['aggregator.breaker_probe_s'],
});

/** When this isolate last wrote a failure of each node. At most one write per second and node. */
const failuresWritten = perProcess(() => new Map<string, number>());
const writeAgainMs = 1_000;

/**
 * Records the result of a call of a node after the response: a failure at most once a second, a success only if there
 * are failures to clear.
 */
export function noteOutcome(
  ctx: Pick<CallCtx, 'deps' | 'later' | 'now'>,
  node: Node,
  facts: Pick<CircuitFacts, 'circuit' | 'circuit_failures'>,
  parameters: Parameters,
  error?: unknown,
): void {
  const { db } = ctx.deps;
  if (error === undefined) {
    if (facts.circuit === 'closed' && facts.circuit_failures === 0) return;
    ctx.later(() => noteSuccess(db, node.id, circuitRecord(node, 'closed', ctx.now)));
    return;
  }
  if (!isNodeDown(error) || !mayWrite(ctx.deps, node.id)) return;
  ctx.later(() => noteFailure(db, node.id, rulesOf(parameters), circuitRecord(node, 'open', ctx.now)));
}

function mayWrite(deps: CallCtx['deps'], id: string): boolean {
  const times = failuresWritten(deps);
  const now = performance.now();
  if (now - (times.get(id) ?? Number.NEGATIVE_INFINITY) < writeAgainMs) return false;
  times.set(id, now);
  return true;
}

/** What a probe of an open circuit needs. The functions and the sidecar provide it. */
export type ProbeParts = Pick<FleetDeps, 'db' | 'dispatchers'> & { now: Date };

/**
 * Probes a node with an open circuit, unless another probe has claimed it. A successful probe closes the circuit.
 * @param requestId identifier of the request that triggered the probe
 */
export async function probeCircuit(
  { db, dispatchers, now }: ProbeParts,
  node: Node,
  parameters: Parameters,
  requestId: string,
): Promise<void> {
  const rules = rulesOf(parameters);
  if (!(await claimProbe(db, node.id, rules.probeS))) return;
  try {
    const lifeS = parameters['aggregator.access_token_ttl_s'];
    const to = { node, trace: { requestId } };
    // A login would count at the node, and its failure may be one of the account only.
    if (isCapable(node.kind, 'service_account')) await dispatchers.health({ ...to, healthKey: '' });
    else await dispatchers.authorize({ ...to, principal: aggregator, now, lifeS });
  } catch (error) {
    // A refusal shows that the node responds, so the circuit is closed.
    if (isNodeDown(error)) {
      await noteFailure(db, node.id, rules, circuitRecord(node, 'open', now));
      return;
    }
  }
  await noteSuccess(db, node.id, circuitRecord(node, 'closed', now));
}
