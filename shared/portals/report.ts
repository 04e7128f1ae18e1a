import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import {
  type InstallationCounts,
  installationCounts,
} from '../../db/repositories/monitoring/installation-counts.ts';
import { type PortalReport, reportPortal } from '../../db/repositories/monitoring/portals.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { foldName } from '../kernel/text.ts';
import { build, type Host, version } from '../kernel/version.ts';
import type { PortalType } from '../modules.ts';

/** Facts about the portal that need no measurement. */
export type OwnPortal = { host: Host; baseUrl: string; portalType: PortalType };

const VersionInfo = z.strictObject({ version: z.string().describe('Version of the portal.') }).optional();
const SystemInfo = z
  .strictObject({
    machine: z.string().describe('Architecture of the machine.'),
    os: z.string().describe('Name of the operating system.'),
    version: z.string().describe('Version of the operating system.'),
  })
  .optional();

/** Members named as in the metrics endpoint. Absent until the portal has reported them. */
export const PortalMetrics = z
  .object({
    version_info: VersionInfo.describe('Labels of the metric `version_info`.'),
    system_info: SystemInfo.describe('Labels of the metric `system_info`.'),
  })
  .catchall(z.number().nullable());

/** Stores the heartbeat of a portal with its report. Registers a portal that is new. */
export const notePortal = (db: Db, report: Omit<PortalReport, 'id' | 'name_key'>): Promise<void> =>
  reportPortal(db, { ...report, id: newId(), name_key: foldName(report.name) });

/** Stores the heartbeat of the portal that owns this database, with the metrics of its host. */
export const noteOwnPortal = (
  db: Db,
  { host, baseUrl, portalType }: OwnPortal,
  metrics: Record<string, unknown>,
): Promise<void> =>
  notePortal(db, {
    name: host.name,
    fqdn: new URL(baseUrl).hostname,
    portal_type: portalType,
    runtime: host.runtime,
    version,
    build,
    os: host.os,
    started_at: host.startedAt,
    metrics,
  });

/** Like `noteOwnPortal`, for a portal without a measurable host. Its metrics are the counts of the database. */
export async function noteEdgePortal(own: OwnPortal & { db: Db; clock: Clock }): Promise<void> {
  const counts = await installationCounts(own.db, own.clock());
  await noteOwnPortal(own.db, own, { version_info: { version }, ...countMembers(counts) });
}

const countMembers = (counts: InstallationCounts): Record<string, number> => ({
  user_session_count: counts.userSessions,
  admin_session_count: counts.adminSessions,
  auth_domain_count: counts.domains,
  farms_count: counts.farms,
  servers_count: counts.servers,
  sites_count: counts.sites,
});
