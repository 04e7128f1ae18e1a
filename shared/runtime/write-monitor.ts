import type { Db } from '../../db/client.ts';
import { checkSpace, checkWrite } from '../../db/repositories/settings/write-check.ts';
import type { Log } from '../kernel/observability/log.ts';
import { createWriteMonitor, type WriteMonitor } from '../kernel/observability/write-monitor.ts';

/**
 * Observes whether the database accepts writes of this process or isolate.
 * @param isSpared the database may suspend, so successful writes stay valid as proof
 */
export const monitorWrites = (db: Db, log: Log, isSpared = false): WriteMonitor =>
  createWriteMonitor({
    isSpared,
    checkWrite: () => checkWrite(db),
    checkSpace: () => checkSpace(db),
    onFailure: (error) => log.error('the database does not accept writes', { error }),
  });
