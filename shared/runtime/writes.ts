import type { Db } from '../../db/client.ts';
import { checkSpace, checkWrite } from '../../db/repositories/settings/write-check.ts';
import type { Log } from '../kernel/observability/log.ts';
import { createWriteWitness, type WriteWitness } from '../kernel/observability/write-witness.ts';

/** Observes whether the database accepts writes of this process or isolate. */
export const watchWrites = (db: Db, log: Log): WriteWitness =>
  createWriteWitness({
    checkWrite: () => checkWrite(db),
    checkSpace: () => checkSpace(db),
    onFailure: (error) => log.error('the database does not accept writes', { error }),
  });
