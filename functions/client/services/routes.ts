import { base, endpoint, SiteParams } from '../deps.ts';
import { ServicesList } from './schema.ts';
import { listServices } from './usecases.ts';

export const serviceOperations = [
  endpoint(
    {
      id: 'service.list',
      route: `GET ${base}/servicesList/`,
      access: 'signed-in',
      summary: 'List the services of the caller at a site, with the domains that link him to its farms',
      description:
        'Farms that do not answer within `aggregator.list_deadline_ms` are named in `sites`; the others are complete.',
      params: SiteParams,
      returns: [200, ServicesList],
      errors: ['upstream_unavailable'],
    },
    (ctx, { params }) => listServices(ctx, params.site_uri),
  ),
];
