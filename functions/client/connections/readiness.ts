import type { z } from 'zod';
import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { causeOfReadiness } from '../../../shared/routing/causes.ts';
import { noticeOf, noticeOfRoute } from '../../../shared/routing/maintenance-notices.ts';
import { isBlocked, isMaintenanceReason, stateOf, unknownReason } from '../../../shared/routing/readiness.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import { conflictOf, type Route } from '../../../shared/routing/routing.ts';
import { poolFacts, serviceIn } from '../../../shared/routing/rule-facts.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import type { TraceStep } from '../../../shared/routing/trace.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { currentCallCount } from '../../../shared/sites/calls/order.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';
import { isClosed } from './gateway-route.ts';
import { callRule, type RuleOutcome, refusalOf, routeOf } from './rule-calls.ts';
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
  if (!site.own) return judgeForOther(ctx, target, routeOf(ctx, target, chance), query);
  const { routed, attempt, result, trace } = await callRule(ctx, target, chance, {
    request: (pool) => (call) => ctx.deps.dispatchers.preconnectionInfo(call, pool, clientParameters(query)),
    causeIn: causeOfReadiness,
  });
  const report = reportOf(routed, trace, rule, query);
  if (!attempt) return refused(site, routed, result, report, query);
  if (!result.ok) throw withReport(result.error, report);
  const { farm_id, servicepool_uuid } = attempt.candidate;
  return { ...withNotice(result.answer, noticeOf(site, farm_id, servicepool_uuid)), farm_id, ...report };
}

/** From stored data: dispatchers are not called in the name of another user. */
function judgeForOther(ctx: UserCtx, target: RuleTarget, routed: Route, query: Query): Found {
  const { site, rule } = target;
  const report = reportOf(routed, routed.explain, rule, query);
  const [first] = routed.candidates;
  const farm = site.farms.find(({ id }) => id === first?.farm_id);
  if (!first || !farm) return refused(site, routed, { ok: false, error: refusalOf(routed) }, report, query);
  return { ...asKnown(ctx, { site, farm, pool: first.servicepool_uuid }, query), ...report };
}

const clientParameters = ({ protocol, client_version, hostname }: Query) => ({
  protocol,
  client_version,
  hostname,
});

type Report = ReturnType<typeof reportOf>;

/** Maintenance and an unknown state are verdicts. Any other reason without a candidate is an error. */
function refused(
  site: RoutedSite,
  routed: Route,
  result: RuleOutcome<unknown>['result'],
  report: Report,
  query: Query,
): Found {
  const error = result.ok ? notFound() : result.error;
  const isVerdict = error instanceof AppError && error.code === 'invalid_state';
  const maintained = routed.explain.find(isMaintenanceReason);
  const unknown = routed.explain.find(({ reason }) => reason === unknownReason);
  if (isVerdict && maintained)
    return { ...inMaintenance(maintained.farm_id, query, noticeOfRoute(site, routed)), ...report };
  if (isVerdict && unknown) return { ...ofUnknownState(unknown.farm_id, query), ...report };
  throw withReport(error, report);
}

const reportOf = (
  routed: Pick<Route, 'conflict'>,
  trace: readonly TraceStep[],
  { id }: RuleRow,
  { explain }: Query,
) => ({
  ...conflictOf(routed),
  ...(explain && { explain: trace.map((step) => ({ rule_id: id, ...step })) }),
});

/** Adds the report to the error, because the explanation is needed most when a connection fails. */
const withReport = (error: unknown, report: Report): unknown =>
  error instanceof AppError
    ? new AppError(error.code, error.detail, { ...error.members, ...report }, { cause: error })
    : error;

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
