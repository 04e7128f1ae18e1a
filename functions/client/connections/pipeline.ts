import type { z } from 'zod';
import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { joined, message, term, verbatim } from '../../../shared/messages/message.ts';
import type { Connection, ConnectionLink } from '../../../shared/remotes/dispatcher/connections.ts';
import {
  isMaintenance,
  maintenanceRefusal,
  noticeOf,
  noticeOfRoute,
  unknownRefusal,
} from '../../../shared/routing/maintenance-notices.ts';
import {
  isBlocked,
  isMaintenanceReason,
  refusedReason,
  unknownReason,
} from '../../../shared/routing/readiness.ts';
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
import { countCall, isUnreachable } from '../../../shared/sites/calls/order.ts';
import { assertAllowedLink } from '../../../shared/sites/link-schemes.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import { isLink, linkResponse } from './connection-response.ts';
import { gatewayRouteFor } from './gateway-route.ts';
import { recordIssue } from './issue-record.ts';
import type { ConnectionQuery } from './schema.ts';
import { findTarget, keyOfTarget, type PoolTarget, type RuleTarget, serviceNameOf } from './targets.ts';

/*
 * Steps of a connection: target → route → authorize → call → gateway → record.
 *
 *   target     findTarget       reads the rule or pool of the id with all stored facts; one round trip
 *   route      callPool         uses the farm of the pool, unless the facts forbid a connection
 *              callRule         uses the farm of the best member of the rule; after a failure, of the next member
 *   authorize  callFarm         selects the healthiest node of the farm, then a second one; takes a slot for the call
 *                               and the stored key of the node, or obtains a new key
 *   call       callFarm         sends the request, then updates the circuit breaker of the node
 *   gateway    gatewayRouteFor  selects the gateway for the client and creates a ticket
 *   record     recordIssue      writes the audit event, ticket, last use, affinity and age of the cached service
 *                               list; one round trip
 */

type Query = z.output<typeof ConnectionQuery>;

/** The response of the dispatcher, with the farm and the pool. `reason` and `conflict` are present only for a rule. */
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
 * Returns connection parameters from a node of the service's farm, or of the farm that its rule selects. A node is
 * always called, because it checks the rights of the user again. The issue is written to the audit log.
 * @param accepts what the caller accepts: protocols, and whether a link instead of parameters
 * @returns the parameters, and the name of the service; the name is empty if it is unknown
 * @throws AppError `not_found` for a service that the caller cannot use, `not_acceptable`, `service_in_preparation`,
 *   `upstream_*`
 */
export async function issueConnection(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: Query,
  accepts: { protocols: readonly Connection['protocol'][]; links: boolean },
) {
  const request: PoolRequest<Connection | ConnectionLink> = (pool) => (call) =>
    ctx.deps.dispatchers.connectionInfo(call, pool, query);
  const target = await findTarget(ctx, siteUri, id);
  const { answer, ...found } = await callTarget(ctx, target, request);
  const name = serviceNameOf(target) ?? '';
  const added = { service_id: id, farm_id: found.farm.id, ...conflictOf(found) };
  if (isLink(answer)) {
    if (!accepts.links) throw notAcceptable(accepts.protocols);
    assertAllowedLink(ctx, answer, found.farm);
    await recordIssue(ctx, target, id, { ...found, answer }, undefined);
    return { connection: { ...linkResponse(answer), ...added }, name };
  }
  // A connection that the caller cannot use is not issued.
  if (!accepts.protocols.includes(answer.protocol)) throw notAcceptable(accepts.protocols);
  const gatewayRoute = gatewayRouteFor(ctx, target.site, { ...found, answer });
  await recordIssue(ctx, target, id, { ...found, answer }, gatewayRoute);
  return { connection: { ...(gatewayRoute?.connection ?? answer), ...added }, name };
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
  const chance = { turn: countCall(ctx.deps, target.rule), random: Math.random };
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

/**
 * Total time limit of a rule, as a multiple of the time limit of one call: two nodes of an unresponsive farm and one
 * node of the next farm.
 */
const longestCalls = 3;

export type RuleAnswer<T> = PoolAnswer<T> & { candidate: Candidate; routed: Route };

/**
 * Calls the farm that the rule selects. If no node of it responds and the rule allows failover, calls the next farm. A
 * dispatcher that returns `not_found` has denied access to the pool; this is not a failure.
 * @throws AppError of the last farm; without a candidate see `refusalOf`
 */
export async function callRule<T>(
  ctx: UserCtx,
  { site, rule }: RuleTarget,
  chance: Chance,
  request: PoolRequest<T>,
): Promise<RuleAnswer<T>> {
  const { principal } = site;
  for (const farm of site.farms.filter(isUnreachable)) probeOpenCircuits(ctx, farm);
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

/** @throws the error itself if it is neither a refusal by the dispatcher nor a failure to respond */
function kindOf(error: unknown): 'refusal' | 'failure' {
  const code = error instanceof AppError ? error.code : 'internal';
  if (code === 'not_found') return 'refusal';
  if (code.startsWith('upstream_') || isMaintenance(error)) return 'failure';
  throw error;
}

const refusedBy = (error: unknown, notice: string | undefined): unknown =>
  isMaintenance(error) ? maintenanceRefusal(notice) : error;

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
