import type { AuditEntry } from '../../../../db/repositories/audit/events.ts';
import { objectIdOf } from '../../../../db/repositories/maintenance/records.ts';
import type { MaintenanceWindow } from '../../../../db/repositories/maintenance/windows.ts';
import { eventBy, type Happening } from '../../../../shared/context/audit-entry.ts';
import type { JobPrincipal } from '../../../../shared/context/principal.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Teller } from '../../../../shared/sites/calls/actions.ts';
import type { CallDeps } from '../../../../shared/sites/calls/dispatcher-keys.ts';

export type MaintenanceDeps = CallDeps & { clock: Clock };

/** How events read that the system causes because a template says so; a failure is told the first time only. */
export const tellerOf =
  (window: MaintenanceWindow, at: Date, hasFailed: boolean): Teller =>
  (happening) =>
    happening.result === 'failure' && hasFailed ? undefined : byTemplate(window, at, happening);

/** A farm or site whose flag is taken back at the end of its template. */
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

const byTemplate = ({ template_id, plan }: MaintenanceWindow, at: Date, happening: Happening): AuditEntry =>
  eventBy(principal, at, {
    ...happening,
    details: { ...happening.details, template_id, template_name: plan.name },
  });

export const principal: JobPrincipal = { kind: 'job', name: 'maintenance' };
