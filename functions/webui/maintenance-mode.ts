import { z } from 'zod';
import { atomically, type Db, type Statement } from '../../db/client.ts';
import { appendAudit } from '../../db/repositories/audit.ts';
import { type FleetObject, findFleetObjects } from '../../db/repositories/fleet-objects.ts';
import { type Maintained, maintenanceRecord } from '../../db/repositories/maintenance-records.ts';
import { addDoneStep } from '../../db/repositories/maintenance-steps.ts';
import { maintenanceTemplates } from '../../db/repositories/maintenance-templates.ts';
import { dropWindow, openWindow, windowKey } from '../../db/repositories/maintenance-windows.ts';
import { appendMonitoring } from '../../db/repositories/monitoring.ts';
import type { MergedSpec } from '../../db/repositories/snapshot-lists.ts';
import { callAsAggregator } from '../../shared/fleet/admin-farm.ts';
import { hasStarted, isOver } from '../../shared/fleet/maintenance.ts';
import { auditEntry } from '../../shared/http/audit-entry.ts';
import { Id } from '../../shared/http/fields.ts';
import { conflict, type ErrorCode, invalid, notFound } from '../../shared/kernel/errors.ts';
import { newId, noId } from '../../shared/kernel/ids.ts';
import type { MaintenanceOrder } from '../../shared/remotes/dispatcher/maintenance-shapes.ts';
import type { Call } from '../../shared/remotes/dispatcher/port.ts';
import type { WebuiCtx } from './deps.ts';

export const MaintenanceBody = z
  .strictObject({
    maintenance: z.boolean(),
    template_id: Id.nullish().meta({ description: 'When it begins and ends, and what becomes of sessions' }),
    message: z
      .string()
      .trim()
      .min(1)
      .max(1024)
      .nullish()
      .meta({ description: 'In the place of the message of the template' }),
  })
  .refine(({ maintenance, template_id }) => maintenance || !template_id, {
    path: ['template_id'],
    message: 'Only to begin a maintenance',
  });
export type MaintenanceBody = z.output<typeof MaintenanceBody>;

/** What these operations can answer besides. */
export const maintenanceErrors: readonly ErrorCode[] = [
  'invalid_state',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_unavailable',
  'upstream_timeout',
];

/** `pool` of a workplace: it must belong to that one. */
type At = { farmId: string; uuid: string; pool?: string };
type Known = { id: string; message: string } & Parameters<typeof hasStarted>[0] &
  Parameters<typeof isOver>[0];
/** What the columns of the snapshot say besides what the node tells. */
export type Noted = { template: string | null; message: string | null; since: Date | null };

/** A kind of object: how it is named, told, and written down. */
export type MaintainedKind<Row extends object> = {
  type: 'servicespool' | 'workplace';
  spec: MergedSpec;
  tell: (ctx: WebuiCtx, call: Call, uuid: string, order: MaintenanceOrder) => Promise<Row>;
  write: (h: Db, at: At, row: Row | undefined, noted: Noted) => Statement;
};

/**
 * Begins or ends the maintenance of an object at its node, or only notes it when its template starts later. One call
 * of the node, then one batch with the audit event.
 * @returns the object as it is now
 * @throws AppError `not_found` for what does not belong together, `invalid_state`, `upstream_*`
 */
