import type { StoredNode } from '../../../db/repositories/sites/stored-nodes.ts';

type NodeFacts = Pick<StoredNode, 'circuit' | 'circuit_failures' | 'status' | 'response_time_ms'>;

/**
 * The order in which farms are asked when not all can be at once: those first that answered lately, the fast ones before
 * the slow; then those of which nothing is known; last those that failed, so that they hold up nobody but themselves.
 */
export const orderFarms = <F extends { nodes: readonly NodeFacts[] }>(farms: readonly F[]): F[] =>
  farms
    .map((farm) => ({ farm, rank: best(farm.nodes.map(rankOf)) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ farm }) => farm);

type Rank = readonly [health: number, tookMs: number];

function rankOf({ circuit, circuit_failures, status, response_time_ms }: NodeFacts): Rank {
  const tookMs = response_time_ms ?? Number.MAX_SAFE_INTEGER;
  if (circuit !== 'closed') return [3, tookMs];
  if (circuit_failures > 0 || status === 'fail' || status === 'unauthorized') return [2, tookMs];
  return [status === 'pass' ? 0 : 1, tookMs];
}

/** A farm is as good as the best of its nodes, which is the one that is asked. */
const best = (ranks: readonly Rank[]): Rank =>
  ranks.reduce((a, b) => (compare(a, b) <= 0 ? a : b), [4, Number.MAX_SAFE_INTEGER]);

const compare = (a: Rank, b: Rank): number => a[0] - b[0] || a[1] - b[1];
