import { storeNodeDomains } from '../../db/repositories/sites/user-sites.ts';
import { addSeconds } from '../kernel/clock.ts';
import { foldName } from '../kernel/text.ts';
import type { Domain } from '../remotes/dispatcher/connections.ts';
import type { Call } from '../remotes/dispatcher/port.ts';
import { aggregator } from './calls/dispatcher-keys.ts';
import { callFarm } from './calls/farm-calls.ts';
import type { UserCtx, UserFarm, UserSite, Viewer } from './user-site.ts';

/** Maximum age of a domain list in seconds. The probes of the sidecar update the lists. An older list is read again. */
const freshS = 600;

/** The domains of the dispatchers of a farm: the cached list, or the list of one node, which is then cached. */
export async function farmDomains(ctx: UserCtx, site: UserSite, farm: UserFarm): Promise<Domain[]> {
  const cached = knownDomains(farm, ctx.now);
  if (cached) return cached;
  const ask = async (call: Call) => {
    const domains = await ctx.deps.dispatchers.domains(call);
    ctx.later(() => storeNodeDomains(ctx.deps.db, call.node, domains, ctx.now));
    return domains;
  };
  return callFarm(ctx, { site, farm, principal: aggregator }, ask);
}

/** @returns the newest cached list of any node of the farm; undefined without a fresh one */
export function knownDomains(farm: UserFarm, now: Date): Domain[] | undefined {
  const newest = newestList(farm);
  return newest && newest.at >= addSeconds(now, -freshS).getTime() ? newest.domains : undefined;
}

/** The newest cached list, regardless of its age. */
export const lastDomains = (farm: UserFarm): Domain[] | undefined => newestList(farm)?.domains;

/** When that list was read. */
export function domainsReadAt(farm: UserFarm): Date | undefined {
  const newest = newestList(farm);
  return newest && new Date(newest.at);
}

/** Whether that list includes a domain of the portal. Null if no list is cached. */
export function isKnownLinked(farm: UserFarm, label: string): boolean | null {
  const domains = lastDomains(farm);
  return domains === undefined ? null : isLinked(farm, domains, label);
}

function newestList({ nodes }: UserFarm): { domains: Domain[]; at: number } | undefined {
  const lists = nodes.flatMap(({ domains, domains_at }) =>
    domains && domains_at ? [{ domains, at: Date.parse(domains_at) }] : [],
  );
  return lists.sort((a, b) => b.at - a.at)[0];
}

/**
 * True if the domains of the farm include a domain of the portal. Labels are compared without regard to case; the farm
 * may have another label for the domain.
 */
export const isLinked = (farm: Pick<UserFarm, 'nodes'>, domains: readonly Domain[], label: string): boolean =>
  linkedDomain(farm, domains, label) !== undefined;

/** The domain of the farm that belongs to a domain of the portal. */
export function linkedDomain<D extends Pick<Domain, 'authSmallName'>>(
  { nodes: [node] }: Pick<UserFarm, 'nodes'>,
  domains: readonly D[],
  label: string,
): D | undefined {
  const folded = foldName(label);
  const mapped = node?.identity_domains.find((one) => foldName(one.label) === folded);
  const onFarm = mapped ? foldName(mapped.node_label) : folded;
  return domains.find(({ authSmallName }) => foldName(authSmallName) === onFarm);
}

/**
 * False if the domains of the farm are known and do not include the domain of the user: a dispatcher issues no key for
 * an unknown domain label.
 */
export function isPossible(ctx: UserCtx, farm: UserFarm, { domain }: Pick<Viewer, 'domain'>): boolean {
  const domains = knownDomains(farm, ctx.now);
  return domains === undefined || isLinked(farm, domains, domain.label);
}
