import { monitoring } from '../../../db/repositories/monitoring/list.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { MonitoringRecord, MonitoringWrite, monitoringFilters } from './schema.ts';

/** Writes record who acknowledged a record and when; the other operations are generic. */
export const monitoringCrud = crud({
  type: 'monitoring_record',
  path: `${base}/monitoring`,
  records: monitoring,
  view: MonitoringRecord,
  write: MonitoringWrite,
  folds: { message_key: 'message' },
  filters: monitoringFilters,
  sorts: ['at'],
  defaultSort: '-at',
  verbs: ['list', 'get', 'delete', 'bulkDestroy'],
  bulkDestroyMethod: 'PATCH',
});
