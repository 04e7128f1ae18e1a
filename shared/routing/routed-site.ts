import type { RoutingRows, RoutingTarget } from '../../db/repositories/routing/routing-rows.ts';
import { findServiceLists } from '../../db/repositories/routing/service-lists.ts';
import type { NeededLists } from '../../db/repositories/routing/site-lists.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { notFound } from '../kernel/errors.ts';
import { personKey } from '../kernel/names/user-names.ts';
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
  const own = viewer.id === ctx.principal.user.id;
  const found = await findListedSite(ctx, { uri, target, viewer, own, ip: ctx.client.ip, lists });
  if (!found) throw notFound();
  return found;
}

type SiteQuestion = {
  uri: string;
  target: RoutingTarget;
  viewer: Viewer;
  own: boolean;
  /** Address of the client, as dispatchers receive it. */
  ip: string;
  lists?: NeededLists | undefined;
};

/** @returns undefined for a site that the viewer may not use */
async function findListedSite(
  { deps }: Pick<UserCtx, 'deps'>,
  { uri, target, viewer, own, ip, lists }: SiteQuestion,
): Promise<ListedSite | undefined> {
  const { id, name, domain } = viewer;
  const userKey = personKey({ domain: domain.label, name });
  const who = { userId: id, domainId: domain.id };
  const found = await findFarms(deps, { uri, who, routing: { userKey, target, lists } });
  if (!found?.routing) return undefined;
  // Preferences are shown to their user only.
  const routing = own ? found.routing : { ...found.routing, user_preferences: [] };
  return { ...userSiteOf(found, viewer, ip), viewer, own, routing };
}

/**
 * The site as any user sees it, for an administrator. Dispatchers are not called.
 * @returns undefined for a site that the user may not use
 */
export async function findSiteOfUser(
  ctx: Pick<UserCtx, 'deps'>,
  uri: string,
  target: RoutingTarget,
  viewer: Viewer,
): Promise<RoutedSite | undefined> {
  const found = await findListedSite(ctx, { uri, target, viewer, own: false, ip: '' });
  return found && withServices(ctx, found);
}

/** Reads the cached lists again if services are absent. All lists are then of that time. */
export async function withServices(ctx: Pick<UserCtx, 'deps'>, site: ListedSite): Promise<RoutedSite> {
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
