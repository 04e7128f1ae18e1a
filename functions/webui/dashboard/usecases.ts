import type { z } from 'zod';
import { asAppError } from '../../../db/errors.ts';
import { maintenanceOverview } from '../../../db/repositories/maintenance/overview.ts';
import {
  certificatesExpiring,
  countAll,
  failedLogins,
  poolsNearFull,
  siteOverview,
} from '../../../db/repositories/monitoring/dashboard.ts';
import { failureGroups } from '../../../db/repositories/monitoring/failures.ts';
import {
  farmOverview,
  gatewayOverview,
  nodeOverview,
} from '../../../db/repositories/monitoring/fleet-overview.ts';
import type { Scope } from '../../../db/repositories/records/scope.ts';
import type { WebuiCtx } from '../deps.ts';
import type { AdminDashboard } from './schema.ts';

type Missing = { error: string };

/**
 * Reads all parts concurrently. A failing part does not affect the others.
 * @param siteId limits the parts to one site
 */
export async function adminDashboard(
  ctx: WebuiCtx,
  siteId?: string,
): Promise<z.input<typeof AdminDashboard>> {
  const { now } = ctx;
  const scope = siteId === undefined ? ctx.scope : onlySite(ctx.scope, siteId);
  const { db } = ctx.deps;
  const part = <T>(work: Promise<T>): Promise<T | Missing> => orMissing(ctx, work);
  const parts = {
    counters: part(countAll(db, scope, now)),
    sites: part(siteOverview(db, scope)),
    farms: part(farmOverview(db, scope)),
    nodes: part(nodeOverview(db, scope)),
    gateways: part(gatewayOverview(db, scope)),
    maintenance: part(maintenanceOverview(db, scope)),
    pools_near_full: part(poolsNearFull(db, scope)),
    recent_failures: part(failureGroups(db, scope)),
    failed_logins_24h: part(failedLogins(db, now)),
    certificates_expiring: part(certificatesExpiring(db, scope).then((rows) => rows.map(certificateOf))),
  };
  return { generated_at: now.toISOString(), ...(await allOf(parts)) };
}

const onlySite = (scope: Scope, siteId: string): Scope =>
  scope === '*' || scope.includes(siteId) ? [siteId] : [];

/** Waits for all members. */
async function allOf<T extends object>(works: { [Key in keyof T]: Promise<T[Key]> }): Promise<T> {
  const entries = Object.entries<Promise<unknown>>(works).map(async ([name, work]) => [name, await work]);
  return Object.fromEntries(await Promise.all(entries));
}

async function orMissing<T>({ log, requestId }: WebuiCtx, work: Promise<T>): Promise<T | Missing> {
  try {
    return await work;
  } catch (error) {
    log.error('a part of the dashboard failed', { request_id: requestId, error });
    return { error: asAppError(error).code };
  }
}

type CertificateRow = Awaited<ReturnType<typeof certificatesExpiring>>[number];

const certificateOf = ({ certificate: { subject, not_after }, ...row }: CertificateRow) => ({
  ...row,
  subject,
  not_after,
});
