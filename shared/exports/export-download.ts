import { appendAudit } from '../../db/repositories/audit/events.ts';
import { createChunkReader } from '../../db/repositories/exports/chunks.ts';
import {
  type ExportedFile,
  type ExportSubject,
  findExport,
  findNewestExport,
} from '../../db/repositories/exports/files.ts';
import { auditEntry } from '../context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import { ownerOf, type SignedIn } from '../context/principal.ts';
import { AppError, conflict, invalid, notFound } from '../kernel/errors.ts';
import type { ObjectReader } from '../kernel/object-store.ts';
import { message } from '../messages/message.ts';
import { isExpired } from './expiry.ts';
import { formats } from './formats.ts';

export type ExportDeps = BaseDeps & {
  /** Reads files that are not in the database. */
  objectStore?: ObjectReader;
};
type ExportCtx = Ctx<ExportDeps, SignedIn>;
/** The content of a file from an offset, with metadata of the whole file. */
export type ExportContent = {
  content: ReadableStream<Uint8Array>;
  mediaType: string;
  /** File name with the subject and the time of the order. */
  fileName: string;
  /** Number of bytes from the offset. */
  bytes: number;
  /** SHA-256 of the whole file, in hexadecimal. */
  sha256: string;
};

type Ready = ExportedFile & { file: string; bytes: number; sha256: string };

/**
 * Returns the file of an export from an offset. The access is written to the audit log first.
 * @param id default: the newest export of the caller
 * @throws AppError `not_found`, `export_pending`, `invalid_state` if the export failed, `expired`, `invalid_request`
 *   for an offset beyond the end, `upstream_failed`
 */
export async function downloadExport(
  ctx: ExportCtx,
  subject: ExportSubject,
  id: string | undefined,
  offset: number,
): Promise<ExportContent> {
  const shelf = { owner_id: ownerOf(ctx.principal).id, subject };
  const { db } = ctx.deps;
  const row = await (id === undefined ? findNewestExport(db, shelf, ctx.now) : findExport(db, shelf, id));
  const ready = assertReady(row, ctx.now);
  if (offset > ready.bytes) {
    const detail = message('The file size is {bytes} bytes', { bytes: ready.bytes });
    throw invalid({ pointer: '/offset', code: 'too_big', detail });
  }
  // Opened before the audit event is written, because a file that cannot be read was not obtained.
  const content = await storeOf(ctx, ready).read({ file: ready.file, offset, bytes: ready.bytes });
  try {
    await appendAudit(db, obtainEvent(ctx, ready, offset));
  } catch (error) {
    await content.cancel();
    throw error;
  }
  const { mediaType } = formats[ready.format];
  return {
    content,
    mediaType,
    fileName: fileNameOf(ready),
    bytes: ready.bytes - offset,
    sha256: ready.sha256,
  };
}

function assertReady(row: ExportedFile | undefined, now: Date): Ready {
  if (!row) throw notFound();
  if (isExpired(row, now)) throw new AppError('expired');
  if (row.state === 'failed') throw conflict('failed', 'The export failed; request it again');
  const { file, bytes, sha256 } = row;
  if (row.state !== 'ready') throw new AppError('export_pending');
  // The file was removed by a process whose clock is ahead.
  if (file === null || bytes === null || sha256 === null) throw new AppError('expired');
  return { ...row, file, bytes, sha256 };
}

function storeOf({ deps }: ExportCtx, { store }: Ready): ObjectReader {
  if (store === 'database') return createChunkReader(deps.db);
  if (!deps.objectStore) throw new Error('a file is in an object store that is not configured');
  return deps.objectStore;
}

const obtainEvent = (ctx: ExportCtx, { id, subject, format, bytes }: Ready, offset: number) =>
  auditEntry(ctx, {
    event: 'portal.ExportObtained',
    category: 'system',
    action: 'export',
    object_type: 'export',
    object_id: id,
    object_name: subject,
    details: { format, bytes, offset },
  });

function fileNameOf({ subject, format, created_at }: Ready): string {
  const moment = created_at.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${subject}-${moment}.${formats[format].extension}`;
}
