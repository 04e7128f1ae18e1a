import { atomically, type Db } from '../../../../db/client.ts';
import type { Replica } from '../../../../db/replica/replica.ts';
import {
  beginExport,
  type ExportOrder,
  endExport,
  failExport,
  findPartialFile,
  isPublished,
  noteProgress,
  noteUpload,
} from '../../../../db/repositories/exports/attempts.ts';
import { withExportCursor } from '../../../../db/repositories/exports/cursors.ts';
import { exportQuery } from '../../../../db/repositories/exports/sources.ts';
import { mustBeCurrent } from '../../../../db/repositories/jobs/runs.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import { formats } from '../../../../shared/exports/formats.ts';
import { buildExport } from '../../../../shared/exports/job.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { CachedParameters } from '../parameters.ts';
import type { FailedJob, JobRun, WorkerOf } from '../queue/queue.ts';
import { type WrittenFile, writeFile } from './file.ts';
import type { Stores } from './stores.ts';

export type ExportParts = {
  db: Db;
  /** Exports read rows on separate connections. */
  databaseUrl: string;
  /** Reads the rows of first attempts, if there is one. */
  replica?: { url: string; reads: Replica } | undefined;
  stores: Stores;
  parameters: CachedParameters;
  log: Log;
};

/**
 * Builds the files of exports. Each attempt starts over with a new file, which becomes available only when it is
 * complete.
 */
export const exportWorker = (parts: ExportParts): WorkerOf<{ export_id: string }> => ({
  kind: buildExport,
  work: async ({ export_id }, run) => {
    const file = newId();
    const { stores, db, parameters } = parts;
    // Must run before `beginExport`, which overwrites the reference to the partial file.
    const former = await findPartialFile(db, run, export_id);
    if (former) await stores.named(former.store).remove(former.file, former.uploadId);
    const begun = await beginExport(db, run, { id: export_id, file, store: stores.current.name });
    if (!begun) return;
    const upload: { id: string | null } = { id: null };
    try {
      const written = await build(parts, begun, { file, upload, run });
      if (written === 'too long') return await rejectTooLong(db, run);
      await endExport(
        db,
        run,
        file,
        { ...written, keepH: parameters.current()['export.keep_h'] },
        new Date(),
      );
    } catch (error) {
      await removePartialFile(parts, file, upload.id);
      throw error;
    }
  },
});

/** Marks the export as failed after the last attempt of its job. */
export const noteFailedExport = async (db: Db, { id, kind }: FailedJob): Promise<void> => {
  if (kind === buildExport.name) await atomically(db, (h) => failExport(h, id, 'not_written', new Date()));
};

type Attempt = { file: string; upload: { id: string | null }; run: JobRun };

async function build(
  parts: ExportParts,
  { subject, filters, format }: ExportOrder,
  { file, upload, run }: Attempt,
): Promise<WrittenFile | 'too long'> {
  const { db, stores } = parts;
  const most = parts.parameters.current()['export.max_rows'];
  const query = exportQuery(subject, filters, most + 1);
  const url = await sourceOf(parts, run);
  return withExportCursor({ url, name: `export ${run.id}`, query }, async (cursor) => {
    if (cursor.expected > most) return 'too long';
    const writer = await stores.current.begin(file, async (id) => {
      upload.id = id;
      await noteUpload(db, file, id);
    });
    const reportProgress = progressReporter(db, file, cursor.expected);
    const source = { cursor, members: query.members, format: formats[format] };
    const written = await writeFile(source, writer, async (progress) => {
      run.signal.throwIfAborted();
      await reportProgress(progress);
    });
    await writer.finish();
    return written;
  });
}

/** Milliseconds that the replica may need to catch up with the primary. */
const catchUpMs = 5_000;

/** A standby cancels long reads that conflict with its replay, so further attempts read the primary. */
async function sourceOf({ db, databaseUrl, replica }: ExportParts, { attempt }: JobRun): Promise<string> {
  if (!replica || attempt > 0) return databaseUrl;
  const { url, reads } = replica;
  return (await reads.orPrimary(db, catchUpMs)) === db ? databaseUrl : url;
}

/**
 * Removes the file of a failed attempt. If the error occurred after the export was committed, its file is published
 * and stays.
 */
async function removePartialFile({ db, stores, log }: ExportParts, file: string, uploadId: string | null) {
  try {
    if (!(await isPublished(db, file))) await stores.current.remove(file, uploadId);
  } catch (error) {
    log.warn('the leftovers of an export could not be removed', { file, error });
  }
}

/** Writes the progress at most once a second. */
function progressReporter(db: Db, file: string, expected: number) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async ({ rows, bytes }: { rows: number; bytes: number }): Promise<void> => {
    const now = performance.now();
    if (now - reportedAt < 1_000) return;
    reportedAt = now;
    const progress = Math.min(0.99, rows / Math.max(1, expected));
    await noteProgress(db, file, { rows, bytes, progress });
  };
}

/** Fails the export without another attempt, because the number of rows would stay the same. */
const rejectTooLong = async (db: Db, run: JobRun): Promise<void> => {
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
    mustBeCurrent(h, run),
    ...failExport(h, run.id, 'too_many_rows', record.at),
    appendMonitoring(h, record),
  ]);
};
