import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { storeFullPool } from '../../../db/repositories/routing/full-pools.ts';
import { storeIssued } from '../../../db/repositories/routing/issued-connections.ts';
import { ageServiceList, cacheServiceLists } from '../../../db/repositories/routing/service-lists.ts';
import { storeLastUse } from '../../../db/repositories/routing/service-preferences.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import type { Connection, ConnectionLink } from '../../../shared/remotes/dispatcher/connections.ts';
import { refusalReasonOf } from '../../../shared/remotes/dispatcher/refusals.ts';
import type { RoutedSite } from '../../../shared/routing/routed-site.ts';
import { cachedLists } from '../../../shared/routing/service-list-cache.ts';
import type { TraceStep } from '../../../shared/routing/trace.ts';
import type { UserCtx, UserFarm } from '../../../shared/sites/user-site.ts';
import type { GatewayRoute } from './gateway-route.ts';
import type { Attempt } from './rule-calls.ts';
import { type PoolTarget, poolNameOf, type RuleTarget, serviceIdOf, serviceNameOf } from './targets.ts';

/** A connection with its pool. `reason` and `passedOver` are those of the rule. */
type IssuedConnection = {
  answer: Connection | ConnectionLink;
  farm: UserFarm;
  pool: string;
  reason?: string;
  passedOver?: TraceStep[];
};

/**
 * In one round trip, writes the audit event, the ticket, the last use of the service and the farm that the rule
 * selected, and marks the cached service list of the farm as stale, because it lacks the new session.
 */
export async function recordIssue(
  ctx: UserCtx,
  target: PoolTarget | RuleTarget,
  id: string,
  issued: IssuedConnection,
  gatewayRoute: GatewayRoute | undefined,
): Promise<void> {
  const { deps, now, parameters } = ctx;
  const { user } = ctx.principal;
  const entry = issueEvent(ctx, target, id, issued, gatewayRoute);
  const isCached = cachedLists(target.site, parameters, now).get(issued.farm.id)?.fresh;
  const staleAt = addSeconds(now, -parameters['aggregator.services_fresh_s']);
  const row = { userId: user.id, farmId: issued.farm.id, pool: issued.pool, at: now };
  const service = { userId: user.id, siteId: target.site.id, serviceId: serviceIdOf(target) };
  await atomically(deps.db, (h) => [
    ...storeLastUse(h, service, now),
    appendAudit(h, entry),
    ...(gatewayRoute ? [gatewayRoute.keep(h)] : []),
    ...(target.kind === 'rule'
      ? [storeIssued(h, { ...row, ruleId: target.rule.id, outcome: 'issued' })]
      : []),
    ...(isCached ? [ageServiceList(h, user.id, issued.farm.id, staleAt)] : []),
  ]);
}

const issueEvent = (
  ctx: UserCtx,
  target: PoolTarget | RuleTarget,
  id: string,
  { answer, farm, pool, reason, passedOver = [] }: IssuedConnection,
  gatewayRoute: GatewayRoute | undefined,
) =>
  auditEntry(ctx, {
    event: 'aggregator.ConnectionIssued',
    category: 'workplace',
    object_type: 'service',
    object_id: id,
    object_name: serviceNameOf(target) ?? pool,
    details: {
      site: target.site.uri,
      farm: farm.name,
      servicepool_uuid: pool,
      servicepool_name: poolNameOf(target, pool),
      session_uuid: answer.session_uuid ?? null,
      protocol: answer.protocol,
      // A link is a secret.
      host: 'host' in answer ? answer.host : null,
      ...(gatewayRoute && { gateway: gatewayRoute.gateway.name }),
      ...(reason !== undefined && { farm_id: farm.id, reason }),
      ...(passedOver.length > 0 && {
        passed_over: passedOver.map(({ farm_id, servicepool_uuid, reason: cause }) => ({
          ...{ farm_id, servicepool_uuid, reason: cause },
        })),
      }),
    },
  });

/** After the response, the refusal of a user replaces the cached service list of the farm. Ignores other errors. */
export function rememberRefusal(
  ctx: UserCtx,
  { principal, routing }: RoutedSite,
  farmId: string,
  error: unknown,
): void {
  const refusal = refusalReasonOf(error);
  if (refusal === undefined) return;
  const of = { user_id: ctx.principal.user.id, farm_id: farmId };
  const under = { subject: principal.subject, entitlement: routing.entitlement, fetched_at: ctx.now };
  const list = { ...of, ...under, services: [], refusal };
  ctx.later(() => Promise.resolve(cacheServiceLists(ctx.deps.db, [list])));
}

/**
 * Remembers, after the response, what a failed request changes for later ones: a member where a machine is prepared or
 * may be prepared comes first for its user, a full pool comes last for a few seconds, and a refusal as `rememberRefusal`.
 */
export const rememberAttempt =
  (ctx: UserCtx, { site, rule }: RuleTarget) =>
  ({ candidate, cause, result }: Attempt<unknown>): void => {
    const { db } = ctx.deps;
    if (!result.ok) rememberRefusal(ctx, site, candidate.farm_id, result.error);
    const { farm_id: farmId, servicepool_uuid: pool } = candidate;
    if (cause === 'no_free_workplace') ctx.later(() => Promise.resolve(storeFullPool(db, farmId, pool)));
    if (cause !== 'preparing' && cause !== 'outcome_unknown') return;
    const row = { userId: ctx.principal.user.id, ruleId: rule.id, farmId, pool, at: ctx.now, outcome: cause };
    ctx.later(() => Promise.resolve(storeIssued(db, row)));
  };
