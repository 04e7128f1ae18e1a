import { eq } from 'drizzle-orm';
import { type PortalReport, reportPortal } from '../../../db/repositories/monitoring/portals.ts';
import { portals } from '../../../db/schema/sites/portals.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { unique } from '../factories.ts';
import type { TestPortal } from '../portal.ts';

/** The row of a portal heartbeat `silentS` seconds ago. */
export async function addPortal(
  { db }: TestPortal,
  { silentS = 0, tags = [], ...given }: Partial<PortalReport> & { silentS?: number; tags?: string[] } = {},
) {
  const name = given.name ?? unique('portal');
  const id = newId();
  await reportPortal(db, {
    id,
    name,
    name_key: name.toLowerCase(),
    fqdn: 'portal.test',
    portal_type: 'universal',
    runtime: 'node',
    version: '7.0',
    build: '7.0.0',
    os: 'Linux 6',
    started_at: new Date(Date.now() - 3_600_000),
    metrics: { version_info: { version: '7.0' }, uptime_seconds: 12.5 },
    ...given,
  });
  const lastSeen = new Date(Date.now() - silentS * 1000);
  await db.update(portals).set({ tags, last_seen_at: lastSeen }).where(eq(portals.name, name));
  return { id, name };
}
