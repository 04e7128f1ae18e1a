/** What the choice of a node looks at. */
export type NodeFacts = {
  id: string;
  priority: number;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  response_time_ms: number | null;
};
export type Balancing = 'priority' | 'round_robin' | 'least_loaded';

/** Nodes that answered their last probe come before those not probed yet, failing ones last. */
const health = { pass: 0, unknown: 1, unauthorized: 2, fail: 2 } as const;

/**
 * The order in which the nodes of a farm are tried: healthy ones first, among them as the farm balances.
 * @param turn any number that grows from call to call; it moves `round_robin` on
 */
export function orderNodes<N extends NodeFacts>(
  nodes: readonly N[],
  balancing: Balancing,
  turn: number,
): N[] {
  const byName = [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1));
  const shift = balancing === 'round_robin' && byName.length > 0 ? turn % byName.length : 0;
  const turned = [...byName.slice(shift), ...byName.slice(0, shift)];
  // The sort is stable, so what `rank` does not tell apart stays in turn.
  return turned.sort(
    (a, b) => health[a.status] - health[b.status] || rank(a, balancing) - rank(b, balancing),
  );
}

function rank(node: NodeFacts, balancing: Balancing): number {
  if (balancing === 'priority') return node.priority;
  if (balancing === 'least_loaded') return node.response_time_ms ?? Number.MAX_SAFE_INTEGER;
  return 0;
}
