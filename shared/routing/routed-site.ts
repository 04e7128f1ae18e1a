import type { RoutingRows, RoutingTarget } from '../../db/repositories/routing/routing-rows.ts';
import { notFound } from '../kernel/errors.ts';
import { foldName } from '../kernel/text.ts';
import { findFarms, type UserCtx, type UserSite, userSiteOf, type Viewer } from '../sites/user-site.ts';

/** A site with the facts that route a user to its farms. */
export type RoutedSite = UserSite & {
  viewer: Viewer;
  /** False if the caller explains the site for another user. Dispatchers are not called in the name of that user. */
  own: boolean;
  routing: RoutingRows;
};

/**
 * Reads the site in one round trip.
 * @throws AppError `not_found` for a site that the viewer may not use
 */
export async function loadRoutedSite(
  ctx: UserCtx,
  uri: string,
  target: RoutingTarget,
  viewer: Viewer = { ...ctx.principal.user, domain: ctx.principal.domain },
): Promise<RoutedSite> {
  const { id, name, domain } = viewer;
  const userKey = `${foldName(domain.label)}\\${foldName(name)}`;
  const who = { userId: id, domainId: domain.id };
  const found = await findFarms(ctx.deps, { uri, who, routing: { userKey, target } });
  if (!found?.routing) throw notFound();
  const own = id === ctx.principal.user.id;
  return { ...userSiteOf(found, viewer, ctx.client.ip), viewer, own, routing: found.routing };
}
