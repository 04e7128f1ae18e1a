import { sites } from '../../../db/repositories/sites/sites.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Site, SiteWrite, siteFilters } from './schema.ts';

export const siteCrud = crud({
  type: 'site',
  path: `${base}/sites`,
  records: sites,
  view: Site,
  write: SiteWrite,
  filters: siteFilters,
  sorts: ['name', 'uri', 'priority', 'created_at', 'updated_at'],
  verbs: ['list', 'create', 'get', 'replace', 'update', 'delete', 'bulkDestroy'],
  sited: true,
});
