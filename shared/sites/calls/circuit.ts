import { claimProbe, noteFailure, noteSuccess } from '../../../db/repositories/sites/circuit.ts';
import { circuitRecord } from '../../../db/repositories/sites/node-records.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Parameters } from '../../kernel/system-parameters.ts';
import type { Node } from '../../remotes/dispatcher/port.ts';
import { aggregator, type CallCtx, type FleetDeps } from './dispatcher-keys.ts';

export type Circuit = 'closed' | 'open' | 'half_open';

/** A node as stored says of its circuit; `circuit_due` when an open one may be tried again. */
export type CircuitFacts = { circuit: Circuit; circuit_failures: number; circuit_due: boolean };

/** Failures that are the node's own: refusals of a user say nothing of it. */
export const isNodeDown = (error: unknown): boolean =>
  error instanceof AppError &&
  (['upstream_timeout', 'upstream_tls', 'upstream_failed'].includes(error.code) ||
    error.members.reason === 'address_not_allowed');

/** The error of a farm none of whose nodes is asked now. */
export const circuitOpen = (): AppError =>
  new AppError('upstream_unavailable', 'The nodes of the farm have failed and are temporarily not called', {
    reason: 'circuit_open',
  });

export const isCircuitOpen = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'upstream_unavailable' &&
  error.members.reason === 'circuit_open';

const rulesOf = (parameters: Parameters) => ({
  failures: parameters['aggregator.breaker_failures'],
  probeS: parameters['aggregator.breaker_probe_s'],
});

/** When each node's last failure was written by this isolate: a storm of failures is one write a second. */
const written = new WeakMap<CallCtx['deps'], Map<string, number>>();
const writeAgainMs = 1_000;

/**
 * Notes after the answer what a call showed of a node: a failure at most once a second, a success only when there are
 * failures to clear.
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
  const times = written.get(deps) ?? new Map<string, number>();
  written.set(deps, times);
  const now = performance.now();
  if (now - (times.get(id) ?? Number.NEGATIVE_INFINITY) < writeAgainMs) return false;
  times.set(id, now);
  return true;
}

/** What a probe of an open circuit needs; functions have it, and the sidecar. */
export type ProbeParts = Pick<FleetDeps, 'db' | 'dispatchers'> & { now: Date };

/**
 * Tries a node whose circuit is open, if nobody else has claimed to: it is asked again as soon as it takes us in.
 * @param trace of the request in whose wake it is tried
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
    await dispatchers.authorize({ node, principal: aggregator, now, lifeS, trace: { requestId } });
  } catch (error) {
    // One that refuses us answers, which is all that a circuit is about.
    if (isNodeDown(error)) {
      await noteFailure(db, node.id, rules, circuitRecord(node, 'open', now));
      return;
    }
  }
  await noteSuccess(db, node.id, circuitRecord(node, 'closed', now));
}
