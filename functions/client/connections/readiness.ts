import type { z } from 'zod';
import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { noticeOf, noticeOfRoute } from '../../../shared/routing/maintenance-notices.ts';
import { isBlocked, isMaintenanceReason, stateOf, unknownReason } from '../../../shared/routing/readiness.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import { conflictOf, type Route } from '../../../shared/routing/routing.ts';
import { poolFacts, serviceIn } from '../../../shared/routing/rule-facts.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { currentCallCount } from '../../../shared/sites/calls/order.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';
import { isClosed } from './gateway-route.ts';
import { callRule, refusalOf, routeOf } from './pipeline.ts';
import type { Readiness, ReadinessQuery } from './schema.ts';
import { findExplainedTarget, keyOfTarget, type PoolTarget, type RuleTarget } from './targets.ts';

type Query = z.output<typeof ReadinessQuery>;
type Found = z.input<typeof Readiness>;

/** Decides whether the client connects, waits or gives up. Has no side effects. */
export async function decideReadiness(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: Query,
): Promise<Answer> {
  const target = await findExplainedTarget(ctx, siteUri, id, query);
  const readiness = await (target.kind === 'rule'
    ? judgeRule(ctx, target, query)
    : judgePool(ctx, target, query));
  const found = readiness.verdict === 'connect' ? throughGateway(ctx, target.site, readiness) : readiness;
  if (found.verdict !== 'wait') return new Answer(found);
  const wait = Math.max(1, Math.ceil((found.retry_after_ms ?? 1000) / 1000));
  return new Answer(found, { headers: { 'retry-after': String(wait) } });
}

/** A service that is ready can be used only if its gateway is available. */
const throughGateway = (ctx: UserCtx, site: RoutedSite, found: Found): Found =>
  isClosed(ctx, site, found.protocol)
    ? { ...found, verdict: 'wait', ready: false, reason_code: 'gateway_unavailable', retry_after_ms: 5_000 }
    : found;

async function judgePool(ctx: UserCtx, target: PoolTarget, query: Query): Promise<Found> {
  const { site, farm, pool } = target;
  // A pool has no rule, so there is nothing to explain.
  const explain = query.explain ? { explain: [] } : {};
  const notice = noticeOf(site, farm.id, pool);
  const facts = poolFacts(site, cachedLists(site, ctx.parameters, ctx.now))(keyOfTarget(target));
  if (isBlocked(facts)) return { ...inMaintenance(farm.id, query, notice), ...explain };
  if (facts.unknown) return { ...ofUnknownState(farm.id, query), ...explain };
  if (!site.own) return { ...asKnown(ctx, target, query), ...explain };
  const { principal } = site;
  const readiness = await callFarm(ctx, { site, farm, principal }, (call) =>
    ctx.deps.dispatchers.preconnectionInfo(call, pool, clientParameters(query)),
  );
  return { ...withNotice(readiness, notice), farm_id: farm.id, ...explain };
}

async function judgeRule(ctx: UserCtx, target: RuleTarget, query: Query): Promise<Found> {
  const { site, rule } = target;
  // The round-robin turn is not advanced here, so that the connection that follows uses the same farm.
  const chance = { turn: currentCallCount(ctx.deps, rule), random: Math.random };
  const routed = routeOf(ctx, target, chance);
  const [first] = routed.candidates;
  if (!first) return refused(site, routed, rule, query);
  const farm = site.farms.find(({ id }) => id === first.farm_id);
  if (!site.own && farm) {
    const known = asKnown(ctx, { site, farm, pool: first.servicepool_uuid }, query);
    return { ...known, ...reportOf(routed, rule, query) };
  }
  try {
    const found = await callRule(
      ctx,
      target,
      chance,
      (pool) => (call) => ctx.deps.dispatchers.preconnectionInfo(call, pool, clientParameters(query)),
    );
    const notice = noticeOf(site, found.farm.id, found.pool);
    return {
      ...withNotice(found.answer, notice),
      farm_id: found.farm.id,
      ...reportOf(found.routed, rule, query),
    };
  } catch (error) {
    throw error instanceof AppError ? withReport(error, routed, rule, query) : error;
  }
}

const clientParameters = ({ protocol, client_version, hostname }: Query) => ({
  protocol,
  client_version,
  hostname,
});

/** Maintenance and an unknown state are verdicts. Any other reason without a candidate is an error. */
function refused(site: RoutedSite, routed: Route, rule: RuleRow, query: Query): Found {
  const refusal = refusalOf(routed);
  const report = reportOf(routed, rule, query);
  const maintained = routed.explain.find(isMaintenanceReason);
  const unknown = routed.explain.find(({ reason }) => reason === unknownReason);
  if (refusal.code === 'invalid_state' && maintained)
    return { ...inMaintenance(maintained.farm_id, query, noticeOfRoute(site, routed)), ...report };
  if (refusal.code === 'invalid_state' && unknown)
    return { ...ofUnknownState(unknown.farm_id, query), ...report };
  throw withReport(refusal, routed, rule, query);
}

const reportOf = (routed: Route, { id }: RuleRow, { explain }: Query) => ({
  ...conflictOf(routed),
  ...(explain && { explain: routed.explain.map((entry) => ({ rule_id: id, ...entry })) }),
});

/** Adds the report to the error, because the explanation is needed most when a connection fails. */
const withReport = (error: AppError, routed: Route, rule: RuleRow, query: Query): AppError =>
  new AppError(
    error.code,
    error.detail,
    { ...error.members, ...reportOf(routed, rule, query) },
    { cause: error },
  );

const verdicts = { ready: 'connect', busy: 'wait', maintenance: 'abandon', unavailable: 'abandon' } as const;

/**
 * Returns the readiness from the last service list. It is used for another user, because the dispatcher is not called.
 */
function asKnown(
  ctx: UserCtx,
  { site, farm, pool }: Pick<PoolTarget, 'site' | 'farm' | 'pool'>,
  query: Query,
): Found {
  const lists = cachedLists(site, ctx.parameters, ctx.now);
  const service = serviceIn(lists.get(farm.id), pool);
  const state = service && stateOf(poolFacts(site, lists)(keyOfTarget({ farm, pool })), service.state);
  return {
    verdict: state ? verdicts[state] : 'wait',
    method: 'new',
    protocol: query.protocol ?? service?.protocols[0] ?? 'rdp',
    ready: state === 'ready',
    state: state ?? 'unknown',
    reason_code: 'not_asked',
    farm_id: farm.id,
  };
}

/**
 * The notice of this portal has precedence over the message of the dispatcher, because a template can have changed its
 * message in the meantime.
 */
const withNotice = <R extends { reason_code: string; message?: string | undefined }>(
  readiness: R,
  notice: string | undefined,
): R =>
  readiness.reason_code === 'maintenance' && notice !== undefined
    ? { ...readiness, message: notice }
    : readiness;

const inMaintenance = (farmId: string, query: Query, notice: string | undefined): Found => ({
  verdict: 'abandon',
  method: 'new',
  protocol: query.protocol ?? 'rdp',
  ready: false,
  state: 'maintenance',
  reason_code: 'maintenance',
  ...(notice !== undefined && { message: notice }),
  farm_id: farmId,
});

const ofUnknownState = (farmId: string, query: Query): Found => ({
  verdict: 'abandon',
  method: 'new',
  protocol: query.protocol ?? 'rdp',
  ready: false,
  state: 'unknown',
  reason_code: unknownReason,
  farm_id: farmId,
});
