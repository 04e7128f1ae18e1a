import { z } from 'zod';
import type { Db, Statement } from '../../db/client.ts';
import { type MaintenanceObject, maintenanceRecord } from '../../db/repositories/maintenance/records.ts';
import { addDoneStep } from '../../db/repositories/maintenance/steps.ts';
import { maintenanceTemplates } from '../../db/repositories/maintenance/templates.ts';
import { dropWindow, isBegun, openWindow, windowKey } from '../../db/repositories/maintenance/windows.ts';
import { appendMonitoring } from '../../db/repositories/monitoring/records.ts';
import { conflict, invalid } from '../../shared/kernel/errors.ts';
import { newId, noId } from '../../shared/kernel/ids.ts';
import { hasStarted, isOver } from '../../shared/maintenance/maintenance.ts';
import {
  type MaintainedKind,
  maintenanceAction,
  type StoredMaintenance,
} from '../../shared/maintenance/orders.ts';
import { Id } from '../../shared/shapes/fields.ts';
import { act, actLater, findTarget, type Target } from '../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from './deps.ts';

export const MaintenanceBody = z
  .strictObject({
    maintenance: z.boolean().describe('True starts the maintenance, false ends it.'),
    template_id: Id.nullish().describe(
      'Identifier of the maintenance template with times and handling of sessions. Default: maintenance starts immediately and has no end.',
    ),
    message: z
      .string()
      .trim()
      .min(1)
      .max(1024)
      .nullish()
      .describe('Message for users. Default: the message of the template.'),
  })
  .refine(({ maintenance, template_id }) => maintenance || !template_id, {
    path: ['template_id'],
    message: 'Allowed only when a maintenance is started',
  });
export type MaintenanceBody = z.output<typeof MaintenanceBody>;

/** `pool` of a workplace: it must belong to that one. */
type ObjectPath = { farmId: string; uuid: string; pool?: string };
type TemplateRecord = { id: string; message: string; block_new_sessions: boolean } & Parameters<
  typeof hasStarted
>[0] &
  Parameters<typeof isOver>[0];

type MaintenanceChange = {
  target: Target;
  template: TemplateRecord | undefined;
  body: MaintenanceBody;
  isNow: boolean;
  /** A template that does not block new sessions does not change the node. */
  isSentToNode: boolean;
};

/**
 * Starts or ends the maintenance of an object on its node, or only records it if its template starts later. One
 * call to the node, then one batch with the audit event.
 * @returns the object after the change
 * @throws AppError `not_found` if pool, workplace and farm do not belong together, `invalid_state`, `upstream_*`
 */
export async function setMaintenance<Row extends object>(
  ctx: WebuiCtx,
  kind: MaintainedKind<Row>,
  at: ObjectPath,
  body: MaintenanceBody,
): Promise<object> {
  const [target, template] = await Promise.all([
    findTarget(ctx, kind.kind, at),
    findTemplate(ctx, body.template_id),
  ]);
  assertUsable(ctx, body, template);
  const isNow = !body.maintenance || !template || hasStarted(template, ctx.now);
  const isSentToNode = isNow && (!template || template.block_new_sessions);
  const { maintenance, template_id = null } = body;
  const message = (maintenance && (body.message ?? template?.message)) || undefined;
  const action = maintenanceAction(kind, target, ctx.deps.dispatchers, {
    order: { maintenance, message },
    stored: storedMaintenance(ctx, body, isNow),
    details: { template_id, message: body.message ?? null },
    alongside: (h) => windowOf(ctx, h, kind, at, { target, template, body, isNow, isSentToNode }),
  });
  const row = isSentToNode ? await act(ctx, target, action) : await actLater(ctx, target, action, undefined);
  return { ...target.object, ...row, maintenance_template_id: template_id, fetched_at: ctx.now };
}

const findTemplate = async (ctx: WebuiCtx, id: string | null | undefined) =>
  id ? maintenanceTemplates.find(ctx.deps.db, id, { scope: '*' }) : undefined;

function assertUsable(
  ctx: WebuiCtx,
  { template_id }: MaintenanceBody,
  template: TemplateRecord | undefined,
): void {
  if (template_id && !template)
    throw invalid({ pointer: '/template_id', code: 'not_found', detail: 'The object does not exist' });
  if (template && isOver(template, ctx.now))
    throw conflict('template_over', 'The end of the template is in the past');
}

const storedMaintenance = (
  ctx: WebuiCtx,
  { maintenance, template_id, message }: MaintenanceBody,
  isNow: boolean,
): StoredMaintenance => ({
  maintenance_template_id: template_id ?? null,
  maintenance_message: (maintenance && message) || null,
  maintenance_since: maintenance && isNow ? ctx.now : null,
});

/** Writes a journal record and replaces the previous maintenance window. */
function windowOf(
  ctx: WebuiCtx,
  h: Db,
  { type }: Pick<MaintainedKind<object>, 'type'>,
  { farmId, uuid, pool }: ObjectPath,
  { target, template, body, isNow, isSentToNode }: MaintenanceChange,
): Statement[] {
  const about = windowKey({ object_type: type, farmId, uuid });
  const object: MaintenanceObject = {
    object_type: type,
    object_name: String(target.object.name),
    site_id: null,
    farm_id: farmId,
    pool_uuid: pool ?? uuid,
    workplace_uuid: pool === undefined ? null : uuid,
  };
  const event = body.maintenance ? 'began' : 'ended';
  const record = maintenanceRecord(object, event, template?.id ?? null, ctx.now);
  const isStateChange = isBegun(about, target.object.maintenance === true, !body.maintenance);
  return [
    // Must run before the window that it refers to is deleted.
    ...(isNow ? [appendMonitoring(h, record, isStateChange)] : []),
    dropWindow(h, about),
    ...(template ? opened(ctx, h, { ...object, about }, template.id, { body, isNow, isSentToNode }) : []),
  ];
}

function opened(
  ctx: WebuiCtx,
  h: Db,
  object: MaintenanceObject & { about: string },
  template_id: string,
  { body, isNow, isSentToNode }: Pick<MaintenanceChange, 'body' | 'isNow' | 'isSentToNode'>,
): Statement[] {
  const id = newId();
  const begun_at = isNow ? ctx.now : null;
  const step = { window_id: id, farm_id: object.farm_id ?? noId, phase: 'flag', target: noId } as const;
  return [
    openWindow(h, { ...object, id, template_id, message: body.message ?? null, begun_at }),
    ...(isSentToNode ? [addDoneStep(h, step, ctx.now)] : []),
  ];
}
