import { installationCounts } from '../../../db/repositories/installation-counts.ts';
import { type HealthDeps, patienceMs } from '../deps.ts';
import { metricsText } from '../exposition.ts';
import { lastKnown } from '../last-known.ts';

/** `GET /aggregator/health/metrics`: always the text format, whatever `Accept` says, the database up or down. */
export function tellMetrics({ db, clock, log, system }: HealthDeps): () => Promise<Response> {
  const read = lastKnown(
    () => installationCounts(db, clock()),
    patienceMs,
    (error) => log.error('metrics could not be counted', { error }),
  );
  return async () => {
    const { value } = await read();
    const text = await metricsText({ system: system.latest(), counts: value });
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4' } });
  };
}
