import type { maintenanceWindows } from '../../schema/maintenance/windows.ts';
import type { MonitoringEntry } from '../monitoring/records.ts';

type Window = typeof maintenanceWindows.$inferSelect;
/** The object under maintenance. */
export type MaintenanceObject = Pick<
  Window,
  'object_type' | 'object_name' | 'site_id' | 'farm_id' | 'pool_uuid' | 'workplace_uuid'
>;

const words = { servicespool: 'pool', workplace: 'workplace', farm: 'farm', site: 'site' } as const;

/** The id of the object. */
export const objectIdOf = ({ workplace_uuid, pool_uuid, farm_id, site_id }: MaintenanceObject): string =>
  workplace_uuid ?? pool_uuid ?? farm_id ?? site_id ?? '';

/** The monitoring record for the start or the end of a maintenance. */
export function maintenanceRecord(
  about: MaintenanceObject,
  event: 'began' | 'ended',
  templateId: string | null,
  at: Date,
): MonitoringEntry {
  const { object_type, object_name, farm_id } = about;
  return {
    at,
    level: 'info',
    source: object_type === 'site' ? 'site' : 'farm',
    code: `maintenance_${event}`,
    message: `Maintenance of the ${words[object_type]} ${object_name} ${event}`,
    object_type,
    object_id: objectIdOf(about),
    object_name,
    details: { template_id: templateId, ...(farm_id && { farm_id }) },
  };
}
