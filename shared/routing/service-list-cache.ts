import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { RoutedSite } from './routed-site.ts';

/** The cached service list of a user at a farm. A `fresh` list is used instead of a new call. */
export type SeenList = { services: readonly CachedService[]; fetchedAt: Date; fresh: boolean };

/** The cached service lists of the site's farms by farm id, without expired lists. */
export function cachedLists(site: RoutedSite, parameters: Parameters, now: Date): Map<string, SeenList> {
  const usable = site.routing.lists.filter((list) => isValid(site, list));
  return new Map(
    usable.flatMap(({ farm_id, fetched_at, services }) => {
      const fetchedAt = new Date(fetched_at);
      const ageS = (now.getTime() - fetchedAt.getTime()) / 1000;
      if (ageS >= parameters['aggregator.services_stale_s']) return [];
      return [[farm_id, { services, fetchedAt, fresh: ageS < parameters['aggregator.services_fresh_s'] }]];
    }),
  );
}

/**
 * True for a list that was read for the same user, label, groups and address, with the same permissions. The address is
 * unknown if the site is explained for another user. Then only the permissions must match.
 */
const isValid = (
  { routing, principal, own }: RoutedSite,
  { subject, entitlement }: RoutedSite['routing']['lists'][number],
): boolean => entitlement === routing.entitlement && (!own || subject === principal.subject);
