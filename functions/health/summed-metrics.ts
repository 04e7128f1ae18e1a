import { Counter, Histogram, type Registry } from 'prom-client';
import type { Sum } from '../../db/repositories/monitoring/telemetry.ts';
import { bucketBounds } from '../../shared/kernel/observability/telemetry.ts';

type Family = { name: string; help: string; labelNames: string[] };

/** Families whose values the database sums over all processes, by the name of the sum. */
export function addTotals(registry: Registry, sums: readonly Sum[]): void {
  const byFamily = Map.groupBy(sums, ({ family }) => family);
  const registers = [registry];
  for (const [family, configuration] of Object.entries(counters)) {
    const counter = new Counter({ ...configuration, registers });
    for (const { labels, value } of byFamily.get(family) ?? [])
      counter.inc(labelled(configuration, labels), value);
  }
  for (const [family, configuration] of Object.entries(timed)) {
    const buckets = byFamily.get(family) ?? [];
    registry.registerMetric(new SummedHistogram(configuration, buckets, byFamily.get(`${family}_sum`) ?? []));
  }
}

const counters: Readonly<Record<string, Family>> = {
  http_requests: {
    name: 'aggregator_http_requests_total',
    help: 'Requests that received a response',
    labelNames: ['module', 'operation', 'status'],
  },
  logins: {
    name: 'aggregator_logins_total',
    help: 'Login attempts by result',
    labelNames: ['result'],
  },
  jobs: {
    name: 'aggregator_jobs_total',
    help: 'Runs of scheduled tasks and job attempts of all sidecars',
    labelNames: ['job', 'result'],
  },
  webhook_attempts: {
    name: 'aggregator_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook by result: delivered, failed, dead or skipped',
    labelNames: ['result'],
  },
  alert_mails: {
    name: 'aggregator_alert_mails_total',
    help: 'Mails about critical monitoring records by result: sent or failed',
    labelNames: ['result'],
  },
};

const timed: Readonly<Record<string, Family>> = {
  http_duration: {
    name: 'aggregator_http_request_duration_seconds',
    help: 'Time until the response headers',
    labelNames: ['module', 'operation'],
  },
  upstream_duration: {
    name: 'aggregator_upstream_duration_seconds',
    help: 'Duration of one call to a dispatcher of the site, including failed calls',
    labelNames: ['site'],
  },
};

type Labels = Record<string, string>;
type Point = { metricName: string; labels: Labels; value: number };

const labelled = ({ labelNames }: Family, values: readonly string[]): Labels =>
  Object.fromEntries(labelNames.map((name, at) => [name, values[at] ?? '']));

/**
 * A histogram without its own observations: its buckets come from the database as separate counts and are accumulated
 * here.
 */
class SummedHistogram extends Histogram {
  readonly #family: Pick<Family, 'name' | 'help'>;
  readonly #points: Point[];

  constructor(family: Family, buckets: readonly Sum[], sums: readonly Sum[]) {
    super({ ...family, registers: [] });
    this.#family = family;
    const owners = Map.groupBy(buckets, ({ labels }) => JSON.stringify(labels.slice(0, -1)));
    const totals = new Map(sums.map(({ labels, value }) => [JSON.stringify(labels), value]));
    this.#points = [...owners].flatMap(([key, own]) =>
      pointsOf(family.name, labelled(family, JSON.parse(key)), own, totals.get(key) ?? 0),
    );
  }

  /** Called by the registry; returns the points from the database instead of observations. */
  async getForPromString() {
    return { ...this.#family, type: 'histogram', values: this.#points };
  }
}

function pointsOf(name: string, labels: Labels, buckets: readonly Sum[], sum: number): Point[] {
  const counts = new Map(buckets.map((bucket) => [bucket.labels.at(-1), bucket.value]));
  let total = 0;
  const points = [...bucketBounds.map(String), '+Inf'].map((le) => {
    total += counts.get(le) ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...points,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
