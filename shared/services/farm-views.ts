import { cacheServiceLists } from '../../db/repositories/routing/service-lists.ts';
import type { Domain, Service } from '../remotes/dispatcher/connections.ts';
import { servicesInMaintenance, withStates } from '../routing/maintenance-notices.ts';
import type { RoutedSite } from '../routing/routed-site.ts';
import { cachedLists, type SeenList } from '../routing/service-list-cache.ts';
import { fanOut, type Outcome } from '../sites/calls/fan-out.ts';
import { callFarm, probeOpenCircuits } from '../sites/calls/farm-calls.ts';
import { isUnreachable, orderFarms } from '../sites/calls/order.ts';
import { farmDomains, isLinked, knownDomains, lastDomains } from '../sites/dispatcher-domains.ts';
import { type FarmStatus, farmStatus } from '../sites/farm-status.ts';
import type { UserCtx, UserFarm } from '../sites/user-site.ts';

/** One farm in the list. `list` is undefined if its services are unknown. */
export type FarmView = {
  farm: UserFarm;
  domains: readonly Domain[];
  list: SeenList | undefined;
  status: FarmStatus;
};
type FarmAnswer = { domains: Domain[]; services: Service[]; linked: boolean };
type FarmOutcomes = ReadonlyMap<UserFarm, Outcome<FarmAnswer>>;

/**
 * The services of the site's farms for the viewer. Fresh cached lists are used first. Other farms are called within the
 * deadline. A stale cached list is the fallback. Disabled farms and farms in maintenance are not called. Equal
 * concurrent requests share one execution.
 */
export function viewFarms(ctx: UserCtx, site: RoutedSite): Promise<FarmView[]> {
  const { singleFlight } = ctx.deps;
  return singleFlight && site.own
    ? singleFlight(questionOf(site), () => callFarms(ctx, site))
    : callFarms(ctx, site);
}

/**
 * Key of the single flight. The entitlement version changes with every permission and flag. The key contains the cached
 * lists, so that a connection issued in the meantime is included.
 */
const questionOf = ({ id, viewer, principal, routing: { entitlement, lists } }: RoutedSite): string =>
  JSON.stringify([
    'services',
    viewer.id,
    principal.subject,
    id,
    entitlement,
    lists.map(({ farm_id, fetched_at }) => [farm_id, fetched_at]),
  ]);

async function callFarms(ctx: UserCtx, site: RoutedSite): Promise<FarmView[]> {
  const lists = cachedLists(site, ctx.parameters, ctx.now);
  const usableFarms = site.own
    ? site.farms.filter((farm) => isOpen(site, farm) && !isKnown(farm, lists.get(farm.id)))
    : [];
  const toCall = orderFarms(usableFarms.filter((farm) => !isUnreachable(farm)));
  for (const farm of usableFarms.filter(isUnreachable)) probeOpenCircuits(ctx, farm);
  const deadline = ctx.parameters['aggregator.list_deadline_ms'];
  const outcomes = await fanOut(toCall, deadline, (farm, signal) => fetchServices(ctx, site, farm, signal));
  const outcomesByFarm = new Map(
    toCall.flatMap((farm, at) => (outcomes[at] ? [[farm, outcomes[at]] as const] : [])),
  );
  cacheLists(ctx, site, outcomesByFarm);
  return site.farms.map((farm) => viewOf(ctx, site, farm, outcomesByFarm.get(farm), lists.get(farm.id)));
}

/**
 * The service list and the domains of a farm are written one after the other. Between the writes the domains are
 * unknown.
 */
const isKnown = (farm: UserFarm, list: SeenList | undefined): boolean =>
  list?.fresh === true && lastDomains(farm) !== undefined;

/** True for a farm that is neither disabled nor in maintenance. */
export const isOpen = (site: RoutedSite, farm: UserFarm): boolean =>
  farm.enabled && !site.maintenance && !farm.maintenance;

/**
 * Reads domains and services of a farm. Services count only if the viewer's label is linked. Both requests run
 * concurrently, so that the first call of a farm takes two calls in a row instead of four.
 */
async function fetchServices(
  ctx: UserCtx,
  site: RoutedSite,
  farm: UserFarm,
  signal: AbortSignal,
): Promise<FarmAnswer> {
  const { label } = site.viewer.domain;
  const { principal } = site;
  const known = knownDomains(farm, ctx.now);
  if (known && !isLinked(known, label)) return { domains: known, services: [], linked: false };
  const [domains, services] = await Promise.allSettled([
    farmDomains(ctx, site, farm, signal),
    callFarm(ctx, { site, farm, principal, signal }, (call) => ctx.deps.dispatchers.services(call)),
  ]);
  if (domains.status === 'rejected') throw domains.reason;
  // A node issues no key for an unlinked label, so the failure of `services` is not an error here.
  if (!isLinked(domains.value, label)) return { domains: domains.value, services: [], linked: false };
  if (services.status === 'rejected') throw services.reason;
  return { domains: domains.value, services: services.value, linked: true };
}

/** Caches the lists of all farms that responded, in one statement after the response. */
function cacheLists(
  ctx: UserCtx,
  { principal, viewer, routing }: RoutedSite,
  outcomesByFarm: FarmOutcomes,
): void {
  const lists = [...outcomesByFarm].flatMap(([farm, outcome]) =>
    outcome.ok && outcome.value.linked
      ? [
          {
            user_id: viewer.id,
            farm_id: farm.id,
            subject: principal.subject,
            entitlement: routing.entitlement,
            fetched_at: ctx.now,
            services: outcome.value.services,
          },
        ]
      : [],
  );
  if (lists.length === 0) return;
  ctx.later(() =>
    Promise.resolve(cacheServiceLists(ctx.deps.db, lists)).catch((error: unknown) =>
      ctx.log.warn('service lists could not be cached', { request_id: ctx.requestId, error }),
    ),
  );
}

function viewOf(
  ctx: UserCtx,
  site: RoutedSite,
  farm: UserFarm,
  outcome: Outcome<FarmAnswer> | undefined,
  list: SeenList | undefined,
): FarmView {
  const status = farmStatus(site, farm, outcome, ctx.now, list);
  const domains = lastDomains(farm) ?? [];
  const isForeign = domains.length > 0 && !isLinked(domains, site.viewer.domain.label);
  if (!isOpen(site, farm)) {
    const list = farm.enabled && !isForeign ? servicesInMaintenance(site, farm) : undefined;
    return { farm, domains: [], list, status };
  }
  if (outcome?.ok) {
    const current = { services: outcome.value.services, fetchedAt: ctx.now, fresh: true };
    return { farm, domains: outcome.value.domains, list: withStates(site, farm, current), status };
  }
  const shown = list && withStates(site, farm, isForeign ? { ...list, services: [] } : list);
  return { farm, domains, list: shown, status };
}
