import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { RoutedSite } from './routed-site.ts';

/** The services that a farm gave somebody; `fresh` ones are as good as asked for. */
export type SeenList = { services: readonly CachedService[]; fetchedAt: Date; fresh: boolean };

/** What is kept of the site's farms and may be shown, by farm. */
export function keptLists(site: RoutedSite, parameters: Parameters, now: Date): Map<string, SeenList> {
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
 * Got for the same person, label, groups and address, with the same rights here. Of somebody to whom the site is
 * explained the address is not known, and the rest has to do.
 */
const isValid = (
  { routing, speaker, own }: RoutedSite,
  { subject, entitlement }: RoutedSite['routing']['lists'][number],
): boolean => entitlement === routing.entitlement && (!own || subject === speaker.subject);
