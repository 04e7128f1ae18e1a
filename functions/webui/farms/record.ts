import { farms } from '../../../db/repositories/sites/farms.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Farm, FarmWrite, farmFilters, farmSorts } from './schema.ts';

/** Moving a farm to another site is a decision (rules name it where it is); the other verbs are plain. */
export const farmCrud = crud({
  type: 'farm',
  path: `${base}/farms`,
  records: farms,
  view: Farm,
  write: FarmWrite,
  placedBy: 'site_id',
  filters: farmFilters,
  sorts: farmSorts,
  verbs: ['list', 'create', 'get', 'delete', 'bulkDestroy'],
  sited: true,
});
