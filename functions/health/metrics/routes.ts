import { cachedReader } from '../cached-reader.ts';
import { type HealthDeps, patienceMs } from '../deps.ts';
import { metricsText } from '../exposition.ts';
import { readMetricsData } from './metrics-data.ts';

/**
 * `GET /aggregator/health/metrics`: always the text format, regardless of `Accept` and of the state of the database.
 */
export function metricsRoute({ db, replica, clock, log, system, rest }: HealthDeps): () => Promise<Response> {
  const read = cachedReader(
    () => readMetricsData({ db, replica }, clock()),
    patienceMs,
    (error) => log.error('the metrics could not be collected', { error }),
    rest,
  );
  return async () => {
    const { value, ageS } = await read();
    const text = await metricsText({ counts: undefined, ...value, system: system.latest() });
    return new Response(text, {
      headers: { 'content-type': 'text/plain; version=0.0.4', age: String(Math.floor(ageS)) },
    });
  };
}
