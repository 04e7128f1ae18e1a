import { sites } from '../../../db/repositories/sites/sites.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base, endpoint } from '../deps.ts';
import { AssignableList, AssignableQuery, Site, SiteWrite, siteFilters } from './schema.ts';
import { listAssignable } from './usecases.ts';

const { operations } = crud({
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

export const siteOperations = [
  ...operations,
  endpoint(
    {
      id: 'site.listAssignable',
      route: `GET ${base}/sites/users-groups-from-domains`,
      access: 'sites.update',
      summary: 'List users and groups of authentication domains that a site can be given',
      query: AssignableQuery,
      description:
        'With `authenticator` naming a directory, users and groups that only the directory has are listed as well; if it cannot be searched, `failures` says why.',
      returns: [200, AssignableList],
    },
    (ctx, { query }) => listAssignable(ctx, query),
  ),
];
