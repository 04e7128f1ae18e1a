import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { leases } from '../../../db/schema/jobs/leases.ts';
import { createLease, type Lease } from '../../../functions/health/jobs/process/lease.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';

/** Competes for the lease until the process ends, as a sidecar does. */
export function competeForLease(db: Db, holder: string, log: Log): Lease {
  const stopping = new AbortController().signal;
  const lease = createLease({ db, holder, log, stopping });
  void runEvery(lease.job, log, stopping);
  return lease;
}

/** Expires the lease, so that a test need not wait for that. */
export const expireLease = (db: Db): Promise<unknown> =>
  db.update(leases).set({ expires_at: sql`now() - interval '1 second'` });
