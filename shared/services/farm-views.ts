import { atomically, type Db, type Statement } from '../../db/client.ts';
import { cacheServiceLists, renewServiceLists } from '../../db/repositories/routing/service-lists.ts';
import type { ServiceListRow } from '../../db/repositories/routing/site-lists.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import type { Domain, Service } from '../remotes/dispatcher/connections.ts';
import { servicesInMaintenance, withStates } from '../routing/maintenance-notices.ts';
import type { ListedSite } from '../routing/routed-site.ts';
import { cachedLists, lastList, type SeenList } from '../routing/service-list-cache.ts';
import { fanOut, type Outcome } from '../sites/calls/fan-out.ts';
import { callFarm, probeOpenCircuits } from '../sites/calls/farm-calls.ts';
import { isUnreachable, orderFarms } from '../sites/calls/order.ts';
import { farmDomains, isLinked, knownDomains, lastDomains } from '../sites/dispatcher-domains.ts';
import { type FarmStatus, farmStatus } from '../sites/farm-status.ts';
import type { UserCtx, UserFarm } from '../sites/user-site.ts';
import { revisionOf } from './revisions.ts';

/** One farm in the list. `list` is undefined if its services are unknown. */
export type FarmView = {
  farm: UserFarm;
  domains: readonly Domain[];
  list: SeenList | undefined;
  status: FarmStatus;
};

/** The state of a farm, with the services of its dispatchers before the portal adds its own facts. */
export type FarmState<Services = CachedService[]> = Omit<FarmView, 'list'> & {
  source: ListSource<Services> | undefined;
};
type ListSource<Services> = {
  /** `unlinked`: the label of the viewer is unknown there, so no service is shown. */
  kind: 'usable' | 'unlinked' | 'maintenance';
  list: SeenList<Services>;
};

type FarmAnswer = { domains: Domain[]; services: Service[]; revision: string; linked: boolean };
/** By farm id. */
export type FarmOutcomes = ReadonlyMap<string, Outcome<FarmAnswer>>;

/**
 * Calls the farms of the site for the viewer that have no fresh cached list, within the deadline. Disabled farms and
 * farms in maintenance are not called. Equal concurrent requests share one execution.
 */
export function callFarms(ctx: UserCtx, site: ListedSite): Promise<FarmOutcomes> {
  const { singleFlight } = ctx.deps;
  return singleFlight && site.own
    ? singleFlight(questionOf(site), () => callEachFarm(ctx, site))
    : callEachFarm(ctx, site);
}

/**
 * Key of the single flight. The entitlement version changes with every permission and flag. The key contains the cached
 * lists, so that a connection issued in the meantime is included.
 */
const questionOf = ({ id, viewer, principal, routing: { entitlement, lists } }: ListedSite): string =>
  JSON.stringify([
    'services',
    viewer.id,
    principal.subject,
    id,
    entitlement,
    lists.map(({ farm_id, fetched_at }) => [farm_id, fetched_at]),
  ]);

async function callEachFarm(ctx: UserCtx, site: ListedSite): Promise<FarmOutcomes> {
  const lists = cachedLists(site, ctx.parameters, ctx.now);
  const usableFarms = site.own
    ? site.farms.filter((farm) => isOpen(site, farm) && !isKnown(farm, lists.get(farm.id)))
    : [];
  const toCall = orderFarms(usableFarms.filter((farm) => !isUnreachable(farm)));
  for (const farm of usableFarms.filter(isUnreachable)) probeOpenCircuits(ctx, farm);
  const deadline = ctx.parameters['aggregator.list_deadline_ms'];
  const outcomes = await fanOut(toCall, deadline, (farm, signal) => fetchServices(ctx, site, farm, signal));
  const outcomesByFarm = new Map(
    toCall.flatMap(({ id }, at) => (outcomes[at] ? [[id, outcomes[at]] as const] : [])),
  );
  cacheLists(ctx, site, outcomesByFarm);
  return outcomesByFarm;
}

/**
 * The service list and the domains of a farm are written one after the other. Between the writes the domains are
 * unknown.
 */
const isKnown = (farm: UserFarm, list: SeenList<unknown> | undefined): boolean =>
  list?.fresh === true && lastDomains(farm) !== undefined;

/** True for a farm that is neither disabled nor in maintenance. */
export const isOpen = (site: ListedSite, farm: UserFarm): boolean =>
  farm.enabled && !site.maintenance && !farm.maintenance;

/**
 * Reads domains and services of a farm. Services count only if the viewer's label is linked. Both requests run
 * concurrently, so that the first call of a farm takes two calls in a row instead of four.
 */
