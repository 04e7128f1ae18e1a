import type { Db } from '../../../db/client.ts';
import {
  type ExpiringCertificate,
  expiringCertificates,
  reportExpiring,
} from '../../../db/repositories/monitoring/certificates.ts';
import type { MonitoringEntry } from '../../../db/repositories/monitoring/records.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Job } from './process/loop.ts';

/**
 * Days before the expiry of a certificate at which the monitoring journal gets an entry. The last one has the level
 * error.
 */
const warnings = [30, 14, 3] as const;
const lastWarning = 3;

/** Reports certificates that expire soon, once for each number of days. A new certificate starts over. */
export const certificateJob = (db: Db, clock: Clock): Job => ({
  name: 'certificates',
  intervalMs: () => 60_000,
  round: async () => {
    const ending = await expiringCertificates(db, warnings);
    await reportExpiring(
      db,
      ending.map((one) => ({ ...one, record: recordOf(one, clock()) })),
    );
  },
});

function recordOf({ id, name, notAfter, days }: ExpiringCertificate, at: Date): MonitoringEntry {
  const isOver = new Date(notAfter) <= at;
  return {
    at,
    level: days <= lastWarning ? 'error' : 'warning',
    source: 'dispatcher',
    object_type: 'dispatcher',
    object_id: id,
    object_name: name,
    code: 'certificate_ends',
    message: `The certificate of dispatcher ${name} ${isOver ? 'expired' : 'expires'} on ${notAfter}`,
    details: { not_after: notAfter, days },
  };
}
