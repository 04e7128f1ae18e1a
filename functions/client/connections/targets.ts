import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { assertExplains, type ExplainQuery, viewerFor } from '../../../shared/routing/explain-query.ts';
import type { Key } from '../../../shared/routing/facts.ts';
import { loadRoutedSite, type RoutedSite } from '../../../shared/routing/routed-site.ts';
import { isPossible } from '../../../shared/sites/dispatcher-domains.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import { parseServiceId, type RuleOrPool } from '../service-ids.ts';

export type PoolTarget = { kind: 'pool'; site: RoutedSite; farm: UserFarm; pool: string };
export type RuleTarget = { kind: 'rule'; site: RoutedSite; rule: RuleRow };

/**
 * Finds the service of an id: a rule, or `<farm id>.<pool uuid>` for a pool that no enabled rule of the site covers.
 * One round trip.
 * @throws AppError `not_found` if the service does not exist, belongs to another site or is not available to the caller
 */
export async function findTarget(
  ctx: UserCtx,
  siteUri: string,
  id: string,
): Promise<PoolTarget | RuleTarget> {
  const rules = parseServiceId(id);
  const site = await loadRoutedSite(ctx, siteUri, { rules, unusable: false });
  return targetIn(ctx, site, rules);
}

/**
 * Same as `findTarget`, for a result that can be explained, also for another user.
 * @throws AppError as `findTarget`; `forbidden` without the right to explain
 */
export async function findExplainedTarget(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: ExplainQuery,
): Promise<PoolTarget | RuleTarget> {
  const viewer = await viewerFor(ctx, query);
  const rules = parseServiceId(id);
  const routingTarget = { rules, unusable: query.explain === true };
  const site = await loadRoutedSite(ctx, siteUri, routingTarget, viewer);
  assertExplains(ctx, site, query);
  return targetIn(ctx, site, rules);
}

const targetIn = (ctx: UserCtx, site: RoutedSite, rules: RuleOrPool): PoolTarget | RuleTarget =>
  'rule' in rules ? ruleTarget(site) : poolTarget(ctx, site, rules);

/** The identifier of the service in lists, in lower case. */
export const serviceIdOf = (target: PoolTarget | RuleTarget): string =>
  target.kind === 'rule' ? target.rule.id : `${target.farm.id}.${target.pool}`;

/** The name of the service in lists. Null if the pool is neither in the snapshot nor in the last list of the user. */
export const serviceNameOf = (target: PoolTarget | RuleTarget): string | null =>
  target.kind === 'rule' ? target.rule.display_name : poolNameOf(target, target.pool);

/** The name of a pool of the service from the snapshot, otherwise from the last service list of the user. */
export function poolNameOf(target: PoolTarget | RuleTarget, pool: string): string | null {
  const { routing } = target.site;
  const known = target.kind === 'rule' ? memberIn(target.rule, pool)?.name : routing.pool_name;
  const services = routing.lists.flatMap((list) => list.services);
  const listed = services.find(({ uuid }) => uuid.toLowerCase() === pool);
  return known ?? listed?.name ?? null;
}

const memberIn = ({ members }: RuleRow, pool: string) =>
  members.find(({ servicepool_uuid }) => servicepool_uuid === pool);

/** The key of the pool in the facts. */
export const keyOfTarget = ({ farm, pool }: Pick<PoolTarget, 'farm' | 'pool'>): Key => ({
  farm_id: farm.id,
  servicepool_uuid: pool,
});

function ruleTarget(site: RoutedSite): RuleTarget {
  const [rule] = site.routing.rules;
  if (!rule) throw notFound();
  return { kind: 'rule', site, rule };
}

function poolTarget(
  ctx: UserCtx,
  site: RoutedSite,
  { farm: farmId, pool }: Extract<RuleOrPool, { farm: string }>,
): PoolTarget {
  const farm = site.farms.find((one) => one.id === farmId && one.enabled);
  if (!farm || !isPossible(ctx, farm, site.viewer)) throw notFound();
  if (site.routing.covered.length > 0) throw notFound();
  return { kind: 'pool', site, farm, pool };
}
