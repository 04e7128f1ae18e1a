import { appendAudit } from '../../db/repositories/audit/events.ts';
import {
  type ExportedFile,
  type ExportSubject,
  findEqualExport,
  findExport,
  type Order,
  orderExport as placeOrder,
} from '../../db/repositories/exports/files.ts';
import { enqueueJob } from '../../db/repositories/jobs/outbox.ts';
import { auditEntry } from '../context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import { ownerOf, type SignedIn } from '../context/principal.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sha256 } from '../kernel/crypto/digests.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { canonicalJson } from '../kernel/json/json.ts';
import { isExpired } from './expiry.ts';
import { buildExport } from './job.ts';

/** Seconds for which a completed export is returned for an equal order. */
const freshS = 60;

type ExportRequest = Pick<ExportedFile, 'subject' | 'format' | 'filters'>;

/**
 * Returns an equal export that the caller has already ordered, or places a new order, which is written to the audit
 * log.
 */
export async function orderExport(
  ctx: Ctx<BaseDeps, SignedIn>,
  request: ExportRequest,
): Promise<ExportReport> {
  const { db } = ctx.deps;
  const filters = Object.fromEntries(
    Object.entries(request.filters).filter(([, value]) => value !== undefined),
  );
  const order: Order = {
    ...request,
    filters,
    id: newId(),
    owner_id: ownerOf(ctx.principal).id,
    fingerprint: sha256(canonicalJson({ ...request, filters })),
    created_at: ctx.now,
    expires_at: addSeconds(ctx.now, ctx.parameters['export.keep_h'] * 3_600),
  };
  const find = () => findEqualExport(db, order, addSeconds(ctx.now, -freshS));
  const known = await find();
  if (known) return reportOf(known);
  const placed = await placeOrder(db, order, (h) => [
    enqueueJob(h, buildExport, { export_id: order.id }, { id: order.id }),
    appendAudit(h, orderEvent(ctx, order)),
  ]);
  // A concurrent request has placed an equal order.
  const row = placed ?? (await find());
  if (!row) throw new AppError('database_unavailable', 'The same export was finished a moment ago');
  return reportOf(row);
}

/** @throws AppError `not_found` if the export does not belong to the caller, `expired` */
export async function reportExport(
  ctx: Ctx<BaseDeps, SignedIn>,
  subject: ExportSubject,
  id: string,
): Promise<ExportReport> {
  const row = await findExport(ctx.deps.db, { owner_id: ownerOf(ctx.principal).id, subject }, id);
  if (!row) throw notFound();
  if (isExpired(row, ctx.now)) throw new AppError('expired');
  return reportOf(row);
}

const orderEvent = (ctx: Ctx<BaseDeps, SignedIn>, { id, subject, format, filters }: Order) =>
  auditEntry(ctx, {
    event: 'portal.ExportOrdered',
    category: 'system',
    action: 'export',
    object_type: 'export',
    object_id: id,
    object_name: subject,
    details: { format, filters },
  });

/** The state of an export. `isOver` is true if it is ready or has failed. */
export type ExportReport = { report: Record<string, unknown>; isOver: boolean };

export function reportOf(row: ExportedFile): ExportReport {
  const { rows, bytes, sha256: digest } = row;
  const isOver = row.state === 'ready' || row.state === 'failed';
  const report = {
    export_id: row.id,
    state: row.state,
    format: row.format,
    ...(rows !== null && { rows }),
    ...(bytes !== null && { bytes }),
    ...(digest !== null && { sha256: digest }),
    ...(row.reason !== null && { reason: row.reason }),
    progress: row.progress,
    expires_at: row.expires_at.toISOString(),
  };
  return { report, isOver };
}
