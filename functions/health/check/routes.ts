import { healthFacts } from '../../../db/repositories/sites/probes.ts';
import { withCharset } from '../../../shared/http/serve/answer.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { cachedReader } from '../cached-reader.ts';
import { type HealthDeps, patienceMs, workerLivesS } from '../deps.ts';
import type { HealthReport, HealthSummary } from './schema.ts';
import { brokerName, type HealthInput, reportHealth, summarizeSite } from './usecases.ts';

export type HealthCheck = {
  /** `GET /aggregator/health/check` */
  report(): Promise<Response>;
  /**
   * `GET /aggregator/health/check/{key}`: the summary of the installation, or of the site with this URI.
   * @throws AppError `not_found` if there is no such site
   */
  summary(site: string | undefined): Promise<Response>;
};

/** Responses are plain JSON. The HTTP status is 503 if the result is `fail`. */
export function checkHealth({ db, databaseUrl, log, collectors, writes, rest }: HealthDeps): HealthCheck {
  const broker = brokerName(databaseUrl);
  const startedAt = performance.now();
  const read = cachedReader(
    () => healthFacts(db, workerLivesS),
    patienceMs,
    (error) => log.error('the health data could not be read', { error }),
    rest,
  );
  const readAll = async (): Promise<HealthInput> => {
    const [data, isWritable] = await Promise.all([read(), writes.acceptsWrites()]);
    return { ...data, isWritable, servingS: (performance.now() - startedAt) / 1000 };
  };
  return {
    report: async () => {
      const data = await readAll();
      return answer(reportHealth(data, broker, collectors), data.ageS);
    },
    summary: async (site) => {
      const data = await readAll();
      if (site !== undefined) return answer(summarizeSite(data, site) ?? noSuchSite(), data.ageS);
      const { version, status } = reportHealth(data, broker, collectors);
      return answer({ version, status }, data.ageS);
    },
  };
}

function noSuchSite(): never {
  throw new AppError('not_found', 'No site has the uri in `site`');
}

/** @param ageS age of the data, 0 unless it comes from memory */
const answer = (body: HealthReport | HealthSummary, ageS: number): Response =>
  new Response(JSON.stringify(body), {
    status: body.status === 'pass' ? 200 : 503,
    headers: { 'content-type': withCharset('application/json'), age: String(Math.floor(ageS)) },
  });
