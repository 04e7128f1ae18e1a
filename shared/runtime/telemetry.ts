import type { Db } from '../../db/client.ts';
import { appendTelemetry } from '../../db/repositories/monitoring/telemetry.ts';
import type { Log } from '../kernel/observability/log.ts';
import { createTelemetry, type Telemetry } from '../kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../kernel/observability/write-monitor.ts';

type TelemetryOptions = {
  isHasty?: boolean;
  isDeferred?: (labels: readonly string[]) => boolean;
  /** Observes the writes, which are the most regular ones of a portal. */
  writes?: WriteMonitor;
};

/** Counts in this process or isolate, and writes batches to the database, where sidecars add them to the sums. */
export const telemetryInto = (db: Db, log: Log, { writes, ...options }: TelemetryOptions = {}): Telemetry =>
  createTelemetry({
    append: async (counts) => {
      const append = async () => void (await appendTelemetry(db, counts));
      await (writes ? writes.observe(append) : append());
    },
    onFailure: (error) => log.warn('telemetry could not be written and will be retried', { error }),
    ...options,
  });
