import type { NeededLists, ServiceListRow } from '../../db/repositories/routing/site-lists.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { addSeconds } from '../kernel/clock.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { RefusalReason } from '../remotes/dispatcher/refusals.ts';
import type { ListedSite } from './routed-site.ts';

/** The cached service list of a user at a farm. A `fresh` list is used instead of a new call. */
export type SeenList<Services = readonly CachedService[]> = {
  /** Digest of the services as the dispatcher returned them, or the refusal. */
  revision: string;
  services: Services;
  /** Set if the nodes of the farm refuse the user. There are no services then, and the list is fresh. */
  refusal: RefusalReason | null;
  fetchedAt: Date;
  fresh: boolean;
};

type SiteWithLists<S> = Pick<ListedSite, 'principal' | 'own'> & {
  routing: { entitlement: number; lists: readonly ServiceListRow<S>[] };
};

/**
 * The cached service lists of the site's farms by farm id, without expired lists. A refusal expires earlier than a list:
 * it does not replace an answer of a node that does not respond.
 */
export function cachedLists<S>(
  site: SiteWithLists<S>,
  parameters: Parameters,
  now: Date,
): Map<string, SeenList<S>> {
  const usable = site.routing.lists.filter((list) => isValid(site, list));
  return new Map(
    usable.flatMap(({ farm_id, fetched_at, revision, services, refusal }) => {
      const fetchedAt = new Date(fetched_at);
      const ageS = (now.getTime() - fetchedAt.getTime()) / 1000;
      if (ageS >= parameters['aggregator.services_stale_s']) return [];
      const fresh = ageS < parameters['aggregator.services_fresh_s'];
      if (refusal !== null && !fresh) return [];
      return [[farm_id, { revision, services, refusal, fetchedAt, fresh }]];
    }),
  );
}

/**
 * The lists whose services a request needs, if it calls the farms without a fresh list.
 * @param held digest of the lists that the client has
 */
export const listsToRead = (held: string, parameters: Parameters, now: Date): NeededLists => ({
  held,
  calledUntil: addSeconds(now, -parameters['aggregator.services_fresh_s']).toISOString(),
});

/**
 * The last list of the viewer at a farm that is in maintenance, regardless of its age and of the permissions at that
 * time.
 */
export function lastList<S>(
  { routing, principal }: SiteWithLists<S>,
  farmId: string,
): SeenList<S> | undefined {
  const last = routing.lists.find((list) => list.farm_id === farmId && list.subject === principal.subject);
  if (!last || last.refusal !== null) return undefined;
  const { revision, services, fetched_at } = last;
  return { revision, services, refusal: null, fetchedAt: new Date(fetched_at), fresh: false };
}

/**
 * True for a list that was read for the same user, label, groups and address, with the same permissions. The address is
 * unknown if the site is explained for another user. Then only the permissions must match.
 */
const isValid = <S>(
  { routing, principal, own }: SiteWithLists<S>,
  { subject, entitlement }: ServiceListRow<S>,
): boolean => entitlement === routing.entitlement && (!own || subject === principal.subject);
