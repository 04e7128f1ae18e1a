import { atomically, type Db, type Statement } from '../../db/client.ts';
import { cacheServiceLists, renewServiceLists } from '../../db/repositories/routing/service-lists.ts';
import type { ServiceListRow } from '../../db/repositories/routing/site-lists.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import type { Domain, Service } from '../remotes/dispatcher/connections.ts';
import { type RefusalReason, refusalReasonOf } from '../remotes/dispatcher/refusals.ts';
import { servicesInMaintenance, withStates } from '../routing/maintenance-notices.ts';
import type { ListedSite } from '../routing/routed-site.ts';
import { cachedLists, lastList, type SeenList } from '../routing/service-list-cache.ts';
import { fanOut, type Outcome } from '../sites/calls/fan-out.ts';
import { callFarm, probeOpenCircuits } from '../sites/calls/farm-calls.ts';
import { isUnreachable, orderFarms } from '../sites/calls/order.ts';
import {
  domainsReadAt,
  farmDomains,
  isKnownLinked,
  isLinked,
  knownDomains,
  lastDomains,
} from '../sites/dispatcher-domains.ts';
import { type FarmStatus, farmStatus } from '../sites/farm-status.ts';
import type { UserCtx, UserFarm } from '../sites/user-site.ts';
import { revisionOf } from './revisions.ts';

/**
 * One farm in the list. It has listed the services, it refuses the viewer (`list.refusal`), or it has not answered: `list`
 * is then an older list, or undefined.
 */
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
type ListSource<Services> = { kind: 'usable' | 'maintenance'; list: SeenList<Services> };

/** The answer of a farm. A refusal has no services. `domains` is empty if they could not be read. */
type FarmAnswer = {
  domains: Domain[];
  services: Service[];
  revision: string;
  refusal: RefusalReason | null;
};
/** By farm id. */
export type FarmOutcomes = ReadonlyMap<string, Outcome<FarmAnswer>>;

/**
 * Calls the farms of the site for the viewer that have no fresh cached list, within the deadline. Disabled farms and
 * farms in maintenance are not called. Equal concurrent requests share one execution.
 * @param isAnew also farms with a fresh list are called
 */
export function callFarms(ctx: UserCtx, site: ListedSite, isAnew = false): Promise<FarmOutcomes> {
  const { singleFlight } = ctx.deps;
  const call = () => callEachFarm(ctx, site, isAnew);
  return singleFlight && site.own ? singleFlight(questionOf(site, isAnew), call) : call();
}

/**
 * Key of the single flight. The entitlement version changes with every permission and flag. The key contains the cached
 * lists, so that a connection issued in the meantime is included.
 */
const questionOf = (site: ListedSite, isAnew: boolean): string =>
  JSON.stringify([
    ...['services', isAnew, ...viewerOf(site)],
    site.routing.lists.map(({ farm_id, fetched_at }) => [farm_id, fetched_at]),
  ]);

const viewerOf = ({ id, viewer, principal, routing }: ListedSite) => [
  ...[viewer.id, principal.subject, id, routing.entitlement],
];

async function callEachFarm(ctx: UserCtx, site: ListedSite, isAnew: boolean): Promise<FarmOutcomes> {
  const lists = cachedLists(site, ctx.parameters, ctx.now);
  const usableFarms = site.own
    ? site.farms.filter((farm) => isOpen(site, farm) && (isAnew || !isKnown(farm, lists.get(farm.id))))
    : [];
  const toCall = orderFarms(usableFarms.filter((farm) => !isUnreachable(farm)));
  for (const farm of usableFarms.filter(isUnreachable)) probeOpenCircuits(ctx, farm);
  const answers: { id: string; answer: Promise<FarmAnswer> }[] = [];
  const deadline = ctx.parameters['aggregator.list_deadline_ms'];
  const outcomes = await fanOut(toCall, deadline, (farm) => {
    const answer = answerOf(ctx, site, farm);
    answers.push({ id: farm.id, answer });
    return answer;
  });
  const outcomesByFarm = new Map(
    toCall.flatMap(({ id }, at) => (outcomes[at] ? [[id, outcomes[at]] as const] : [])),
  );
  cacheLists(ctx, site, answersOf(outcomesByFarm));
  for (const { id, answer } of answers)
    if (outcomesByFarm.get(id)?.ok === false) cacheWhenLate(ctx, site, id, answer);
  return outcomesByFarm;
}

/**
 * The answer of a farm. The deadline of the list does not end the call: only the time limits of its requests do. A
 * request that follows meanwhile joins it.
 */
function answerOf(ctx: UserCtx, site: ListedSite, farm: UserFarm): Promise<FarmAnswer> {
  const { singleFlight } = ctx.deps;
  const call = () => fetchServices(ctx, site, farm);
  if (!singleFlight) return call();
  return singleFlight(JSON.stringify(['services of a farm', farm.id, ...viewerOf(site)]), call);
}

/**
 * A failure is that of the list, or was recorded with the call. A response that waits for its background does not wait for a
 * late answer: the deadline of the list would have no effect.
 */
function cacheWhenLate(ctx: UserCtx, site: ListedSite, farmId: string, answer: Promise<FarmAnswer>): void {
  if (ctx.stopsWithResponse) return;
  const cache = (late: FarmAnswer) => cacheLists(ctx, site, [{ farm_id: farmId, ...late }]);
  ctx.background(answer.then(cache, () => undefined));
}

/**
 * The service list and the domains of a farm are written one after the other. Between the writes the domains are
 * unknown.
 */
