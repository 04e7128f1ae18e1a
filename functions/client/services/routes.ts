import { ServicesList } from '../../../shared/services/shapes.ts';
import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { ServicesQuery } from './schema.ts';
import { listServices } from './usecases.ts';

export const serviceOperations = [
  endpoint(
    {
      id: 'service.list',
      route: `GET ${base}/servicesList/`,
      access: 'signed-in',
      summary: 'List the services of the caller at a site, with the domains that link him to its farms',
      description:
        'A list younger than `aggregator.services_fresh_s` is not asked for again. Farms that do not answer within `aggregator.list_deadline_ms` are named in `sites` and shown as they were; the others are complete.',
      params: SiteUriParams,
      query: ServicesQuery,
      returns: [200, ServicesList],
      errors: ['upstream_unavailable', 'forbidden'],
    },
    (ctx, { params, query }) => listServices(ctx, params.site_uri, query),
  ),
];
