import type { z } from 'zod';
import { ownerOf } from '../../../shared/context/principal.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import type { WebuiCtx } from '../deps.ts';
import { monitoringCrud } from './record.ts';
import { MonitoringWrite } from './schema.ts';

const { kind } = monitoringCrud;
type Write = z.output<typeof MonitoringWrite>;
type Acknowledgement = { acknowledged_by: string | null; acknowledged_at: Date | null };

const unacknowledged: Acknowledgement = { acknowledged_by: null, acknowledged_at: null };

export const addRecord = (ctx: WebuiCtx, body: Write): Promise<Answer> => {
  const { dated, columns } = withMoment(ctx, body);
  return createRecord(ctx, kind, dated, {
    columns: { ...columns, ...acknowledgement(ctx, { state: 'open', ...unacknowledged }, body.state) },
  });
};

export const replaceRecord = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body);

export const updateRecord = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(MonitoringWrite, current, patch));

const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    const { dated, columns } = withMoment(ctx, become(writableOf(kind, row)));
    return { body: dated, columns: { ...columns, ...acknowledgement(ctx, row, dated.state) } };
  });

/** The body with a default time, and that time as a column value. */
function withMoment(ctx: WebuiCtx, body: Write) {
  const at = body.at === null ? ctx.now : new Date(body.at);
  return { dated: { ...body, at: at.toISOString() }, columns: { at } };
}

/** The user who sets the state to `acknowledged` is stored until the record is opened again. Closing keeps the name. */
function acknowledgement(
  ctx: WebuiCtx,
  former: Acknowledgement & { state: Write['state'] },
  state: Write['state'],
): Acknowledgement {
  if (state === 'open') return unacknowledged;
  if (state === 'acknowledged' && former.state !== 'acknowledged')
    return { acknowledged_by: ownerOf(ctx.principal).name, acknowledged_at: ctx.now };
  return { acknowledged_by: former.acknowledged_by, acknowledged_at: former.acknowledged_at };
}
