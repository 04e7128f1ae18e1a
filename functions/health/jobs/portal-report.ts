import type { Db } from '../../../db/client.ts';
import { installationCounts } from '../../../db/repositories/installation-counts.ts';
import { reportPortal } from '../../../db/repositories/portals.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { build, version } from '../../../shared/kernel/version.ts';
import type { PortalType } from '../../../shared/modules.ts';
import { metricsMembers } from '../exposition.ts';
import type { SystemSampler } from '../system.ts';
import type { Job } from './loop.ts';

type Reported = { name: string; baseUrl: string; portalType: PortalType; system: SystemSampler };

/** Reports the portal of this host every fifteen seconds: that it lives, and its metrics. */
export function portalReportJob(db: Db, { name, baseUrl, portalType, system }: Reported): Job {
  // The portal and its sidecar are started together.
  const startedAt = new Date();
  return {
    name: 'portal report',
    intervalMs: () => 15_000,
    round: async () => {
      const counts = await installationCounts(db, new Date());
      const sample = system.latest();
      await reportPortal(db, {
        id: newId(),
        name,
        name_key: foldName(name),
        fqdn: new URL(baseUrl).hostname,
        portal_type: portalType,
        runtime: 'node',
        version,
        build,
        os: `${sample.identity.os} ${sample.identity.version}`,
        started_at: startedAt,
        metrics: metricsMembers({ system: sample, counts }),
      });
    },
  };
}
