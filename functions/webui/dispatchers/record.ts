import { dispatchers } from '../../../db/repositories/sites/dispatchers.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Dispatcher, DispatcherWrite, dispatcherFilters, dispatcherSorts } from './schema.ts';

/** Create and update are use cases (address policy, secrets); the other operations are generic. */
export const dispatcherCrud = crud({
  type: 'dispatcher',
  path: `${base}/dispatchers`,
  records: dispatchers,
  view: Dispatcher,
  write: DispatcherWrite,
  secrets: ['health_key', 'account_password'],
  placedBy: 'farm_id',
  filters: dispatcherFilters,
  sorts: dispatcherSorts,
  verbs: ['list', 'get', 'delete', 'bulkDestroy'],
  sited: true,
});
