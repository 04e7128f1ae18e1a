import type { z } from 'zod';
import { asAppError } from '../../../db/errors.ts';
import {
  certificatesExpiring,
  countAll,
  failedLogins,
  poolsNearFull,
  recentFailures,
  siteOverview,
} from '../../../db/repositories/monitoring/dashboard.ts';
import type { WebuiCtx } from '../deps.ts';
import type { AdminDashboard } from './schema.ts';

type Missing = { error: string };

/** Reads all parts concurrently. A failing part does not affect the others. */
export async function adminDashboard(ctx: WebuiCtx): Promise<z.input<typeof AdminDashboard>> {
  const { db } = ctx.deps;
  const part = <T>(work: Promise<T>): Promise<T | Missing> => orMissing(ctx, work);
  const [counters, sites, nearlyFull, failures, failedCount, certificates] = await Promise.all([
    part(countAll(db, ctx.scope, ctx.now)),
    part(siteOverview(db, ctx.scope)),
    part(poolsNearFull(db, ctx.scope)),
    part(
      recentFailures(db, ctx.scope).then((rows) => rows.map((row) => ({ ...row, at: row.at.toISOString() }))),
    ),
    part(failedLogins(db, ctx.now)),
    part(certificatesExpiring(db, ctx.scope).then((rows) => rows.map(certificateOf))),
  ]);
  return {
    generated_at: ctx.now.toISOString(),
    counters,
    sites,
    pools_near_full: nearlyFull,
    recent_failures: failures,
    failed_logins_24h: failedCount,
    certificates_expiring: certificates,
  };
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
