import type { Db } from '../../../db/client.ts';
import {
  fleetGauges,
  type JobsWaiting,
  jobsWaiting,
} from '../../../db/repositories/monitoring/fleet-gauges.ts';
import { installationCounts } from '../../../db/repositories/monitoring/installation-counts.ts';
import { telemetryTotals } from '../../../db/repositories/monitoring/telemetry.ts';
import { healthFacts } from '../../../db/repositories/sites/probes.ts';
import { typesWhere } from '../../../shared/identity/domains/registry.ts';
import { freshSeconds } from '../../../shared/kernel/observability/component-state.ts';
import { workerLivesS } from '../deps.ts';
import type { AllFacts } from '../exposition.ts';
import { judgeSites } from '../sites.ts';

const bindAccountTypes = typesWhere(({ supports }) => supports.bindAccount);

/**
 * Everything that the database tells of metrics, one read after the other: however long they take, a health check that
 * comes meanwhile finds a connection.
 */
export async function readFacts(db: Db, now: Date): Promise<Omit<AllFacts, 'system'>> {
  const counts = await installationCounts(db, now);
  const health = await healthFacts(db, workerLivesS);
  const gauges = await fleetGauges(db, bindAccountTypes);
  const totals = await telemetryTotals(db);
  const jobs = await jobsIfAny(db);
  const fleet = { gauges, jobs, sites: judgeSites(health), freshS: freshSeconds(health.overrides) };
  return { counts, totals, fleet };
}

/** Before the first queue has started there is nothing to look into; everything else is told all the same. */
const jobsIfAny = (db: Db): Promise<JobsWaiting[]> => jobsWaiting(db).catch(() => []);
