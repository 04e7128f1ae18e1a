import { dispatchers } from '../../../db/repositories/sites/dispatchers.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Dispatcher, DispatcherWrite, dispatcherFilters, dispatcherSorts } from './schema.ts';

/** Creating and changing a node are decisions (address policy, secrets); the other verbs are plain. */
export const dispatcherCrud = crud({
  type: 'dispatcher',
  path: `${base}/dispatchers`,
  records: dispatchers,
  view: Dispatcher,
  write: DispatcherWrite,
  secrets: ['health_key'],
  placedBy: 'farm_id',
  filters: dispatcherFilters,
  sorts: dispatcherSorts,
  verbs: ['list', 'get', 'delete', 'bulkDestroy'],
  sited: true,
});
