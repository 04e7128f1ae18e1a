import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { RoutedSite } from './routed-site.ts';

/** The cached list of a user's services at a farm; a `fresh` one is as good as a new answer. */
export type SeenList = { services: readonly CachedService[]; fetchedAt: Date; fresh: boolean };

/** The cached lists of the site's farms that may be shown, by farm. */
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
 * True for a list that was read for the same user, label, groups and address, with the same rights here. The address of
 * another user, for whom the site is explained, is not known; then the rights have to match only.
 */
const isValid = (
  { routing, principal, own }: RoutedSite,
  { subject, entitlement }: RoutedSite['routing']['lists'][number],
): boolean => entitlement === routing.entitlement && (!own || subject === principal.subject);
