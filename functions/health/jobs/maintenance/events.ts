import type { AuditEntry } from '../../../../db/repositories/audit/events.ts';
import { objectIdOf } from '../../../../db/repositories/maintenance/records.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import { type AuditFields, eventBy } from '../../../../shared/context/audit-entry.ts';
import type { JobPrincipal } from '../../../../shared/context/principal.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { AuditEntryFactory } from '../../../../shared/sites/calls/actions.ts';
import type { CallDeps } from '../../../../shared/sites/calls/dispatcher-keys.ts';

export type MaintenanceDeps = CallDeps & { clock: Clock };

/** Audit events of changes that a template causes. Of repeated failures, only the first is reported. */
export const auditEntryFactory =
  (window: MaintenanceWindow, at: Date, hasFailed: boolean): AuditEntryFactory =>
  (happening) =>
    happening.result === 'failure' && hasFailed ? undefined : byTemplate(window, at, happening);

/** The audit event when the flag of a farm or site is cleared at the end of its template. */
export const clearedByItself = (window: MaintenanceWindow, at: Date): AuditEntry =>
  byTemplate(window, at, {
    event: 'portal.EntityAction',
    category: 'config',
    action: 'update',
    object_type: window.object_type,
    object_id: objectIdOf(window),
    object_name: window.object_name,
    changes: [{ field: 'maintenance', before: true, after: false }],
  });

const byTemplate = ({ template_id, plan }: MaintenanceWindow, at: Date, fields: AuditFields): AuditEntry =>
  eventBy(principal, at, {
    ...fields,
    details: { ...fields.details, template_id, template_name: plan.name },
  });

export const principal: JobPrincipal = { kind: 'job', name: 'maintenance' };
