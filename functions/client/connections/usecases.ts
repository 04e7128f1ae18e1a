import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { keepIssued } from '../../../db/repositories/routing/issued-connections.ts';
import { ageServiceList } from '../../../db/repositories/routing/service-lists.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { joined, message, term, verbatim } from '../../../shared/messages/message.ts';
import type { Connection } from '../../../shared/remotes/dispatcher/shapes.ts';
import {
  isMaintenance,
  maintenanceRefusal,
  noticeOf,
  unknownRefusal,
} from '../../../shared/routing/maintenance-notices.ts';
import { isBlocked } from '../../../shared/routing/readiness.ts';
import type { Route } from '../../../shared/routing/routing.ts';
import { callThroughRule, conflictOf } from '../../../shared/routing/rule-calls.ts';
import { poolFacts } from '../../../shared/routing/rule-facts.ts';
import { keptLists } from '../../../shared/routing/service-list-cache.ts';
import { fanOut, type Outcome } from '../../../shared/sites/calls/fan-out.ts';
import { callFarm } from '../../../shared/sites/calls/farm-calls.ts';
import { nextTurn } from '../../../shared/sites/calls/rotation.ts';
import { isAllowedLink } from '../../../shared/sites/links.ts';
import { loadUserSite, type UserCtx, type UserFarm } from '../../../shared/sites/user-site.ts';
import { type Passage, passageFor } from './passage.ts';
import type { ConnectionQuery } from './schema.ts';
import { findTarget, isPossible, keyOfTarget, type PoolTarget, type RuleTarget } from './targets.ts';

type Query = z.output<typeof ConnectionQuery>;
/** A connection, and how the caller came by it. */
type Given = { connection: Connection; farm: UserFarm; pool: string; reason?: string } & Pick<
  Route,
  'conflict'
>;

/**
 * Connection parameters from a node of the service's farm, or of that to which its rule leads. The node is asked, so
 * that a right that has gone meanwhile is gone; the issue is an audit event.
 * @param acceptable protocols in which the caller can be answered
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
  const target = await findTarget(ctx, siteUri, id);
  const given = await (target.kind === 'rule' ? byRule(ctx, target, query) : ofPool(ctx, target, query));
  // What the caller cannot use is not issued.
  if (!acceptable.includes(given.connection.protocol)) throw notAcceptable(acceptable);
  const passage = passageFor(ctx, target.site, given);
  await noteIssue(ctx, target, id, given, passage);
  const { connection, farm } = { ...given, ...passage };
  return { ...connection, service_id: id, farm_id: farm.id, ...conflictOf(given) };
}

export const notAcceptable = (acceptable: readonly Connection['protocol'][]): AppError =>
  new AppError(
    'not_acceptable',
    message('The service is not available over {protocols}', {
      protocols: joined(acceptable.map(verbatim), term(' or ')),
    }),
  );

async function ofPool(ctx: UserCtx, target: PoolTarget, query: Query): Promise<Given> {
  const { site, farm, pool } = target;
  const notice = noticeOf(site, farm.id, pool);
  const facts = poolFacts(site, keptLists(site, ctx.parameters, ctx.now))(keyOfTarget(target));
  if (isBlocked(facts)) throw maintenanceRefusal(notice);
  if (facts.unknown) throw unknownRefusal();
  const connection = await callFarm(ctx, site, farm, site.speaker, (call) =>
    ctx.deps.dispatchers.connectionInfo(call, pool, query),
  ).catch((error: unknown) => {
    throw isMaintenance(error) ? maintenanceRefusal(notice) : error;
  });
  return { connection, farm, pool };
}

async function byRule(ctx: UserCtx, { site, rule }: RuleTarget, query: Query): Promise<Given> {
  const chance = { turn: nextTurn(ctx.deps, rule), random: Math.random };
  const found = await callThroughRule(ctx, site, rule, chance, (call, pool) =>
    ctx.deps.dispatchers.connectionInfo(call, pool, query),
  );
  const { value: connection, farm, candidate, routed } = found;
  return {
    connection,
    farm,
    pool: candidate.servicepool_uuid,
    reason: candidate.reason,
    ...(routed.conflict && { conflict: routed.conflict }),
  };
}

/** The event, the ticket, where the rule led, and that the farm's kept list lacks the new session: one round trip. */
async function noteIssue(
  ctx: UserCtx,
  target: PoolTarget | RuleTarget,
  id: string,
  given: Given,
  passage: Passage | undefined,
): Promise<void> {
  const { deps, now, parameters } = ctx;
  const { user } = ctx.principal;
  const entry = issueEvent(ctx, target, id, given, passage);
  const isKept = keptLists(target.site, parameters, now).get(given.farm.id)?.fresh;
  // The common case needs no transaction.
  if (target.kind === 'pool' && !isKept && !passage) return void (await appendAudit(deps.db, entry));
  const staleAt = addSeconds(now, -parameters['aggregator.services_fresh_s']);
  const issued = { userId: user.id, farmId: given.farm.id, pool: given.pool, at: now };
  await atomically(deps.db, (h) => [
    appendAudit(h, entry),
    ...(passage ? [passage.keep(h)] : []),
    ...(target.kind === 'rule' ? [keepIssued(h, { ...issued, ruleId: target.rule.id })] : []),
    ...(isKept ? [ageServiceList(h, user.id, given.farm.id, staleAt)] : []),
  ]);
}

