import type { Db } from '../../db/client.ts';
import { appendTelemetry } from '../../db/repositories/telemetry.ts';
import type { Log } from '../kernel/log.ts';
import { createTelemetry, type Telemetry } from '../kernel/telemetry.ts';

/** Counts in this process or isolate, and hands over to the database, where sidecars add it up. */
export const telemetryInto = (db: Db, log: Log, options: { isHasty?: boolean } = {}): Telemetry =>
  createTelemetry({
    append: async (counts) => {
      await appendTelemetry(db, counts);
    },
    onFailure: (error) => log.warn('what was counted could not be handed over yet', { error }),
    ...options,
  });