const isKnown = (farm: UserFarm, list: SeenList<unknown> | undefined): boolean =>
  list?.fresh === true && (list.refusal !== null || lastDomains(farm) !== undefined);

/** True for a farm that is neither disabled nor in maintenance. */
export const isOpen = (site: ListedSite, farm: UserFarm): boolean =>
  farm.enabled && !site.maintenance && !farm.maintenance;

/**
 * Reads domains and services of a farm. Services count only if the viewer's label is linked. Both requests run
 * concurrently, so that the first call of a farm takes two calls in a row instead of four.
 */
async function fetchServices(ctx: UserCtx, site: ListedSite, farm: UserFarm): Promise<FarmAnswer> {
  const { label } = site.viewer.domain;
  const { principal } = site;
  const known = knownDomains(farm, ctx.now);
  if (known && !isLinked(farm, known, label)) return refusedBy(known, 'domain_not_linked');
  const [domains, services] = await Promise.allSettled([
    farmDomains(ctx, site, farm),
    callFarm(ctx, { site, farm, principal }, (call) => ctx.deps.dispatchers.services(call)),
  ]);
  // A node issues no key for an unlinked label, so the failure of `services` is not an error here.
  if (domains.status === 'fulfilled' && !isLinked(farm, domains.value, label))
    return refusedBy(domains.value, 'domain_not_linked');
  const refusal = services.status === 'rejected' ? refusalReasonOf(services.reason) : undefined;
  if (refusal) return refusedBy(domains.status === 'fulfilled' ? domains.value : [], refusal);
  if (domains.status === 'rejected') throw domains.reason;
  if (services.status === 'rejected') throw services.reason;
  const revision = revisionOf(services.value);
  return { domains: domains.value, services: services.value, revision, refusal: null };
}

const refusedBy = (domains: Domain[], refusal: RefusalReason): FarmAnswer => ({
  ...{ domains, services: [], revision: refusal, refusal },
});

type NamedAnswer = FarmAnswer & { farm_id: string };

/** In a common order, so that concurrent writes wait for each other instead of ending in a deadlock. */
const answersOf = (outcomes: FarmOutcomes): NamedAnswer[] =>
  [...outcomes]
    .flatMap(([farm_id, outcome]) => (outcome.ok ? [{ farm_id, ...outcome.value }] : []))
    .sort((a, b) => (a.farm_id < b.farm_id ? -1 : 1));

/** Caches the lists and refusals of farms, after the response. Unchanged services are not written again. */
function cacheLists(
  ctx: UserCtx,
  { principal, viewer, routing }: ListedSite,
  lists: readonly NamedAnswer[],
): void {
  const shared = { subject: principal.subject, entitlement: routing.entitlement };
  const stored = new Set(routing.lists.map(keyOf));
  const [same, changed] = [true, false].map((is) => lists.filter((list) => stored.has(keyOf(list)) === is));
  const rows = (changed ?? []).map(({ farm_id, services, refusal }) => ({
    ...{ farm_id, services, refusal, user_id: viewer.id, fetched_at: ctx.now },
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
    const [outcome, cached] = [outcomes.get(farm.id), lists.get(farm.id)];
    if (!isOpen(site, farm)) {
      const last = farm.enabled && !isForeign(site, farm) ? lastList<Services>(site, farm.id) : undefined;
      const status = farmStatus(site, farm, outcome, ctx.now, cached);
      return { farm, domains: [], status, source: last && { kind: 'maintenance', list: last } };
    }
    const list = outcome?.ok ? currentList(outcome.value, ctx.now) : listInstead(site, farm, cached, outcome);
    const status = farmStatus(site, farm, outcome, ctx.now, list);
    const domains = outcome?.ok ? outcome.value.domains : (lastDomains(farm) ?? []);
    return { farm, domains, status, source: list && { kind: 'usable', list } };
  });
}

const currentList = ({ services, revision, refusal }: FarmAnswer, now: Date): SeenList<CachedService[]> => ({
  ...{ services, revision, refusal, fetchedAt: now, fresh: true },
});

/** What counts for a farm without an answer. A refusal does not count if a node fails. */
function listInstead<Services>(
  site: ListedSite,
  farm: UserFarm,
  cached: SeenList<Services> | undefined,
  outcome: Outcome<FarmAnswer> | undefined,
): SeenList<Services | CachedService[]> | undefined {
  const isSilent = outcome !== undefined || isUnreachable(farm);
  if (isForeign(site, farm)) return isSilent ? undefined : foreignList(farm);
  return isSilent && cached?.refusal ? undefined : cached;
}

function foreignList(farm: UserFarm): SeenList<CachedService[]> | undefined {
  const fetchedAt = domainsReadAt(farm);
  return fetchedAt && currentList(refusedBy([], 'domain_not_linked'), fetchedAt);
}

const isForeign = ({ viewer }: ListedSite, farm: UserFarm): boolean =>
  isKnownLinked(farm, viewer.domain.label) === false;

/** The farms as the viewer sees them. */
export const viewsOf = (site: ListedSite, states: readonly FarmState[]): FarmView[] =>
  states.map(({ source, ...state }) => ({ ...state, list: source && viewOf(site, state.farm, source) }));

const viewOf = (site: ListedSite, farm: UserFarm, { kind, list }: ListSource<CachedService[]>): SeenList =>
  kind === 'maintenance' ? servicesInMaintenance(site, farm, list) : withStates(site, farm, list);
