import type { AuditEntry } from '../../../db/repositories/audit.ts';
import { objectIdOf } from '../../../db/repositories/maintenance-records.ts';
import type { MaintenanceWindow } from '../../../db/repositories/maintenance-windows.ts';
import type { CallCtx } from '../../../shared/fleet/dispatcher-keys.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { newId } from '../../../shared/kernel/ids.ts';

export type MaintenanceDeps = CallCtx['deps'] & { clock: Clock };

/** The event of something that the system does because a template says so. */
const byTemplate = (
  { template_id, template }: MaintenanceWindow,
  at: Date,
  given: Pick<AuditEntry, 'event' | 'category'> & Partial<AuditEntry>,
): AuditEntry => ({
  id: newId(),
  at,
  level: 'info',
  result: 'success',
  user_name: 'system',
  ...given,
  details: { ...given.details, template_id, template_name: template.name },
});

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

/** A pool or workplace whose flag is set or taken back at its node. */
export const flaggedByItself = (window: MaintenanceWindow, maintenance: boolean, at: Date): AuditEntry =>
  byTemplate(window, at, {
    event: 'portal.WorkplaceAction',
    category: 'workplace',
    action: 'maintenance',
    object_type: window.object_type,
    object_id: objectIdOf(window),
    object_name: window.object_name,
    changes: [{ field: 'maintenance', before: !maintenance, after: maintenance }],
    details: { farm_id: window.farm_id },
  });

/** A session that is ended at the start. */
export const endedByItself = (
  window: MaintenanceWindow,
  farmId: string,
  session: { session_uuid: string; user: string; domain: string },
  action: 'disconnect' | 'logoff',
  at: Date,
): AuditEntry =>
  byTemplate(window, at, {
    event: 'portal.SessionAction',
    category: 'session',
    action,
    object_type: 'spsession',
    object_id: session.session_uuid,
    object_name: `${session.domain}\\${session.user}`,
    details: { farm_id: farmId },
  });
