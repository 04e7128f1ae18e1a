import type { z } from 'zod';
import type { RuleRow } from '../../db/repositories/routing/routing-rows.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { AppError } from '../kernel/errors.ts';
import { foldName } from '../kernel/text.ts';
import { mayExplain } from '../routing/explain-query.ts';
import { type ListedSite, withServices } from '../routing/routed-site.ts';
import { route } from '../routing/routing.ts';
import { factsOf, type SeenLists } from '../routing/rule-facts.ts';
import type { SeenList } from '../routing/service-list-cache.ts';
import { currentCallCount } from '../sites/calls/order.ts';
import { linkedDomain } from '../sites/dispatcher-domains.ts';
import type { UserCtx } from '../sites/user-site.ts';
import { callFarms, type FarmState, type FarmView, farmStates, isOpen, viewsOf } from './farm-views.ts';
import type { LinkedDomain, ServicesList } from './shapes.ts';
import { shownServices } from './shown-services.ts';
import { etagOfList } from './validator.ts';

/** The services of a site for its viewer, and the explanations of its rules. */
export type SiteServices = Required<z.input<typeof ServicesList>>;

/** A list of services, which is read when it is needed. */
export type FoundServices = {
  /** Undefined if the list cannot be validated. */
  etag: string | undefined;
  /** `etag` is that of the list that was read. */
  read(): Promise<{ services: SiteServices; etag: string | undefined }>;
};

/** `isAnew`: farms with a fresh cached list are called as well. */
type ListOptions = { isAnew?: boolean | undefined };

/** The services of all farms that respond within the deadline or have a cached list. @throws as `findServices` */
export async function servicesAt(
  ctx: UserCtx,
  site: ListedSite,
  options?: ListOptions,
): Promise<SiteServices> {
  const found = await findServices(ctx, site, options);
  return (await found.read()).services;
}

/**
 * The same with an ETag that is known before the list.
 * @throws AppError `upstream_unavailable` if no farm responds and no list is cached. A farm that refuses the viewer has
 *   responded
 */
export async function findServices(
  ctx: UserCtx,
  site: ListedSite,
  { isAnew }: ListOptions = {},
): Promise<FoundServices> {
  const outcomes = await callFarms(ctx, site, isAnew);
  const states = farmStates(ctx, site, outcomes);
  assertAnyList(site, states);
  const turnOf = (rule: RuleRow): number => currentCallCount(ctx.deps, rule);
  const facts = { outcomes, turnOf, now: ctx.now, isExplained: mayExplain(ctx, site) };
  const etag = etagOfList({ site, states, ...facts });
  return {
    etag,
    read: async () => {
      if (states.every(hasServices)) return { services: shownAt(ctx, site, states), etag };
      const complete = await withServices(ctx, site);
      const read = farmStates(ctx, complete, outcomes);
      assertAnyList(complete, read);
      return {
        services: shownAt(ctx, complete, read),
        etag: etagOfList({ site: complete, states: read, ...facts }),
      };
    },
  };
}

const hasServices = (state: FarmState<CachedService[] | null>): state is FarmState =>
  state.source === undefined || state.source.list.services !== null;

/** @throws AppError `upstream_unavailable` */
function assertAnyList(site: ListedSite, states: readonly FarmState<unknown>[]): void {
  const open = states.filter(({ farm }) => isOpen(site, farm));
  if (!site.own || open.length === 0 || open.some(({ source }) => source !== undefined)) return;
  const sites = states.map(({ status }) => status);
  throw new AppError('upstream_unavailable', 'No farm of the site responded', { sites, site: site.uri });
}

function shownAt(ctx: UserCtx, site: ListedSite, states: readonly FarmState[]): SiteServices {
  const views = viewsOf(site, states);
  const rules = site.routing.rules.map((rule) => routedRule(ctx, site, rule, views));
  const explain = rules.flatMap(({ rule, routed }) =>
    routed.explain.map((entry) => ({ rule_id: rule.id, ...entry })),
  );
  return {
    domains: linkedDomains(site, views),
    services: sortedByName(shownServices(site, views, rules)),
    sites: views.map(({ status, list }) => ({
      ...status,
      refusal: refusalShown(list, mayExplain(ctx, site)),
    })),
    announced_maintenance: announcedTo(site, views),
    explain,
  };
}

/** The reason is for administrators. */
const refusalShown = (list: SeenList | undefined, isExplained: boolean) =>
  list && list.refusal !== null ? { reason: isExplained ? list.refusal : null } : null;

/** The maintenance of farms without services of the viewer is of no concern to the viewer. */
function announcedTo(site: ListedSite, views: readonly FarmView[]): SiteServices['announced_maintenance'] {
  const farms = new Set(views.flatMap(({ farm, list }) => (list?.services.length ? [farm.id] : [])));
  return site.announced
    .filter(({ farm_id }) => farm_id === null || farms.has(farm_id))
    .map((one) => ({ ...one, starts_at: momentOf(one.starts_at), ends_at: momentOf(one.ends_at) }));
}

const momentOf = (time: string | null): string | null =>
  time === null ? null : new Date(time).toISOString();

function routedRule(ctx: UserCtx, site: ListedSite, rule: RuleRow, views: readonly FarmView[]) {
  const lists: SeenLists = new Map(
    views.flatMap(({ farm, list }): [string, SeenList][] => (list ? [[farm.id, list]] : [])),
  );
  const chance = { turn: currentCallCount(ctx.deps, rule), random: Math.random };
  return { rule, routed: route(factsOf(site, rule, lists, ctx.now), chance) };
}

function sortedByName<T extends { name: string; id: string }>(services: readonly T[]): T[] {
  const keyed = services.map((service) => ({ service, key: foldName(service.name), id: service.id }));
  keyed.sort((a, b) => compareTexts(a.key, b.key) || compareTexts(a.id, b.id));
  return keyed.map(({ service }) => service);
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** The local domains, each with the farms whose dispatchers have a domain with its label. */
const linkedDomains = (site: ListedSite, views: readonly FarmView[]): z.input<typeof LinkedDomain>[] =>
  site.domains.map(({ id, name, label }) => {
    const farms = views.flatMap(({ farm, domains }) => {
      const known = linkedDomain(farm, domains, label);
      return known ? [{ farm_id: farm.id, dispatcher_uuid: known.authUuid }] : [];
    });
    return { authSmallName: label, auth: name, local_uuid: id, linked: farms.length > 0, farms };
  });
