import type { z } from 'zod';
import type { RuleRow } from '../../../db/repositories/routing/facts.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { joined, message, term, verbatim } from '../../../shared/messages/message.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';
import {
  isMaintenance,
  maintenanceRefusal,
  noticeOf,
  noticeOfRoute,
  unknownRefusal,
} from '../../../shared/routing/maintenance-notices.ts';
import { isBlocked, isMaintenanceReason, unknownReason } from '../../../shared/routing/readiness.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import {
  type Candidate,
  type Chance,
  conflictOf,
  keyText,
  type LiveSession,
  type Route,
  type RoutingFacts,
  route,
} from '../../../shared/routing/routing.ts';
import { factsOf, poolFacts } from '../../../shared/routing/rule-facts.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import { callFarm, type NodeRequest, probeOpenCircuits } from '../../../shared/sites/calls/farm-calls.ts';
import { isCut, nextTurn } from '../../../shared/sites/calls/order.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import { gatewayRouteFor } from './gateway-route.ts';
import { recordIssue } from './issue-record.ts';
import type { ConnectionQuery } from './schema.ts';
import { findTarget, keyOfTarget, type PoolTarget, type RuleTarget } from './targets.ts';

/*
 * How a connection is made: target → route → authorize node → call → record.
 *
 *   target     findTarget       the rule or pool of the identifier, with all stored facts; one round trip
 *   route      callPool         the farm of the pool, unless its facts forbid a connection
 *              callRule         the farm of the best member of the rule; after a failure the next member
 *   authorize  callFarm         the healthiest node of the farm, then one further; a slot for the call; the stored key of
 *                               the node or a new one
 *   call       callFarm         the request itself, then the record of the node's circuit
 *   gateway    gatewayRouteFor  the gateway that the client connects through, with a ticket
 *   record     recordIssue      audit event, ticket, affinity and age of the cached service list; one round trip
 */

type Query = z.output<typeof ConnectionQuery>;

/** What the dispatcher answered, and where the pool is. `reason` and `conflict` are those of a rule. */
export type PoolAnswer<T> = {
  answer: T;
  farm: UserFarm;
  pool: string;
  reason?: string;
  conflict?: LiveSession[];
};

/** The request to a node about a pool. */
type PoolRequest<T> = (pool: string) => NodeRequest<T>;

/**
 * Connection parameters from a node of the service's farm, or of the farm that its rule leads to. A node is always called,
 * because it checks the right of the user again; the issue is an audit event.
 * @param acceptable protocols that the caller accepts
 * @throws AppError `not_found` for a service that is not the caller's, `not_acceptable`, `service_in_preparation`,
 *   `upstream_*`
 */
export async function issueConnection(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: Query,
  acceptable: readonly Connection['protocol'][],
) {
  const request: PoolRequest<Connection> = (pool) => (call) =>
    ctx.deps.dispatchers.connectionInfo(call, pool, query);
  const target = await findTarget(ctx, siteUri, id);
  const result = await callTarget(ctx, target, request);
  // A connection that the caller cannot use is not issued.
  if (!acceptable.includes(result.answer.protocol)) throw notAcceptable(acceptable);
  const gatewayRoute = gatewayRouteFor(ctx, target.site, result);
  await recordIssue(ctx, target, id, result, gatewayRoute);
  const connection = gatewayRoute?.connection ?? result.answer;
  return { ...connection, service_id: id, farm_id: result.farm.id, ...conflictOf(result) };
}

export const notAcceptable = (acceptable: readonly Connection['protocol'][]): AppError =>
  new AppError(
    'not_acceptable',
    message('The service is not available over {protocols}', {
      protocols: joined(acceptable.map(verbatim), term(' or ')),
    }),
  );

async function callTarget<T>(
  ctx: UserCtx,
  target: PoolTarget | RuleTarget,
  request: PoolRequest<T>,
): Promise<PoolAnswer<T>> {
  if (target.kind === 'pool') return callPool(ctx, target, request);
  const chance = { turn: nextTurn(ctx.deps, target.rule), random: Math.random };
  const { routed, candidate, ...result } = await callRule(ctx, target, chance, request);
  return { ...result, reason: candidate.reason, ...(routed.conflict && { conflict: routed.conflict }) };
}

