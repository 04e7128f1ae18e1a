import { base, endpoint } from '../deps.ts';
import { siteCrud } from './record.ts';
import { AssignableList, AssignableQuery } from './schema.ts';
import { listAssignable } from './usecases.ts';

export const siteOperations = [
  ...siteCrud.operations,
  endpoint(
    {
      id: 'site.listAssignable',
      route: `GET ${base}/sites/users-groups-from-domains`,
      access: 'sites.update',
      summary: 'List the users and groups that can be assigned to a site',
      query: AssignableQuery,
      description:
        'If `authenticator` selects a domain with a directory, users and groups that exist only in the directory are listed as well. If the directory cannot be searched, `failures` gives the cause.',
      mayLag: true,
      returns: [200, AssignableList],
    },
    (ctx, { query }) => listAssignable(ctx, query),
  ),
];
