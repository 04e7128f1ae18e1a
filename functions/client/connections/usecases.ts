import type { z } from 'zod';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { fanOut, type Outcome } from '../../../shared/fleet/fan-out.ts';
import { callFarm } from '../../../shared/fleet/farm-calls.ts';
import { isLinked, knownDomains } from '../../../shared/fleet/linking.ts';
import { loadUserSite, type UserCtx, type UserFarm, type UserSite } from '../../../shared/fleet/user-site.ts';
import { Answer } from '../../../shared/http/answer.ts';
import { auditEntry } from '../../../shared/http/audit-entry.ts';
import { AppError, conflict, notFound } from '../../../shared/kernel/errors.ts';
import { isId } from '../../../shared/kernel/ids.ts';
import type { ConnectionQuery } from './schema.ts';

type Query = z.output<typeof ConnectionQuery>;
type Target = { site: UserSite; farm: UserFarm; pool: string };

/**
 * Connection parameters from a node of the service's farm; the issue is an audit event.
 * @throws AppError `not_found` for a service that is not the caller's, `service_in_preparation`, `upstream_*`
 */
export async function issueConnection(ctx: UserCtx, siteUri: string, id: string, query: Query) {
  const { site, farm, pool } = await findService(ctx, siteUri, id);
  assertInService(site, farm);
  const connection = await callFarm(ctx, site, farm, site.speaker, (call) =>
    ctx.deps.dispatchers.connectionInfo(call, pool, query),
  );
  const audit = auditEntry(ctx, {
    event: 'aggregator.ConnectionIssued',
    category: 'workplace',
    object_type: 'service',
    object_id: id,
    details: { site: site.uri, farm: farm.name, protocol: connection.protocol, host: connection.host },
  });
  await appendAudit(ctx.deps.db, audit);
  return { ...connection, service_id: id, farm_id: farm.id };
}

/** Whether to connect, to wait or to give up; has no effect anywhere. */
export async function judgeReadiness(
  ctx: UserCtx,
  siteUri: string,
  id: string,
  query: Query,
): Promise<Answer> {
  const { site, farm, pool } = await findService(ctx, siteUri, id);
  if (site.maintenance || farm.maintenance) return new Answer(inMaintenance(farm, query));
  const readiness = await callFarm(ctx, site, farm, site.speaker, (call) =>
    ctx.deps.dispatchers.preconnectionInfo(call, pool, query),
  );
  const wait =
    readiness.verdict === 'wait'
      ? Math.max(1, Math.ceil((readiness.retry_after_ms ?? 1000) / 1000))
      : undefined;
  return new Answer(
    { ...readiness, farm_id: farm.id },
    wait === undefined ? {} : { headers: { 'retry-after': String(wait) } },
  );
}

/**
 * A new link of a live session. Which farm has it nobody here knows, so all are asked; those that do not know the
 * session do nothing.
 */
export async function renewLink(ctx: UserCtx, siteUri: string, sessionUuid: string) {
  const site = await loadUserSite(ctx, siteUri);
  const farms = site.farms.filter((farm) => farm.enabled && isPossible(ctx, farm));
  const outcomes = await fanOut(farms, ctx.actor.parameters['aggregator.call_timeout_ms'], (farm, signal) =>
    callFarm(
      ctx,
      site,
      farm,
      site.speaker,
      (call) => ctx.deps.dispatchers.reconnect(call, sessionUuid),
      signal,
      1,
    ),
  );
  for (const [at, outcome] of outcomes.entries()) {
    const farm = farms[at];
    if (outcome.ok && farm) return { ...outcome.value, session_uuid: sessionUuid, farm_id: farm.id };
  }
  throw worstOf(outcomes) ?? notFound();
}

/** A farm that failed may be the one that has the session. */
const worstOf = (outcomes: readonly Outcome<unknown>[]): unknown =>
  outcomes.flatMap((outcome) => (outcome.ok || isNotFound(outcome.error) ? [] : [outcome.error]))[0];

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';

/** `<farm id>.<pool uuid>`, a farm of this site whose dispatchers know the caller's domain. */
async function findService(ctx: UserCtx, siteUri: string, id: string): Promise<Target> {
  const site = await loadUserSite(ctx, siteUri);
  const [farmId = '', pool = '', ...rest] = id.split('.');
  const farm = site.farms.find((one) => one.id === farmId.toLowerCase() && one.enabled);
  if (!farm || !isId(pool) || rest.length > 0 || !isPossible(ctx, farm)) throw notFound();
  return { site, farm, pool: pool.toLowerCase() };
}

/** Where the farm's domains are not known yet, its dispatcher decides: it gives no key to a label it does not know. */
const isPossible = (ctx: UserCtx, farm: UserFarm): boolean => {
  const domains = knownDomains(farm, ctx.now);
  return domains === undefined || isLinked(domains, ctx.actor.domain.label);
};

function assertInService(site: UserSite, farm: UserFarm): void {
  if (site.maintenance || farm.maintenance) throw conflict('maintenance', 'The service is in maintenance');
}

const inMaintenance = (farm: UserFarm, query: Query) => ({
  verdict: 'abandon' as const,
  method: 'new' as const,
  protocol: query.protocol ?? 'rdp',
  ready: false,
  state: 'maintenance',
  reason_code: 'maintenance',
  farm_id: farm.id,
});
