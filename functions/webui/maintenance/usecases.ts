import type { z } from 'zod';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { invalid } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { maintenanceCrud } from './record.ts';
import { MaintenanceTemplateWrite } from './schema.ts';

const { kind } = maintenanceCrud;
type Write = z.output<typeof MaintenanceTemplateWrite>;

/** @throws AppError `invalid_request` if the end is before the start; this also applies to the other writes */
export async function createTemplate(ctx: WebuiCtx, body: Write): Promise<Answer> {
  return createRecord(ctx, kind, body, { columns: momentsOf(body) });
}

export const replaceTemplate = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> => {
  const columns = momentsOf(body);
  return changeRecord(ctx, kind, at, () => ({ body, columns }));
};

export const updateTemplate = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    const body = applyPatch(MaintenanceTemplateWrite, writableOf(kind, row), patch);
    return { body, columns: momentsOf(body) };
  });

/** Start and end as column values. */
function momentsOf({ start_at, end_at }: Write): { start_at: Date | null; end_at: Date | null } {
  const [start, end] = [start_at, end_at].map((at) => (at === null ? null : new Date(at)));
  if (start && end && end <= start)
    throw invalid({ pointer: '/end_at', code: 'too_early', detail: 'Must be later than start_at' });
  return { start_at: start ?? null, end_at: end ?? null };
}