export async function setMaintenance<Row extends object>(
  ctx: WebuiCtx,
  kind: MaintainedKind<Row>,
  at: At,
  body: MaintenanceBody,
): Promise<object> {
  const [[target], template] = await Promise.all([
    findFleetObjects(ctx.deps.db, kind.spec, at, ctx.scope),
    findTemplate(ctx, body.template_id),
  ]);
  if (!target) throw notFound();
  assertUsable(ctx, body, template);
  const isNow = !body.maintenance || !template || hasStarted(template, ctx.now);
  const message = body.message ?? template?.message ?? undefined;
  const order = { maintenance: body.maintenance, ...(body.maintenance && message && { message }) };
  const isTold = isNow && (!template || template.block_new_sessions);
  const farm = { site: target.site, farm: { ...target.farm, nodes: target.nodes } };
  const row = isTold
    ? await callAsAggregator(ctx, farm, (call) => kind.tell(ctx, call, at.uuid, order))
    : undefined;
  await atomically(ctx.deps.db, (h) => [
    // First, so that two who do this at once follow one another.
    kind.write(h, at, row, notedOf(ctx, body, isNow)),
    ...windowOf(ctx, h, kind, at, { target, template, body, isNow, isTold }),
    appendAudit(h, eventOf(ctx, kind, at, target, body)),
  ]);
  return { ...target.object, ...row, ...templateOf(body), fetched_at: ctx.now };
}

const findTemplate = async (ctx: WebuiCtx, id: string | null | undefined) =>
  id ? maintenanceTemplates.find(ctx.deps.db, id, { scope: '*' }) : undefined;

function assertUsable(ctx: WebuiCtx, { template_id }: MaintenanceBody, template: Known | undefined): void {
  if (template_id && !template)
    throw invalid({ pointer: '/template_id', code: 'not_found', detail: 'There is no such object' });
  if (template && isOver(template, ctx.now))
    throw conflict('template_over', 'The template ends before it could begin');
}

const templateOf = ({ template_id = null }: MaintenanceBody) => ({ maintenance_template_id: template_id });

const notedOf = (
  ctx: WebuiCtx,
  { maintenance, template_id, message }: MaintenanceBody,
  isNow: boolean,
): Noted => ({
  template: template_id ?? null,
  message: (maintenance && message) || null,
  since: maintenance && isNow ? ctx.now : null,
});

type Ordered = {
  target: FleetObject;
  template: Known | undefined;
  body: MaintenanceBody;
  isNow: boolean;
  isTold: boolean;
};

/** A window of the template in the place of the one before, and what the journal has to say. */
function windowOf(
  ctx: WebuiCtx,
  h: Db,
  { type }: Pick<MaintainedKind<object>, 'type'>,
  { farmId, uuid, pool }: At,
  { target, template, body, isNow, isTold }: Ordered,
): Statement[] {
  const key = windowKey({ object_type: type, farmId, uuid });
  const object: Maintained = {
    object_type: type,
    object_name: String(target.object.name),
    site_id: null,
    farm_id: farmId,
    pool_uuid: pool ?? uuid,
    workplace_uuid: pool === undefined ? null : uuid,
  };
  const id = newId();
  const begun_at = isNow ? ctx.now : null;
  const step = { window_id: id, farm_id: farmId, phase: 'flag', target: noId } as const;
  const { id: template_id } = template ?? {};
  const isNews = isNow && body.maintenance !== target.object.maintenance;
  const event = body.maintenance ? 'began' : 'ended';
  return [
    dropWindow(h, key),
    ...(template_id === undefined
      ? []
      : [
          openWindow(h, {
            ...object,
            id,
            about: key,
            template_id,
            message: body.message ?? null,
            begun_at,
          }),
        ]),
    ...(template_id !== undefined && isTold ? [addDoneStep(h, step, ctx.now)] : []),
    ...(isNews ? [appendMonitoring(h, maintenanceRecord(object, event, template_id ?? null, ctx.now))] : []),
  ];
}

const eventOf = (
  ctx: WebuiCtx,
  { type }: Pick<MaintainedKind<object>, 'type'>,
  { uuid }: At,
  { object, farm }: FleetObject,
  { maintenance, template_id = null, message = null }: MaintenanceBody,
) =>
  auditEntry(ctx, {
    event: 'portal.WorkplaceAction',
    category: 'workplace',
    action: 'maintenance',
    object_type: type,
    object_id: uuid,
    object_name: String(object.name),
    changes: [{ field: 'maintenance', before: object.maintenance, after: maintenance }],
    details: { farm_id: farm.id, farm_name: farm.name, template_id, message },
  });
