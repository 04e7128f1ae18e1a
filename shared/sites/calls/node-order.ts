/** What the choice of a node looks at. */
export type NodeFacts = {
  id: string;
  priority: number;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  response_time_ms: number | null;
};
export type Balancing = 'priority' | 'round_robin' | 'least_loaded';

/** Nodes that answered their last probe come before those not probed yet, failing ones last. */
const byHealth = [['pass'], ['unknown'], ['unauthorized', 'fail']];

/**
 * The order in which the nodes of a farm are tried: healthy ones first, among them as the farm balances.
 * @param turn any number that grows from call to call; it moves `round_robin` on
 */
export function orderNodes<N extends NodeFacts>(
  nodes: readonly N[],
  balancing: Balancing,
  turn: number,
): N[] {
  const byId = [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1));
  return byHealth.flatMap((statuses) => {
    const alike = byId.filter(({ status }) => statuses.includes(status));
    // Only nodes of one health take turns: the one after a failing node would have the turns of both.
    if (balancing === 'round_robin') return turned(alike, turn);
    return alike.sort((a, b) => rank(a, balancing) - rank(b, balancing));
  });
}

function turned<N>(nodes: readonly N[], turn: number): N[] {
  const shift = nodes.length > 0 ? turn % nodes.length : 0;
  return [...nodes.slice(shift), ...nodes.slice(0, shift)];
}

const rank = (node: NodeFacts, balancing: 'priority' | 'least_loaded'): number =>
  balancing === 'priority' ? node.priority : (node.response_time_ms ?? Number.MAX_SAFE_INTEGER);
