import type { z } from 'zod';
import { AppError } from '../../../shared/kernel/errors.ts';
import { joined, message, term, verbatim } from '../../../shared/messages/message.ts';
import type { Connection, ConnectionLink } from '../../../shared/remotes/dispatcher/connections.ts';
import type { LiveSession } from '../../../shared/routing/facts.ts';
import {
  maintenanceRefusal,
  noticeOf,
  refusedBy,
  unknownRefusal,
} from '../../../shared/routing/maintenance-notices.ts';
import { isBlocked } from '../../../shared/routing/readiness.ts';
import { conflictOf } from '../../../shared/routing/routing.ts';
import { poolFacts } from '../../../shared/routing/rule-facts.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import type { TraceStep } from '../../../shared/routing/trace.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { countCall } from '../../../shared/sites/calls/order.ts';
import { assertAllowedLink } from '../../../shared/sites/link-schemes.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import { isLink, linkResponse } from './connection-response.ts';
import { gatewayRouteFor } from './gateway-route.ts';
import { recordIssue, rememberAttempt, rememberRefusal } from './issue-record.ts';
import { callRule, type PoolRequest } from './rule-calls.ts';
import type { ConnectionQuery } from './schema.ts';
import { findTarget, keyOfTarget, type PoolTarget, type RuleTarget, serviceNameOf } from './targets.ts';

/*
 * Steps of a connection: target → route → authorize → call → gateway → record.
 *
 *   target     findTarget       reads the rule or pool of the id with all stored facts; one round trip
 *   route      callPool         uses the farm of the pool, unless the facts forbid a connection
 *              callRule         uses the farm of the best member of the rule; `causes.ts` decides when it goes on
 *   authorize  callFarm         selects the healthiest node of the farm, then a second one; takes a slot for the call
 *                               and the stored key of the node, or obtains a new key
 *   call       callFarm         sends the request, then updates the circuit breaker of the node
 *   gateway    gatewayRouteFor  selects the gateway for the client and creates a ticket
 *   record     recordIssue      writes the audit event, ticket, last use, affinity and age of the cached service
 *                               list; one round trip
 */

type Query = z.output<typeof ConnectionQuery>;

/**
 * The response of the dispatcher, with the farm and the pool. The other members are present only for a rule: why the
 * member has its place, and the members that were tried before it.
 */
type PoolAnswer<T> = {
  answer: T;
  farm: UserFarm;
  pool: string;
  reason?: string;
  passedOver?: TraceStep[];
  conflict?: LiveSession[];
};

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
  const onAttempt = rememberAttempt(ctx, target);
  const { routed, attempt, result, trace } = await callRule(ctx, target, chance, { request, onAttempt });
  if (!result.ok) throw result.error;
  if (!attempt) throw new Error('an answer is that of a member');
  const { farm, candidate } = attempt;
  return {
    answer: result.answer,
    ...{ farm, pool: candidate.servicepool_uuid, reason: candidate.reason },
    passedOver: trace.filter(({ outcome }) => outcome === 'passed_over'),
    ...(routed.conflict && { conflict: routed.conflict }),
  };
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
    rememberRefusal(ctx, site, farm.id, error);
    throw refusedBy(error, notice);
  }
}
