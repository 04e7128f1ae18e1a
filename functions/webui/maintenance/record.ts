import { maintenanceTemplates } from '../../../db/repositories/maintenance/templates.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { MaintenanceTemplate, MaintenanceTemplateWrite } from './schema.ts';

/** Writes validate start and end together; the other operations are generic. */
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
