import { maintenanceTemplates as table } from '../../schema/maintenance/templates.ts';
import { maintenanceWindows } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { records } from '../records/records.ts';

export const maintenanceTemplates = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    title: table.title,
    message: table.message,
    start_at: table.start_at,
    end_at: table.end_at,
    warn_minutes: table.warn_minutes,
    block_new_sessions: table.block_new_sessions,
    disconnect_sessions: table.disconnect_sessions,
    logoff_sessions: table.logoff_sessions,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  search: [table.name_key],
  filters: {},
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  references: [
    { type: 'site', table: sites, by: sites.maintenance_template_id, id: sites.id, name: sites.name },
    { type: 'farm', table: farms, by: farms.maintenance_template_id, id: farms.id, name: farms.name },
    {
      type: 'servicespool',
      table: pools,
      by: pools.maintenance_template_id,
      id: pools.uuid,
      row: pools.id,
      name: pools.name,
    },
    {
      type: 'maintenance_window',
      table: maintenanceWindows,
      by: maintenanceWindows.template_id,
      id: maintenanceWindows.id,
      name: maintenanceWindows.object_name,
    },
  ],
  unique: { '/name': ['name_key'] },
});
