import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import type { Chance } from '../../../shared/routing/candidate-order.ts';
import { type Cause, causeOfError, consequenceOf } from '../../../shared/routing/causes.ts';
import { hasSessionAt, keyText, type RoutingFacts } from '../../../shared/routing/facts.ts';
import {
  maintenanceRefusal,
  noticeOf,
  noticeOfRoute,
  refusedBy,
  unknownRefusal,
} from '../../../shared/routing/maintenance-notices.ts';
import { isMaintenanceReason, refusedReason, unknownReason } from '../../../shared/routing/readiness.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import { type Candidate, type Route, route } from '../../../shared/routing/routing.ts';
import { factsOf } from '../../../shared/routing/rule-facts.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import { type Step, type TraceStep, traceOf } from '../../../shared/routing/trace.ts';
import { callFarm, type NodeRequest, probeOpenCircuits } from '../../../shared/sites/calls/farm-calls.ts';
import { isUnreachable } from '../../../shared/sites/calls/order.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import type { RuleTarget } from './targets.ts';

/** The request to a node about a pool. */
export type PoolRequest<T> = (pool: string) => NodeRequest<T>;

/** The answer of one member of a rule, or its error. */
type Result<T> = { ok: true; answer: T } | { ok: false; error: unknown };

/** A member that was called. */
export type Attempt<T> = Step & { result: Result<T>; farm: UserFarm };

/**
 * The answer of a rule with the steps that led to it. `attempt` is the member that the answer is of; absent if no member
 * could be called.
 */
export type RuleOutcome<T> = { routed: Route; attempt?: Attempt<T>; result: Result<T>; trace: TraceStep[] };

export type RuleRequest<T> = {
  request: PoolRequest<T>;
  /** The cause in an answer that is no connection. Default: every answer is a connection. */
  causeIn?: (answer: T) => Cause | undefined;
  onAttempt?: (attempt: Attempt<T>) => void;
};

/**
 * Total time limit of a rule, as a multiple of the time limit of one call: two nodes of an unresponsive farm and one
 * node of the next farm.
 */
const longestCalls = 3;

/**
 * Calls the members of a rule in their order until one gives the user a connection. `consequenceOf` decides what each
 * cause means for the rule. All calls share one deadline.
 * @returns the connection, or the answer or AppError of the member that ended the rule, otherwise of the last member.
 *   If no member could be called, the error of `refusalOf`
 */
export async function callRule<T>(
  ctx: UserCtx,
  target: RuleTarget,
  chance: Chance,
  rule: RuleRequest<T>,
): Promise<RuleOutcome<T>> {
  const { farms } = target.site;
  for (const farm of farms.filter(isUnreachable)) probeOpenCircuits(ctx, farm);
  const signal = AbortSignal.timeout(longestCalls * ctx.parameters['aggregator.call_timeout_ms']);
  const attempts: Attempt<T>[] = [];
  let facts = factsFor(ctx, target.site, target.rule);
  for (;;) {
    const routed = route(facts, chance);
    const candidate = routed.candidates.find((one) => !isIn(attempts, one));
    const farm = candidate && farms.find(({ id }) => id === candidate.farm_id);
    if (!candidate || !farm || signal.aborted) return outcomeOf(target.site, routed, attempts);
    const attempt = await tryCandidate(ctx, target, { facts, candidate, farm, signal }, rule);
    attempts.push(attempt);
    rule.onAttempt?.(attempt);
    if (attempt.cause !== undefined && attempt.consequence === 'remove')
      facts = withoutRight(facts, candidate);
    else if (!isPassedOver(attempt, target.rule)) return outcomeOf(target.site, routed, attempts);
  }
}

/** Without failover the first member decides. The next route may begin with another one, because it is drawn again. */
const isPassedOver = (step: Step, { failover }: RuleRow): boolean =>
  failover && step.cause !== undefined && step.consequence === 'next';

const isIn = (attempts: readonly Step[], one: Candidate): boolean =>
  attempts.some(({ candidate }) => keyText(candidate) === keyText(one));

type Try = { facts: RoutingFacts; candidate: Candidate; farm: UserFarm; signal: AbortSignal };

async function tryCandidate<T>(
  ctx: UserCtx,
  { site }: RuleTarget,
  { facts, candidate, farm, signal }: Try,
  { request, causeIn = () => undefined }: RuleRequest<T>,
): Promise<Attempt<T>> {
  const { principal } = site;
  const pool = candidate.servicepool_uuid;
  const result = await callFarm(ctx, { site, farm, principal, signal }, request(pool)).then(
    (answer): Result<T> => ({ ok: true, answer }),
    (error: unknown): Result<T> => ({ ok: false, error: refusedBy(error, noticeOf(site, farm.id, pool)) }),
  );
  const cause = result.ok ? causeIn(result.answer) : causeOfError(result.error);
  if (cause !== undefined) {
    const consequence = consequenceOf(cause, hasSessionAt(facts, candidate));
    return { candidate, farm, result, cause, consequence };
  }
  if (!result.ok) throw result.error;
  return { candidate, farm, result };
}

function outcomeOf<T>(site: RoutedSite, routed: Route, attempts: Attempt<T>[]): RuleOutcome<T> {
  const trace = traceOf(routed, attempts);
  const attempt = attempts.findLast((one) => one.cause === undefined || one.consequence !== 'remove');
  if (attempt) return { routed, attempt, result: attempt.result, trace };
  const refusal = refusalOf(routed, noticeOfRoute(site, routed));
  const unknown = refusal.code === 'not_found' && attempts.find(({ cause }) => cause === 'not_known_here');
  return { routed, result: unknown ? unknown.result : { ok: false, error: refusal }, trace };
}

/** Returns the current route of the rule. No node is called. */
export const routeOf = (ctx: UserCtx, { site, rule }: RuleTarget, chance: Chance): Route =>
  route(factsFor(ctx, site, rule), chance);

/**
 * The error if there is no candidate: a farm that is down has precedence over maintenance, and maintenance over a
 * missing right. If all farms refuse the user, that is the error.
 */
export function refusalOf({ explain }: Pick<Route, 'explain'>, notice?: string): AppError {
  if (explain.some(({ step }) => step === 'node'))
    return new AppError('upstream_unavailable', 'No farm of the service is reachable');
  if (explain.some(isMaintenanceReason)) return maintenanceRefusal(notice);
  if (explain.some(({ reason }) => reason === unknownReason)) return unknownRefusal();
  const isRefused = explain.length > 0 && explain.every(({ reason }) => reason === refusedReason);
  return isRefused ? new AppError('not_known_here') : notFound();
}

const factsFor = (ctx: UserCtx, site: RoutedSite, rule: RuleRow): RoutingFacts =>
  factsOf(site, rule, cachedLists(site, ctx.parameters, ctx.now), ctx.now);

const withoutRight = (facts: RoutingFacts, refused: Candidate): RoutingFacts => ({
  ...facts,
  members: facts.members.map((member) =>
    keyText(member) === keyText(refused) ? { ...member, entitled: false } : member,
  ),
});
