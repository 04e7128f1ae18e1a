import type { RoutingTarget, RuleRow } from '../../../db/repositories/routing/facts.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { isId } from '../../../shared/kernel/ids.ts';
import { assertExplains, type ExplainQuery, viewerFor } from '../../../shared/routing/explaining.ts';
import { loadRoutedSite, type RoutedSite } from '../../../shared/routing/routed-site.ts';
import type { Key } from '../../../shared/routing/routing.ts';
import { isLinked, knownDomains } from '../../../shared/sites/linking.ts';
import type { UserCtx, UserFarm, Viewer } from '../../../shared/sites/user-site.ts';

export type PoolTarget = { kind: 'pool'; site: RoutedSite; farm: UserFarm; pool: string };
export type RuleTarget = { kind: 'rule'; site: RoutedSite; rule: RuleRow };

/**
 * The service that an id names: a rule, or `<farm id>.<pool uuid>` for a pool that no enabled rule of the site covers. One round trip.
 * @throws AppError `not_found` for what is not the caller's, of another site, or no service
 */
export async function findTarget(
  ctx: UserCtx,
  siteUri: string,
  id: string,
): Promise<PoolTarget | RuleTarget> {
  const rules = wantedBy(id.toLowerCase());
  const site = await loadRoutedSite(ctx, siteUri, { rules, unusable: false });
  return targetIn(ctx, site, rules);
}

/**
 * The same for a verdict that can be explained, also for another user.
 * @throws AppError as `findTarget`; `forbidden` without the right to explain
 */
export async function findExplainedTarget(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: ExplainQuery,
): Promise<PoolTarget | RuleTarget> {
  const viewer = await viewerFor(ctx, query);
  const rules = wantedBy(id.toLowerCase());
  const wanted = { rules, unusable: query.explain === true };
  const site = await loadRoutedSite(ctx, siteUri, wanted, viewer);
  assertExplains(ctx, site, query);
  return targetIn(ctx, site, rules);
}

const targetIn = (ctx: UserCtx, site: RoutedSite, rules: Named): PoolTarget | RuleTarget =>
  'rule' in rules ? ruleTarget(site) : poolTarget(ctx, site, rules);

/** The pool as facts name it. */
export const keyOfTarget = ({ farm, pool }: Pick<PoolTarget, 'farm' | 'pool'>): Key => ({
  farm_id: farm.id,
  servicepool_uuid: pool,
});

/** True unless the farm's domains are known and lack the user's: a dispatcher gives no key to a label it does not know. */
export function isPossible(ctx: UserCtx, farm: UserFarm, { domain }: Pick<Viewer, 'domain'>): boolean {
  const domains = knownDomains(farm, ctx.now);
  return domains === undefined || isLinked(domains, domain.label);
}

type Named = Exclude<RoutingTarget['rules'], 'all'>;

function wantedBy(id: string): Named {
  if (isId(id)) return { rule: id };
  const [farm = '', pool = '', ...rest] = id.split('.');
  if (!isId(farm) || !isId(pool) || rest.length > 0) throw notFound();
  return { farm, pool };
}

function ruleTarget(site: RoutedSite): RuleTarget {
  const [rule] = site.routing.rules;
  if (!rule) throw notFound();
  return { kind: 'rule', site, rule };
}

function poolTarget(
  ctx: UserCtx,
  site: RoutedSite,
  { farm: farmId, pool }: Extract<Named, { farm: string }>,
): PoolTarget {
  const farm = site.farms.find((one) => one.id === farmId && one.enabled);
  if (!farm || !isPossible(ctx, farm, site.viewer)) throw notFound();
  if (site.routing.covered.length > 0) throw notFound();
  return { kind: 'pool', site, farm, pool };
}
