import { and, eq, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { type ExportFailure, exportedFiles as table } from '../../schema/exports/files.ts';
import { type AuditEntry, appendAuditRows, auditRow } from '../audit/events.ts';
import { type JobAttempt, mustBeCurrent } from '../jobs/runs.ts';
import { must } from '../records/statements.ts';
import type { ExportedFile } from './files.ts';

/** The order that an attempt works on. */
export type ExportOrder = Pick<ExportedFile, 'subject' | 'format' | 'filters'>;
/** The file of an attempt, complete or not. */
export type PartialFile = { file: string; uploadId: string | null; store: ExportedFile['store'] };
type Attempt = Pick<ExportedFile, 'id' | 'store'> & { file: string };
/** Progress of an attempt; `progress` is between 0 and 1. */
export type Progress = { rows: number; bytes: number; progress: number };

const isUnderWay = (id: string): SQL | undefined =>
  and(eq(table.id, id), sql`${table.state} in ('pending', 'running')`);

/**
 * Returns the file of the previous attempt, so that it can be removed. A superseded attempt gets an error, because it
 * would remove a file that is being written.
 * @throws the database error `job_lost` if a newer attempt exists
 */
export const findPartialFile = async (
  db: Db,
  run: JobAttempt,
  id: string,
): Promise<PartialFile | undefined> => {
  const left = { file: table.file, uploadId: table.upload_id, store: table.store };
  const [, rows] = await atomically(db, (h) => [
    mustBeCurrent(h, run),
    h.select(left).from(table).where(isUnderWay(id)),
  ]);
  const [row] = rows as { file: string | null; uploadId: string | null; store: ExportedFile['store'] }[];
  return row && row.file !== null ? { ...row, file: row.file } : undefined;
};

/**
 * Makes this attempt the current one: files of other attempts can no longer be written or published.
 * @returns undefined if the export has ended
 * @throws the database error `job_lost` if a newer attempt exists
 */
export async function beginExport(
  db: Db,
  run: JobAttempt,
  { id, ...attempt }: Attempt,
): Promise<ExportOrder | undefined> {
  const anew = { ...attempt, state: 'running' as const, upload_id: null, rows: 0, bytes: 0, progress: 0 };
  const [, begun] = await atomically(db, (h) => [
    mustBeCurrent(h, run),
    h.update(table).set(anew).where(isUnderWay(id)).returning(),
  ]);
  return (begun as ExportedFile[])[0];
}

/**
 * Stores the upload identifier of an unfinished file in the object store.
 * @throws AppError `expired` if a newer attempt exists
 */
export const noteUpload = async (db: Db, file: string, uploadId: string): Promise<void> => {
  const noted = await db
    .update(table)
    .set({ upload_id: uploadId })
    .where(eq(table.file, file))
    .returning({ id: table.id });
  if (noted.length === 0) throw new AppError('expired');
};

export const noteProgress = async (db: Db, file: string, progress: Progress): Promise<void> => {
  await db.update(table).set(progress).where(eq(table.file, file));
};

/**
 * Publishes the complete file for `keepH` hours.
 * @throws the database error `job_lost` if a newer attempt exists
 */
export const endExport = (
  db: Db,
  run: JobAttempt,
  file: string,
  result: Pick<Progress, 'rows' | 'bytes'> & { sha256: string; keepH: number },
  at: Date,
): Promise<unknown> => {
  const { keepH, ...facts } = result;
  const ready = {
    ...facts,
    state: 'ready' as const,
    progress: 1,
    upload_id: null,
    ended_at: sql`now()`,
    expires_at: sql`now() + ${keepH}::int * interval '1 hour'`,
  };
  return atomically(db, (h) => [
    mustBeCurrent(h, run),
    must(h, sql`exists(select 1 from ${table} where ${eq(table.file, file)})`, 'job_lost'),
    h.update(table).set(ready).where(eq(table.file, file)),
    noteEnd(h, eventOf(at, { result: 'success', level: 'info', details: facts }), eq(table.file, file)),
  ]);
};

/**
 * True if the file is published. The row lock waits for a pending transaction, so that a caller whose commit had an
 * unknown result gets the final state.
 */
export const isPublished = async (db: Db, file: string): Promise<boolean> => {
  const rows = await db.select({ state: table.state }).from(table).where(eq(table.file, file)).for('share');
  return rows.some(({ state }) => state === 'ready');
};

/** Ends the export without a file, and writes its event. A partial file is removed together with expired files. */
export const failExport = (h: Db, id: string, reason: ExportFailure, at: Date): Statement[] => [
  noteEnd(h, eventOf(at, { result: 'failure', level: 'warning', details: { reason } }), isUnderWay(id)),
  h.update(table).set({ state: 'failed', reason, ended_at: sql`now()` }).where(isUnderWay(id)),
];

type ExportEnd = Pick<AuditEntry, 'result' | 'level'> & { details: Record<string, unknown> };

const eventOf = (at: Date, end: ExportEnd): AuditEntry => ({
  ...end,
  id: newId(),
  at,
  event: 'portal.ExportBuilt',
  category: 'system',
  user_name: 'system',
  action: 'export',
  object_type: 'export',
});

/** Writes the event of an ended export; `ordered_by` is the caller who ordered it. */
const noteEnd = (h: Db, event: AuditEntry, where: SQL | undefined): Statement =>
  appendAuditRows(
    h,
    sql`${auditRow(event, {
      object_id: sql`${table.id}::text`,
      object_name: sql`${table.subject}`,
      details: sql`jsonb_build_object('format', ${table.format}, 'filters', ${table.filters}, 'ordered_by', ${table.owner_id})
        || ${JSON.stringify(event.details)}::jsonb`,
    })} from ${table} where ${where}`,
  );
