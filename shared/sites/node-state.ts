/** An enabled node of a farm. */
export type NodeState = {
  circuit: 'closed' | 'open' | 'half_open';
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
};

/** True when a node of the farm may be called. */
export const isReachable = (nodes: readonly Pick<NodeState, 'circuit'>[]): boolean =>
  nodes.some(({ circuit }) => circuit === 'closed');
