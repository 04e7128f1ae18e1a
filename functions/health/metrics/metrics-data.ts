import type { Db } from '../../../db/client.ts';
import type { Replica } from '../../../db/replica/replica.ts';
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
import type { AllMetricsData } from '../exposition.ts';
import { siteStates } from '../site-states.ts';

const domainTypes = {
  bindAccount: typesWhere(({ supports }) => supports.bindAccount),
  provider: typesWhere(({ login }) => login.proof === 'redirect'),
};

/** Milliseconds that the replica may need to catch up with the primary. */
const catchUpMs = 200;

/**
 * Reads all metrics that come from the database, one query after the other, so that a concurrent health check finds a
 * free connection.
 */
export async function readMetricsData(
  { db: primary, replica }: { db: Db; replica?: Replica | undefined },
  now: Date,
): Promise<Omit<AllMetricsData, 'system'>> {
  const db = (await replica?.orPrimary(primary, catchUpMs)) ?? primary;
  const counts = await installationCounts(db, now);
  const health = await healthFacts(db, workerLivesS);
  const gauges = await fleetGauges(db, domainTypes);
  const totals = await telemetryTotals(db);
  const jobs = await jobsIfAny(db);
  const fleet = { gauges, jobs, sites: siteStates(health), freshS: freshSeconds(health.overrides) };
  return { counts, totals, fleet };
}

/** Before the first start of the queue, its tables do not exist. The other metrics are still reported. */
const jobsIfAny = (db: Db): Promise<JobsWaiting[]> => jobsWaiting(db).catch(() => []);
