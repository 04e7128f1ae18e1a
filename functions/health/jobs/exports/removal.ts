import type { Db } from '../../../../db/client.ts';
import {
  clearFile,
  type ExportedFile,
  failLateExports,
  findRemovableExports,
} from '../../../../db/repositories/exports/files.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Stores } from './stores.ts';

type Parts = { db: Db; stores: Stores; log: Log };

const atOnce = 100;

/** Removes the files of expired and failed exports. If one cannot be removed, the others still are. */
export async function removeOldFiles(parts: Parts, signal: AbortSignal): Promise<void> {
  const { db } = parts;
  await failLateExports(db);
  for (let last: ExportedFile | undefined, found = atOnce; found === atOnce; ) {
    const rows = await findRemovableExports(db, atOnce, last);
    for (const row of rows) {
      if (signal.aborted) return;
      await removeOne(parts, row);
    }
    last = rows.at(-1);
    found = rows.length;
  }
}

async function removeOne({ db, stores, log }: Parts, row: ExportedFile): Promise<void> {
  try {
    if (row.file !== null) await stores.named(row.store).remove(row.file, row.upload_id);
    await clearFile(db, row);
  } catch (error) {
    log.warn('an export file could not be removed', { export_id: row.id, error });
  }
}
