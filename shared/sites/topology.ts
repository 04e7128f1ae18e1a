import type { NodeCondition, StoredNode } from '../../db/repositories/sites/stored-nodes.ts';
import {
  type FoundSite,
  findUserSite,
  type MaintainedFarm,
  type SiteQuestion,
  type StoredFarm,
  type Topology,
} from '../../db/repositories/sites/user-sites.ts';
import type { FleetDeps } from './calls/dispatcher-keys.ts';

export type FarmWithNodes = StoredFarm & { nodes: StoredNode[] };
export type FoundFarms = Omit<FoundSite, 'topology' | 'conditions' | 'maintained'> & {
  farms: FarmWithNodes[];
};

/** Topologies by the uri of their site, the one used last at the end. */
const kept = new WeakMap<FleetDeps, Map<string, Topology>>();
const mostKept = 64;

/**
 * A site that somebody may use, with its farms and their nodes; one round trip. The topology comes with it only when it is
 * no longer what this isolate holds; what else there is of a node, its keys above all, is never kept.
 * @returns undefined for a site that is not his, disabled, or does not exist
 */
export async function findFarms(
  deps: FleetDeps,
  question: Omit<SiteQuestion, 'held'>,
): Promise<FoundFarms | undefined> {
  const topologies = kept.get(deps) ?? new Map<string, Topology>();
  kept.set(deps, topologies);
  // Another request may put a newer one in its place meanwhile, which the answer to this one does not speak of.
  const held = topologies.get(question.uri);
  const found = await findUserSite(deps.db, { ...question, held: held?.version ?? 0 });
  if (!found) return undefined;
  const { topology: told, conditions, maintained, ...rest } = found;
  const topology = told ?? held;
  if (!topology) throw new Error('the topology of a site could not be read and is not cached');
  keep(topologies, question.uri, topology);
  return { ...rest, farms: farmsOf(topology, conditions, maintained) };
}

function keep(topologies: Map<string, Topology>, uri: string, topology: Topology): void {
  topologies.delete(uri);
  topologies.set(uri, topology);
  for (const oldest of topologies.keys()) {
    if (topologies.size <= mostKept) return;
    topologies.delete(oldest);
  }
}

/** Topology and conditions are of one statement, or of one version of the topology: they have the same nodes. */
function farmsOf(
  { farms, nodes }: Topology,
  conditions: readonly NodeCondition[],
  maintained: readonly MaintainedFarm[],
): FarmWithNodes[] {
  const messageOf = new Map(maintained.map(({ id, message }) => [id, message]));
  const conditionOf = new Map(conditions.map((condition) => [condition.id, condition]));
  const nodesOf = Map.groupBy(nodes, ({ farm_id }) => farm_id);
  return farms.map((farm) => ({
    ...farm,
    maintenance: messageOf.has(farm.id),
    maintenance_message: messageOf.get(farm.id) ?? null,
    nodes: (nodesOf.get(farm.id) ?? []).flatMap((node) => {
      const condition = conditionOf.get(node.id);
      return condition ? [{ ...node, ...condition }] : [];
    }),
  }));
}
