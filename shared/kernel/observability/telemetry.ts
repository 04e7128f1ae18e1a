/** What is only counted: requests by module, operation, status; attempts at jobs by job, result. */
export type CountedFamily = 'http_requests' | 'jobs';
/** What takes time: requests by module, operation; exchanges by the node that was asked. */
export type TimedFamily = 'http_duration' | 'upstream_duration';

/** One sum since the last writing: of a family, or of a bucket of one that takes time, whose last label is its bound. */
export type Count = readonly [family: string, labels: readonly string[], value: number];

/** Upper bounds of buckets, in seconds; what took longer is in the bucket `+Inf`. */
export const bucketBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts in memory; labels must be members of closed lists, or ids of rows. */
export type Telemetry = {
  count(family: CountedFamily, labels: readonly string[]): void;
  time(family: TimedFamily, labels: readonly string[], seconds: number): void;
  /** True when it is time to hand over what was counted. */
  isDue(): boolean;
  /** Hands it over; never rejects. What could not be handed over is kept, so that it may count twice. */
  flush(): Promise<void>;
};

type Sink = {
  append(counts: readonly Count[]): PromiseLike<unknown>;
  onFailure(error: unknown): void;
  /** Whether the first count is handed over at once: where nobody knows whether there will be a second. */
  isHasty?: boolean;
};

/** Milliseconds, or observations, after which what was counted is handed over. */
const longestMs = 5_000;
const most = 1_000;

/** A buffer for one isolate or process; whoever dies loses at most what it holds. */
export function createTelemetry({ append, onFailure, isHasty = false }: Sink): Telemetry {
  let sums = new Map<string, Count>();
  let observed = 0;
  let flushedAt = isHasty ? Number.NEGATIVE_INFINITY : performance.now();
  const add = ([family, labels, value]: Count): void => {
    const key = [family, ...labels].join('\n');
    sums.set(key, [family, labels, (sums.get(key)?.[2] ?? 0) + value]);
  };
  return {
    count: (family, labels) => {
      observed++;
      add([family, labels, 1]);
    },
    time: (family, labels, seconds) => {
      observed++;
      add([family, [...labels, bucketOf(seconds)], 1]);
      add([`${family}_sum`, labels, seconds]);
    },
    isDue: () => observed > 0 && (observed >= most || performance.now() - flushedAt >= longestMs),
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

/** For whoever has nobody to tell. */
export const noTelemetry: Telemetry = {
  count: () => undefined,
  time: () => undefined,
  isDue: () => false,
  flush: async () => undefined,
};

const bucketOf = (seconds: number): string =>
  String(bucketBounds.find((bound) => seconds <= bound) ?? '+Inf');
