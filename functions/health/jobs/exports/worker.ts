import { atomically, type Db } from '../../../../db/client.ts';
import {
  type Begun,
  beginExport,
  endExport,
  failExport,
  findUnfinished,
  isShown,
  noteProgress,
  noteUpload,
} from '../../../../db/repositories/exports/attempts.ts';
import { withExportCursor } from '../../../../db/repositories/exports/cursors.ts';
import { exportQuery } from '../../../../db/repositories/exports/sources.ts';
import { whileOurs } from '../../../../db/repositories/jobs/runs.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import { formats } from '../../../../shared/exports/formats.ts';
import { buildExport } from '../../../../shared/exports/job.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { KnownParameters } from '../parameters.ts';
import type { FailedJob, JobRun, WorkerOf } from '../queue/queue.ts';
import { type Written, writeFile } from './file.ts';
import type { Stores } from './stores.ts';

export type ExportParts = {
  db: Db;
  /** Rows are read by connections of their own. */
  databaseUrl: string;
  stores: Stores;
  known: KnownParameters;
  log: Log;
};

/** Builds ordered files. An attempt begins anew with a file of its own, which is shown when it is whole, and only then. */
export const exportWorker = (parts: ExportParts): WorkerOf<{ export_id: string }> => ({
  kind: buildExport,
  work: async ({ export_id }, run) => {
    const file = newId();
    const { stores, db, known } = parts;
    // Before it is forgotten by whom it could be found.
    const former = await findUnfinished(db, run, export_id);
    if (former) await stores.named(former.store).remove(former.file, former.uploadId);
    const begun = await beginExport(db, run, { id: export_id, file, store: stores.current.name });
    if (!begun) return;
    const upload: { id: string | null } = { id: null };
    try {
      const written = await build(parts, begun, { file, upload, run });
      if (written === 'too long') return await refuse(db, run);
      await endExport(db, run, file, { ...written, keepH: known.current()['export.keep_h'] }, new Date());
    } catch (error) {
      await takeBack(parts, file, upload.id);
      throw error;
    }
  },
});

/** Whoever waits for an export learns that no attempt is left. */
export const noteFailedExport = async (db: Db, { id, kind }: FailedJob): Promise<void> => {
  if (kind === buildExport.name) await atomically(db, (h) => failExport(h, id, 'not_written', new Date()));
};

type Attempt = { file: string; upload: { id: string | null }; run: JobRun };

async function build(
  { db, databaseUrl, stores, known }: ExportParts,
  { subject, filters, format }: Begun,
  { file, upload, run }: Attempt,
): Promise<Written | 'too long'> {
  const most = known.current()['export.max_rows'];
  const query = exportQuery(subject, filters, most + 1);
  return withExportCursor({ url: databaseUrl, name: `export ${run.id}`, query }, async (cursor) => {
    if (cursor.expected > most) return 'too long';
    const writer = await stores.current.begin(file, async (id) => {
      upload.id = id;
      await noteUpload(db, file, id);
    });
    const tell = progressTeller(db, file, cursor.expected);
    const source = { cursor, members: query.members, format: formats[format] };
    const written = await writeFile(source, writer, async (progress) => {
      run.signal.throwIfAborted();
      await tell(progress);
    });
    await writer.finish();
    return written;
  });
}

/** Removes what a failed attempt left. One whose end only seemed to fail has a file that is shown: it stays. */
async function takeBack({ db, stores, log }: ExportParts, file: string, uploadId: string | null) {
  try {
    if (!(await isShown(db, file))) await stores.current.remove(file, uploadId);
  } catch (error) {
    log.warn('the leftovers of an export could not be removed', { file, error });
  }
}

/** Tells at most once a second. */
function progressTeller(db: Db, file: string, expected: number) {
  let toldAt = Number.NEGATIVE_INFINITY;
  return async ({ rows, bytes }: { rows: number; bytes: number }): Promise<void> => {
    const now = performance.now();
    if (now - toldAt < 1_000) return;
    toldAt = now;
    const progress = Math.min(0.99, rows / Math.max(1, expected));
    await noteProgress(db, file, { rows, bytes, progress });
  };
}

/** Trying again would not make it shorter. */
const refuse = async (db: Db, run: JobRun): Promise<void> => {
  const record = {
    at: new Date(),
    level: 'warning',
    source: 'jobs',
    object_type: 'export',
    object_id: run.id,
    code: 'export_too_long',
    message: 'An export was not built because it has more rows than `export.max_rows` allows',
  } as const;
  await atomically(db, (h) => [
    whileOurs(h, run),
    ...failExport(h, run.id, 'too_many_rows', record.at),
    appendMonitoring(h, record),
  ]);
};
