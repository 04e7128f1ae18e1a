import { type HealthDeps, patienceMs } from '../deps.ts';
import { metricsText } from '../exposition.ts';
import { lastKnown } from '../last-known.ts';
import { readFacts } from './facts.ts';

/** `GET /aggregator/health/metrics`: always the text format, whatever `Accept` says, the database up or down. */
export function tellMetrics({ db, clock, log, system }: HealthDeps): () => Promise<Response> {
  const read = lastKnown(
    () => readFacts(db, clock()),
    patienceMs,
    (error) => log.error('the metrics could not be collected', { error }),
  );
  return async () => {
    const { value } = await read();
    const text = await metricsText({ counts: undefined, ...value, system: system.latest() });
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4' } });
  };
}
