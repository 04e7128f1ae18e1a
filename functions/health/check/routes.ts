import { healthFacts } from '../../../db/repositories/probes.ts';
import { type HealthDeps, patienceMs, workerLivesS } from '../deps.ts';
import { lastKnown } from '../last-known.ts';
import { brokerName, reportHealth } from './usecases.ts';

/** `GET /aggregator/health/check`: plain JSON whatever the result, 503 when it is `fail`. */
export function checkHealth({
  db,
  databaseUrl,
  log,
  collectors,
  writes,
}: HealthDeps): () => Promise<Response> {
  const broker = brokerName(databaseUrl);
  const read = lastKnown(
    () => healthFacts(db, workerLivesS),
    patienceMs,
    (error) => log.error('health facts could not be read', { error }),
  );
  return async () => {
    const [known, isWritable] = await Promise.all([read(), writes.acceptsWrites()]);
    const report = reportHealth({ ...known, isWritable }, broker, collectors);
    return new Response(JSON.stringify(report), {
      status: report.status === 'pass' ? 200 : 503,
      headers: { 'content-type': 'application/json' },
    });
  };
}
