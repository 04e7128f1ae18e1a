import { farms } from '../../../db/repositories/sites/farms.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Farm, FarmWrite, farmFilters, farmSorts } from './schema.ts';

/**
 * Moving a farm to another site is a use case, because rules of its site may refer to it; the other operations are
 * generic.
 */
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
