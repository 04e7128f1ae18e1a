import { eq } from 'drizzle-orm';
import { recordProbes } from '../../../db/repositories/sites/probes.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { probeNode } from '../../../functions/health/jobs/probes/node.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { TestPortal } from '../portal.ts';
import { syncAll } from './snapshot.ts';

const limitMs = 10_000;

/** What the sidecar does with a new node: one probe, and one read of each list. */
export async function readFirst(portal: TestPortal, nodeName: string): Promise<void> {
  const { db, deps } = portal;
  const [row] = await db.select().from(dispatchers).where(eq(dispatchers.name, nodeName));
  if (!row) throw new Error(`there is no node ${nodeName}`);
  const parts = { remote: deps.dispatchers, sealer: deps.sealer, clock: deps.clock, log: deps.log };
  const limits = { limitMs, signal: AbortSignal.timeout(limitMs) };
  const outcome = await probeNode(parts, parametersFrom(null), row, limits);
  await recordProbes(db, [{ ...outcome, age_ms: 0 }]);
  await syncAll(portal, { id: row.farm_id });
}
