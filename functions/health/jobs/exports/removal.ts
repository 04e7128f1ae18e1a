import type { Db } from '../../../../db/client.ts';
import {
  findRemovableExports,
  forgetFile,
  giveUpLateExports,
} from '../../../../db/repositories/exported-files.ts';
import type { Log } from '../../../../shared/kernel/log.ts';
import type { Stores } from './stores.ts';

type Parts = { db: Db; stores: Stores; log: Log };

const atOnce = 100;

/** Removes the files of exports that have expired or failed; one that cannot be removed keeps none of the others. */
export async function removeOldFiles(parts: Parts, signal: AbortSignal): Promise<void> {
  const { db } = parts;
  await giveUpLateExports(db);
  for (let removed = atOnce; removed === atOnce && !signal.aborted; ) {
    removed = 0;
    for (const row of await findRemovableExports(db, atOnce)) {
      if (signal.aborted) return;
      removed += await removeOne(parts, row);
    }
  }
}

type Removable = Awaited<ReturnType<typeof findRemovableExports>>[number];

/** @returns how many it removed */
async function removeOne({ db, stores, log }: Parts, row: Removable): Promise<number> {
  try {
    if (row.file !== null) await stores.named(row.store).remove(row.file, row.upload_id);
    await forgetFile(db, row);
    return 1;
  } catch (error) {
    log.warn('the file of an export could not be removed', { export_id: row.id, error });
    return 0;
  }
}
