import type { RoutingRows, RoutingTarget } from '../../db/repositories/routing/routing-rows.ts';
import { findServiceLists } from '../../db/repositories/routing/service-lists.ts';
import type { NeededLists } from '../../db/repositories/routing/site-lists.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { notFound } from '../kernel/errors.ts';
import { foldName } from '../kernel/text.ts';
import { findFarms, type UserCtx, type UserSite, userSiteOf, type Viewer } from '../sites/user-site.ts';

type SiteWith<Services> = UserSite & {
  viewer: Viewer;
  /** False if the caller explains the site for another user. Dispatchers are not called in the name of that user. */
  own: boolean;
  routing: RoutingRows<Services>;
};

/** A site with the facts that route a user to its farms. */
export type RoutedSite = SiteWith<CachedService[]>;

/** The same, possibly without the services of cached lists. */
export type ListedSite = SiteWith<CachedService[] | null>;

/**
 * Reads the site in one round trip.
 * @throws AppError `not_found` for a site that the viewer may not use
 */
export async function loadRoutedSite(
  ctx: UserCtx,
  uri: string,
  target: RoutingTarget,
  viewer?: Viewer,
): Promise<RoutedSite> {
  return withServices(ctx, await loadListedSite(ctx, uri, target, viewer));
}

/**
 * The same without the services of lists that are not needed.
 * @param lists default: all
 */
export async function loadListedSite(
  ctx: UserCtx,
  uri: string,
  target: RoutingTarget,
  viewer: Viewer = { ...ctx.principal.user, domain: ctx.principal.domain },
  lists?: NeededLists,
): Promise<ListedSite> {
  const { id, name, domain } = viewer;
  const userKey = `${foldName(domain.label)}\\${foldName(name)}`;
  const who = { userId: id, domainId: domain.id };
  const found = await findFarms(ctx.deps, { uri, who, routing: { userKey, target, lists } });
  if (!found?.routing) throw notFound();
  const own = id === ctx.principal.user.id;
  // Preferences are shown to their user only.
  const routing = own ? found.routing : { ...found.routing, user_preferences: [] };
  return { ...userSiteOf(found, viewer, ctx.client.ip), viewer, own, routing };
}

/** Reads the cached lists again if services are absent. All lists are then of that time. */
export async function withServices(ctx: UserCtx, site: ListedSite): Promise<RoutedSite> {
  const { lists } = site.routing;
  const complete = lists.flatMap(({ services, ...list }) => (services ? [{ ...list, services }] : []));
  const read =
    complete.length === lists.length
      ? complete
      : await findServiceLists(
          ctx.deps.db,
          site.viewer.id,
          lists.map(({ farm_id }) => farm_id),
        );
  return { ...site, routing: { ...site.routing, lists: read } };
}
