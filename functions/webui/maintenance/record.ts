import { maintenanceTemplates } from '../../../db/repositories/maintenance/templates.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { MaintenanceTemplate, MaintenanceTemplateWrite } from './schema.ts';

/** Writes judge two members together, when it starts and when it ends; the other verbs are plain. */
export const maintenanceCrud = crud({
  type: 'maintenance_template',
  path: `${base}/maintenance`,
  records: maintenanceTemplates,
  view: MaintenanceTemplate,
  write: MaintenanceTemplateWrite,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get', 'delete', 'bulkDestroy'],
  bulkDestroyMethod: 'PATCH',
});
