import type { FarmNode } from '../../../db/repositories/sites/farm-nodes.ts';
import { perProcess } from '../../context/process-memory.ts';
import type { CallCtx } from './dispatcher-keys.ts';

/** The state of an enabled node of a farm. */
export type NodeAvailability = Pick<FarmNode, 'circuit' | 'status'>;

/** True if at least one node of the farm may be called. */
const isReachable = (nodes: readonly Pick<NodeAvailability, 'circuit'>[]): boolean =>
  nodes.some(({ circuit }) => circuit === 'closed');

/** True if the farm has nodes and none of them may be called. */
export const isUnreachable = ({ nodes }: { nodes: readonly Pick<NodeAvailability, 'circuit'>[] }): boolean =>
  nodes.length > 0 && !isReachable(nodes);

/** The facts that decide the order of the nodes. */
export type NodeFacts = {
  id: string;
  priority: number;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  response_time_ms: number | null;
};
export type Balancing = 'priority' | 'round_robin' | 'least_loaded';

/** Nodes that passed their last probe come first, then nodes without a probe, then failing nodes. */
const byHealth = [['pass'], ['unknown'], ['unauthorized', 'fail']];

/**
 * Orders the nodes of a farm by health, then by the balancing of the farm.
 * @param callCount any number that increases with each call; it advances `round_robin`
 */
export function orderNodes<N extends NodeFacts>(
  nodes: readonly N[],
  balancing: Balancing,
  callCount: number,
): N[] {
  const byId = [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1));
  return byHealth.flatMap((statuses) => {
    const alike = byId.filter(({ status }) => statuses.includes(status));
    // Rotation is within nodes of equal health only. Otherwise the node after a failing node would receive the requests
    // of both.
    if (balancing === 'round_robin') return rotated(alike, callCount);
    return alike.sort((a, b) => rank(a, balancing) - rank(b, balancing));
  });
}

function rotated<N>(nodes: readonly N[], turn: number): N[] {
  const shift = nodes.length > 0 ? turn % nodes.length : 0;
  return [...nodes.slice(shift), ...nodes.slice(0, shift)];
}

const rank = (node: NodeFacts, balancing: 'priority' | 'least_loaded'): number =>
  balancing === 'priority' ? node.priority : (node.response_time_ms ?? Number.MAX_SAFE_INTEGER);

/**
 * Call counts by farm id and by rule id. With one common count, farms that are called together would keep their order.
 */
const callCounts = perProcess(() => new Map<string, number>());

/** The number that the next call of `nextTurn` returns. */
export const currentCallCount = (deps: CallCtx['deps'], { id }: { id: string }): number =>
  callCounts(deps).get(id) ?? 0;

/** @returns a number that increases with each call */
export function countCall(deps: CallCtx['deps'], one: { id: string }): number {
  const turn = currentCallCount(deps, one);
  callCounts(deps).set(one.id, turn + 1);
  return turn;
}

type NodeHealth = Pick<FarmNode, 'circuit' | 'circuit_failures' | 'status' | 'response_time_ms'>;

/**
 * Orders farms for calls that are limited in concurrency. Farms that responded recently come first, ordered by response
 * time, then farms without data. Farms that failed come last, so that they do not delay the other farms.
 */
export const orderFarms = <F extends { nodes: readonly NodeHealth[] }>(farms: readonly F[]): F[] =>
  farms
    .map((farm) => ({ farm, rank: best(farm.nodes.map(healthOf)) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ farm }) => farm);

type Rank = readonly [health: number, tookMs: number];

function healthOf({ circuit, circuit_failures, status, response_time_ms }: NodeHealth): Rank {
  const tookMs = response_time_ms ?? Number.MAX_SAFE_INTEGER;
  if (circuit !== 'closed') return [3, tookMs];
  if (circuit_failures > 0 || status === 'fail' || status === 'unauthorized') return [2, tookMs];
  return [status === 'pass' ? 0 : 1, tookMs];
}

/** The rank of a farm is that of its best node, because that node is called. */
const best = (ranks: readonly Rank[]): Rank =>
  ranks.reduce((a, b) => (compare(a, b) <= 0 ? a : b), [4, Number.MAX_SAFE_INTEGER]);

const compare = (a: Rank, b: Rank): number => a[0] - b[0] || a[1] - b[1];