async function fetchServices(
  ctx: UserCtx,
  site: ListedSite,
  farm: UserFarm,
  signal: AbortSignal,
): Promise<FarmAnswer> {
  const { label } = site.viewer.domain;
  const { principal } = site;
  const known = knownDomains(farm, ctx.now);
  if (known && !isLinked(farm, known, label)) return unlinked(known);
  const [domains, services] = await Promise.allSettled([
    farmDomains(ctx, site, farm, signal),
    callFarm(ctx, { site, farm, principal, signal }, (call) => ctx.deps.dispatchers.services(call)),
  ]);
  if (domains.status === 'rejected') throw domains.reason;
  // A node issues no key for an unlinked label, so the failure of `services` is not an error here.
  if (!isLinked(farm, domains.value, label)) return unlinked(domains.value);
  if (services.status === 'rejected') throw services.reason;
  const revision = revisionOf(services.value);
  return { domains: domains.value, services: services.value, revision, linked: true };
}

const unlinked = (domains: Domain[]): FarmAnswer => ({
  ...{ domains, services: [], linked: false },
  revision: revisionOf([]),
});

/** Caches the lists of all farms that responded, after the response. Unchanged services are not written again. */
function cacheLists(
  ctx: UserCtx,
  { principal, viewer, routing }: ListedSite,
  outcomesByFarm: FarmOutcomes,
): void {
  const shared = { subject: principal.subject, entitlement: routing.entitlement };
  const stored = new Set(routing.lists.map(keyOf));
  // A common order, so that concurrent writes wait for each other instead of ending in a deadlock.
  const lists = [...outcomesByFarm]
    .flatMap(([farm_id, outcome]) =>
      outcome.ok && outcome.value.linked ? [{ farm_id, ...outcome.value }] : [],
    )
    .sort((a, b) => (a.farm_id < b.farm_id ? -1 : 1));
  const [same, changed] = [true, false].map((is) => lists.filter((list) => stored.has(keyOf(list)) === is));
  const rows = (changed ?? []).map(({ farm_id, services }) => ({
    ...{ farm_id, services, user_id: viewer.id, fetched_at: ctx.now },
    ...shared,
  }));
  const renewed = { ...shared, userId: viewer.id, at: ctx.now, lists: same ?? [] };
  const statements = (h: Db): Statement[] => [
    ...(rows.length > 0 ? [cacheServiceLists(h, rows)] : []),
    ...(renewed.lists.length > 0 ? [renewServiceLists(h, renewed)] : []),
  ];
  if (lists.length === 0) return;
  ctx.later(() =>
    atomically(ctx.deps.db, statements).catch((error: unknown) =>
      ctx.log.warn('service lists could not be cached', { request_id: ctx.requestId, error }),
    ),
  );
}

const keyOf = ({ farm_id, revision }: { farm_id: string; revision: string }): string =>
  `${farm_id}.${revision}`;

/**
 * The state of each farm: of the calls, otherwise of the cached lists.
 * @template Services null is possible for a list that was read without its services
 */
export function farmStates<Services>(
  ctx: Pick<UserCtx, 'parameters' | 'now'>,
  site: ListedSite & { routing: { lists: ServiceListRow<Services>[] } },
  outcomes: FarmOutcomes,
): FarmState<Services | CachedService[]>[] {
  const lists = cachedLists<Services>(site, ctx.parameters, ctx.now);
  return site.farms.map((farm) => {
    const [outcome, list] = [outcomes.get(farm.id), lists.get(farm.id)];
    const isForeign = isUnlinked(site, farm);
    const status = farmStatus(site, farm, outcome, ctx.now, list);
    if (!isOpen(site, farm)) {
      const last = farm.enabled && !isForeign ? lastList<Services>(site, farm.id) : undefined;
      return { farm, domains: [], status, source: last && { kind: 'maintenance', list: last } };
    }
    if (outcome?.ok) {
      const { domains, services, revision } = outcome.value;
      const current = { revision, services, fetchedAt: ctx.now, fresh: true };
      return { farm, domains, status, source: { kind: 'usable', list: current } };
    }
    const source = list && { kind: isForeign ? ('unlinked' as const) : ('usable' as const), list };
    return { farm, domains: lastDomains(farm) ?? [], status, source };
  });
}

function isUnlinked({ viewer }: ListedSite, farm: UserFarm): boolean {
  const domains = lastDomains(farm) ?? [];
  return domains.length > 0 && !isLinked(farm, domains, viewer.domain.label);
}

/** The farms as the viewer sees them. */
export const viewsOf = (site: ListedSite, states: readonly FarmState[]): FarmView[] =>
  states.map(({ source, ...state }) => ({ ...state, list: source && viewOf(site, state.farm, source) }));

function viewOf(site: ListedSite, farm: UserFarm, { kind, list }: ListSource<CachedService[]>): SeenList {
  if (kind === 'maintenance') return servicesInMaintenance(site, farm, list);
  return withStates(site, farm, kind === 'unlinked' ? { ...list, services: [] } : list);
}
