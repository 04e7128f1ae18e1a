import type { Db } from '../../../../db/client.ts';
import { installationCounts } from '../../../../db/repositories/monitoring/installation-counts.ts';
import { noteOwnPortal, type OwnPortal } from '../../../../shared/portals/report.ts';
import { metricsMembers } from '../../exposition.ts';
import type { SystemSampler } from '../../system-sampler.ts';
import type { Job } from './loop.ts';

type PortalReportOptions = { name: string; system: SystemSampler } & Omit<OwnPortal, 'host'>;

/** Reports the portal of this host and its metrics every thirty seconds. */
export function portalReportJob(db: Db, { name, system, ...portal }: PortalReportOptions): Job {
  // The sidecar starts together with the portal.
  const startedAt = new Date();
  return {
    name: 'portal report',
    intervalMs: () => 30_000,
    round: async () => {
      const counts = await installationCounts(db, new Date());
      const sample = system.latest();
      const os = `${sample.identity.os} ${sample.identity.version}`;
      const host = { name, runtime: 'node', os, startedAt } as const;
      await noteOwnPortal(db, { ...portal, host }, metricsMembers({ system: sample, counts }));
    },
  };
}
