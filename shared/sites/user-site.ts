import type { AnnouncedMaintenance } from '../../db/repositories/maintenance/announced.ts';
import type { FarmNode, NodeState } from '../../db/repositories/sites/farm-nodes.ts';
import {
  findUserSite,
  type SiteQuery,
  type Topology,
  type UserSiteRecord,
} from '../../db/repositories/sites/user-site.ts';
import type { LocalDomain, MaintainedFarm, StoredFarm } from '../../db/repositories/sites/user-sites.ts';
import type { ClientCtx } from '../context/context.ts';
import type { AccountPrincipal } from '../context/principal.ts';
import { perProcess } from '../context/process-memory.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { isReservedUserName } from '../kernel/text.ts';
import type { DispatcherPrincipal } from '../remotes/dispatcher/port.ts';
import { type FleetDeps, userPrincipal } from './calls/dispatcher-keys.ts';

export type UserCtx = ClientCtx<FleetDeps, AccountPrincipal>;
export type UserFarm = StoredFarm & { nodes: FarmNode[] };

/** A site as one user sees it, with the data for calls of its dispatchers. */
export type UserSite = {
  id: string;
  uri: string;
  name: string;
  maintenance: boolean;
  maintenance_message: string | null;
  farms: UserFarm[];
  /** Maintenance of the site and its farms, also before it begins. Read for lists of services only. */
  announced: AnnouncedMaintenance[];
  /** Visible domains and the domain of the user. */
  domains: LocalDomain[];
  /** The dispatcher principal of the user. */
  principal: DispatcherPrincipal;
};

/** The user of the site: the caller, or the user of an explanation. */
export type Viewer = { id: string; name: string; domain: { id: string; label: string } };

/**
 * Reads the site in one round trip.
 * @throws AppError `not_found` for a site that the user may not use
 */
export async function loadUserSite(ctx: UserCtx, uri: string): Promise<UserSite> {
  const { user, domain } = ctx.principal;
  const found = await findFarms(ctx.deps, { uri, who: { userId: user.id, domainId: domain.id } });
  if (!found) throw notFound();
  return userSiteOf(found, { ...user, domain }, ctx.client.ip);
}

/**
 * @param ip address of the client, as dispatchers receive it
 * @throws AppError `forbidden` for a directory user named `aggregator`: dispatchers identify the portal by that name
 */
export function userSiteOf(
  { site, farms, announced, domains, groups }: FoundFarms,
  { id, name, domain }: Viewer,
  ip: string,
): UserSite {
  if (isReservedUserName(name))
    throw new AppError('forbidden', 'The user name is reserved for the portal on dispatchers');
  const principal = userPrincipal({
    id,
    name,
    domain: domain.label,
    groups: groups.map((group) => group.name),
    clientIp: ip,
  });
  return { ...site, farms, announced, domains, principal };
}

export type FoundFarms = Omit<UserSiteRecord, 'topology' | 'conditions' | 'maintained'> & {
  farms: UserFarm[];
};

/** Cached topologies by the uri of the site, ordered by last use, the most recent at the end. */
const topologyCache = perProcess(() => new Map<string, Topology>());
const mostCached = 64;

/**
 * Reads a site that a user may use, with its farms and their nodes, in one round trip. The topology is cached per
 * isolate and read again if its version has changed. Node state and node keys are not cached.
 * @returns undefined for a site that the user may not use, that is disabled, or that does not exist
 */
export async function findFarms(
  deps: FleetDeps,
  question: Omit<SiteQuery, 'held'>,
): Promise<FoundFarms | undefined> {
  const topologies = topologyCache(deps);
  // Another request can cache a newer topology during the read. The response refers to the version that this request
  // sent.
  const held = topologies.get(question.uri);
  const found = await findUserSite(deps.db, { ...question, held: held?.version ?? 0 });
  if (!found) return undefined;
  const { topology: changed, conditions, maintained, ...rest } = found;
  const topology = changed ?? held;
  if (!topology) throw new Error('the topology of a site could not be read and is not cached');
  keep(topologies, question.uri, topology);
  return { ...rest, farms: farmsOf(topology, conditions, maintained) };
}

function keep(topologies: Map<string, Topology>, uri: string, topology: Topology): void {
  topologies.delete(uri);
  topologies.set(uri, topology);
  for (const oldest of topologies.keys()) {
    if (topologies.size <= mostCached) return;
    topologies.delete(oldest);
  }
}

/** Topology and conditions have the same nodes: they come from one statement or have the same topology version. */
function farmsOf(
  { farms, nodes }: Topology,
  conditions: readonly NodeState[],
  maintained: readonly MaintainedFarm[],
): UserFarm[] {
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