/** As the snapshot has it, else as the last list of the user has it. */
function poolNameOf(target: PoolTarget | RuleTarget, pool: string): string | null {
  const { routing } = target.site;
  const known = target.kind === 'rule' ? memberIn(target.rule, pool)?.name : routing.pool_name;
  const listed = routing.lists.flatMap(({ services }) => services).find(({ uuid }) => uuid === pool);
  return known ?? listed?.name ?? null;
}

const memberIn = ({ members }: RuleTarget['rule'], pool: string) =>
  members.find(({ servicepool_uuid }) => servicepool_uuid === pool);

const issueEvent = (
  ctx: UserCtx,
  target: PoolTarget | RuleTarget,
  id: string,
  { connection: { protocol, host, session_uuid }, farm, pool, reason }: Given,
  passage: Passage | undefined,
) =>
  auditEntry(ctx, {
    event: 'aggregator.ConnectionIssued',
    category: 'workplace',
    object_type: 'service',
    object_id: id,
    object_name: target.kind === 'rule' ? target.rule.display_name : (poolNameOf(target, pool) ?? pool),
    details: {
      site: target.site.uri,
      farm: farm.name,
      servicepool_uuid: pool,
      servicepool_name: poolNameOf(target, pool),
      session_uuid: session_uuid ?? null,
      protocol,
      host,
      ...(passage && { gateway: passage.gateway.name }),
      ...(reason !== undefined && { farm_id: farm.id, reason }),
    },
  });

/**
 * A new link of a live session. Which farm has it is not known here, so all are asked; those that do not know the
 * session do nothing.
 * @throws AppError `not_found`, `upstream_*`; `upstream_failed` for a link that clients must not open
 */
export async function renewLink(ctx: UserCtx, siteUri: string, sessionUuid: string) {
  const site = await loadUserSite(ctx, siteUri);
  const farms = site.farms.filter((farm) => farm.enabled && isPossible(ctx, farm, ctx.principal));
  const outcomes = await fanOut(farms, ctx.parameters['aggregator.call_timeout_ms'], (farm, signal) =>
    callFarm(
      ctx,
      site,
      farm,
      site.speaker,
      (call) => ctx.deps.dispatchers.reconnect(call, sessionUuid),
      signal,
      'unsent',
    ),
  );
  for (const [at, outcome] of outcomes.entries()) {
    const farm = farms[at];
    if (!outcome.ok || !farm) continue;
    const schemes = ctx.parameters['aggregator.link_schemes'];
    if (!isAllowedLink(outcome.value.link, schemes))
      throw new AppError('upstream_failed', 'The scheme of the link is not allowed', {
        reason: 'link_not_allowed',
        farm: farm.name,
      });
    return { ...outcome.value, session_uuid: sessionUuid, farm_id: farm.id };
  }
  throw worstOf(outcomes) ?? notFound();
}

/** A farm that failed may be the one that has the session. */
const worstOf = (outcomes: readonly Outcome<unknown>[]): unknown =>
  outcomes.flatMap((outcome) => (outcome.ok || isNotFound(outcome.error) ? [] : [outcome.error]))[0];

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';
