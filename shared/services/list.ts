import type { z } from 'zod';
import type { RuleRow } from '../../db/repositories/routing/routing-rows.ts';
import { AppError } from '../kernel/errors.ts';
import { foldName } from '../kernel/text.ts';
import type { RoutedSite } from '../routing/routed-site.ts';
import { route } from '../routing/routing.ts';
import { factsOf, type SeenLists } from '../routing/rule-facts.ts';
import type { SeenList } from '../routing/service-list-cache.ts';
import { currentCallCount } from '../sites/calls/order.ts';
import type { UserCtx } from '../sites/user-site.ts';
import { type FarmView, isOpen, viewFarms } from './farm-views.ts';
import type { LinkedDomain, ServicesList } from './shapes.ts';
import { shownServices } from './shown-services.ts';

/** The services of a site for its viewer, and the explanations of its rules. */
export type SiteServices = Required<z.input<typeof ServicesList>>;

/**
 * The services of all farms that respond within the deadline or have a cached list.
 * @throws AppError `upstream_unavailable` if no farm responds and no list is cached
 */
export async function servicesAt(ctx: UserCtx, site: RoutedSite): Promise<SiteServices> {
  const views = await viewFarms(ctx, site);
  const sites = views.map(({ status }) => status);
  const open = views.filter(({ farm }) => isOpen(site, farm));
  if (site.own && open.length > 0 && open.every(({ list }) => list === undefined)) {
    throw new AppError('upstream_unavailable', 'No farm of the site responded', { sites, site: site.uri });
  }
  const rules = site.routing.rules.map((rule) => routedRule(ctx, site, rule, views));
  const explain = rules.flatMap(({ rule, routed }) =>
    routed.explain.map((entry) => ({ rule_id: rule.id, ...entry })),
  );
  return {
    domains: linkedDomains(site, views),
    services: sortedByName(shownServices(site, views, rules)),
    sites,
    explain,
  };
}

function routedRule(ctx: UserCtx, site: RoutedSite, rule: RuleRow, views: readonly FarmView[]) {
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
const linkedDomains = (site: RoutedSite, views: readonly FarmView[]): z.input<typeof LinkedDomain>[] =>
  site.domains.map(({ id, name, label }) => {
    const folded = foldName(label);
    const farms = views.flatMap(({ farm, domains }) => {
      const known = domains.find(({ authSmallName }) => foldName(authSmallName) === folded);
      return known ? [{ farm_id: farm.id, dispatcher_uuid: known.authUuid }] : [];
    });
    return { authSmallName: label, auth: name, local_uuid: id, linked: farms.length > 0, farms };
  });
