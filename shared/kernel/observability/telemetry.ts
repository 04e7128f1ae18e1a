/**
 * Counters: requests by module, operation and status; job attempts by job and result; attempts to deliver an event, and
 * mails, by result.
 */
type CountedFamily = 'http_requests' | 'jobs' | 'webhook_attempts' | 'alert_mails';
/** Duration histograms: requests by module and operation; upstream exchanges by node. */
type TimedFamily = 'http_duration' | 'upstream_duration';

/** A sum since the last flush: of a counter family, or of a histogram bucket, whose last label is its upper bound. */
export type Count = readonly [family: string, labels: readonly string[], value: number];

/** Upper bounds of histogram buckets in seconds. Longer durations are in the bucket `+Inf`. */
export const bucketBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts in memory. Labels must be members of closed lists or ids of rows, so that their number is bounded. */
export type Telemetry = {
  count(family: CountedFamily, labels: readonly string[]): void;
  time(family: TimedFamily, labels: readonly string[], seconds: number): void;
  /** True if the counts should be flushed now. */
  isDue(): boolean;
  /** Writes the counts to the sink; never rejects. Counts that could not be written are kept and may count twice. */
  flush(): Promise<void>;
};

type TelemetrySink = {
  append(counts: readonly Count[]): PromiseLike<unknown>;
  onFailure(error: unknown): void;
  /** Whether the first count is flushed immediately, for runtimes where a second request may never come. */
  isHasty?: boolean;
  /** Counts with these labels wait for others, so that requests of monitors do not keep the database awake. */
  isDeferred?: (labels: readonly string[]) => boolean;
};

/** Milliseconds, or number of observations, after which counts are flushed. */
const flushAfterMs = 5_000;
const flushAfterCount = 1_000;

/** A buffer for one isolate or process. A crash loses the counts that were not flushed. */
export function createTelemetry(sink: TelemetrySink): Telemetry {
  const { append, onFailure, isHasty = false, isDeferred = () => false } = sink;
  let sums = new Map<string, Count>();
  let observed = 0;
  let flushedAt = isHasty ? Number.NEGATIVE_INFINITY : performance.now();
  const add = ([family, labels, value]: Count): void => {
    const key = [family, ...labels].join('\n');
    sums.set(key, [family, labels, (sums.get(key)?.[2] ?? 0) + value]);
  };
  return {
    count: (family, labels) => {
      if (!isDeferred(labels)) observed++;
      add([family, labels, 1]);
    },
    time: (family, labels, seconds) => {
      if (!isDeferred(labels)) observed++;
      add([family, [...labels, bucketOf(seconds)], 1]);
      add([`${family}_sum`, labels, seconds]);
    },
    isDue: () =>
      observed > 0 && (observed >= flushAfterCount || performance.now() - flushedAt >= flushAfterMs),
    flush: async () => {
      const taken = [...sums.values()];
      sums = new Map();
      observed = 0;
      flushedAt = performance.now();
      if (taken.length === 0) return;
      try {
        await append(taken);
      } catch (error) {
        for (const count of taken) add(count);
        observed++;
        onFailure(error);
      }
    },
  };
}

/** Discards all counts. */
export const noTelemetry: Telemetry = {
  count: () => undefined,
  time: () => undefined,
  isDue: () => false,
  flush: async () => undefined,
};

const bucketOf = (seconds: number): string =>
  String(bucketBounds.find((bound) => seconds <= bound) ?? '+Inf');
