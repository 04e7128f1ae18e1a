import type { StoredNode } from '../../db/repositories/sites/stored-nodes.ts';
import type { LocalDomain } from '../../db/repositories/sites/user-sites.ts';
import type { ClientCtx } from '../context/context.ts';
import type { AccountPrincipal } from '../context/principal.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { isReservedUserName } from '../kernel/text.ts';
import type { Node } from '../remotes/dispatcher/port.ts';
import { type FleetDeps, nodeOf, type Speaker, userSpeaker } from './calls/dispatcher-keys.ts';
import { type FarmWithNodes, type FoundFarms, findFarms } from './topology.ts';

export type UserCtx = ClientCtx<FleetDeps, AccountPrincipal>;
export type UserFarm = FarmWithNodes;

/** A site as one user sees it, with all that calls of its dispatchers need. */
export type UserSite = {
  id: string;
  uri: string;
  name: string;
  maintenance: boolean;
  maintenance_message: string | null;
  farms: UserFarm[];
  /** Visible domains and the user's own. */
  domains: LocalDomain[];
  speaker: Speaker;
};

/** Whose site it is: the caller's, or that of somebody to whom it is explained. */
export type Viewer = { id: string; name: string; domain: { id: string; label: string } };

/**
 * One round trip.
 * @throws AppError `not_found` for a site that the user may not use
 */
export async function loadUserSite(ctx: UserCtx, uri: string): Promise<UserSite> {
  const { user, domain } = ctx.principal;
  const found = await findFarms(ctx.deps, { uri, who: { userId: user.id, domainId: domain.id } });
  if (!found) throw notFound();
  return userSiteOf(found, { ...user, domain }, ctx.client.ip);
}

/**
 * @param ip the client address for the claims
 * @throws AppError `forbidden` for a directory user named `aggregator`: to a dispatcher that name is the portal's own
 */
export function userSiteOf(
  { site, farms, domains, groups }: FoundFarms,
  { id, name, domain }: Viewer,
  ip: string,
): UserSite {
  if (isReservedUserName(name))
    throw new AppError('forbidden', 'The user name is reserved for the portal on dispatchers');
  const claims = { sub: name, auth: domain.label, groups: groups.map((group) => group.name), client_ip: ip };
  return { ...site, farms, domains, speaker: userSpeaker(id, claims) };
}

/** A stored node with at most this time limit for each call. */
export const asNode = (node: StoredNode, timeoutMs: number): Node => ({
  ...nodeOf(node),
  timeoutMs: Math.min(node.timeout_ms, timeoutMs),
});
