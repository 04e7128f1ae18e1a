import type { z } from 'zod';
import {
  certificatesExpiring,
  countAll,
  failedLogins,
  recentFailures,
  siteOverview,
} from '../../../db/repositories/dashboard.ts';
import { asAppError } from '../../../shared/http/problem.ts';
import type { WebuiCtx } from '../deps.ts';
import type { AdminDashboard } from './schema.ts';

type Missing = { error: string };

/** What dispatchers own is told by the snapshot of the farms, which is not taken yet. */
const notTaken: Missing = { error: 'not_available' };

/** All parts at once; one that fails costs the others nothing. */
export async function adminDashboard(ctx: WebuiCtx): Promise<z.input<typeof AdminDashboard>> {
  const { db } = ctx.deps;
  const part = <T>(work: Promise<T>): Promise<T | Missing> => orMissing(ctx, work);
  const [counters, sites, failures, failedCount, certificates] = await Promise.all([
    part(countAll(db, ctx.scope, ctx.now)),
    part(siteOverview(db, ctx.scope).then((rows) => rows.map(withoutSnapshot))),
    part(recentFailures(db).then((rows) => rows.map((row) => ({ ...row, at: row.at.toISOString() })))),
    part(failedLogins(db, ctx.now)),
    part(certificatesExpiring(db, ctx.scope).then((rows) => rows.map(certificateOf))),
  ]);
  return {
    generated_at: ctx.now.toISOString(),
    counters:
      'error' in counters
        ? counters
        : { ...counters, workplaces: notTaken, workplaces_in_use: notTaken, sessions: notTaken },
    sites,
    pools_near_full: notTaken,
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

type SiteRow = Awaited<ReturnType<typeof siteOverview>>[number];

const withoutSnapshot = (row: SiteRow) => ({
  ...row,
  pools: notTaken,
  workplaces: notTaken,
  in_use: notTaken,
  sessions: notTaken,
  fetched_at: null,
});

type CertificateRow = Awaited<ReturnType<typeof certificatesExpiring>>[number];

const certificateOf = ({ certificate: { subject, not_after }, ...row }: CertificateRow) => ({
  ...row,
  subject,
  not_after,
});