async function callPool<T>(
  ctx: UserCtx,
  target: PoolTarget,
  request: PoolRequest<T>,
): Promise<PoolAnswer<T>> {
  const { site, farm, pool } = target;
  const notice = noticeOf(site, farm.id, pool);
  const facts = poolFacts(site, cachedLists(site, ctx.parameters, ctx.now))(keyOfTarget(target));
  if (isBlocked(facts)) throw maintenanceRefusal(notice);
  if (facts.unknown) throw unknownRefusal();
  try {
    const answer = await callFarm(ctx, { site, farm, principal: site.principal }, request(pool));
    return { answer, farm, pool };
  } catch (error) {
    throw refusedBy(error, notice);
  }
}

/** The time limit of a call of a rule, in time limits of one call: two nodes of a farm that hangs, and one of the next. */
const longestCalls = 3;

export type RuleAnswer<T> = PoolAnswer<T> & { candidate: Candidate; routed: Route };

/**
 * Calls the farm that the rule leads to, and the next one when no node of it could answer, if the rule fails over. A
 * dispatcher that does not know the pool for the user has decided about the right, which is not a failure.
 * @throws AppError of the last farm; without a candidate see `refusalOf`
 */
export async function callRule<T>(
  ctx: UserCtx,
  { site, rule }: RuleTarget,
  chance: Chance,
  request: PoolRequest<T>,
): Promise<RuleAnswer<T>> {
  const { principal } = site;
  for (const farm of site.farms.filter(isCut)) probeOpenCircuits(ctx, farm);
  const signal = AbortSignal.timeout(longestCalls * ctx.parameters['aggregator.call_timeout_ms']);
  const failures = new Map<string, unknown>();
  let facts = factsFor(ctx, site, rule);
  for (;;) {
    const routed = route(facts, chance);
    const candidate = routed.candidates.find((one) => !failures.has(keyText(one)));
    const farm = candidate && site.farms.find(({ id }) => id === candidate.farm_id);
    if (!candidate || !farm || signal.aborted)
      throw [...failures.values()].at(-1) ?? refusalOf(routed, noticeOfRoute(site, routed));
    const pool = candidate.servicepool_uuid;
    try {
      const answer = await callFarm(ctx, { site, farm, principal, signal }, request(pool));
      return { answer, farm, pool, candidate, routed };
    } catch (error) {
      if (kindOf(error) === 'refusal') facts = withoutRight(facts, candidate);
      else failures.set(keyText(candidate), refusedBy(error, noticeOf(site, farm.id, pool)));
    }
  }
}

/** @throws the error if it is neither a refusal by the dispatcher nor a failure to answer: then it is the answer */
function kindOf(error: unknown): 'refusal' | 'failure' {
  const code = error instanceof AppError ? error.code : 'internal';
  if (code === 'not_found') return 'refusal';
  if (code.startsWith('upstream_') || isMaintenance(error)) return 'failure';
  throw error;
}

const refusedBy = (error: unknown, notice: string | undefined): unknown =>
  isMaintenance(error) ? maintenanceRefusal(notice) : error;

/** The route of the rule at this moment; no node is called. */
export const routeOf = (ctx: UserCtx, { site, rule }: RuleTarget, chance: Chance): Route =>
  route(factsFor(ctx, site, rule), chance);

/** Why there is no candidate: a farm that is down, then a maintenance, then a missing right. */
export function refusalOf({ explain }: Pick<Route, 'explain'>, notice?: string): AppError {
  if (explain.some(({ step }) => step === 'node'))
    return new AppError('upstream_unavailable', 'No farm of the service is reachable');
  if (explain.some(isMaintenanceReason)) return maintenanceRefusal(notice);
  return explain.some(({ reason }) => reason === unknownReason) ? unknownRefusal() : notFound();
}

const factsFor = (ctx: UserCtx, site: RoutedSite, rule: RuleRow): RoutingFacts =>
  factsOf(site, rule, cachedLists(site, ctx.parameters, ctx.now), ctx.now);

const withoutRight = (facts: RoutingFacts, refused: Candidate): RoutingFacts => ({
  ...facts,
  members: facts.members.map((member) =>
    keyText(member) === keyText(refused) ? { ...member, entitled: false } : member,
  ),
});
