import { ServicesList } from '../../../shared/services/shapes.ts';
import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { ServiceIdParam } from '../service-ids.ts';
import { changePreferences } from './preferences.ts';
import { PreferencesChange, ServicePreferences, ServicesQuery } from './schema.ts';
import { listServices } from './usecases.ts';

export const serviceOperations = [
  endpoint(
    {
      id: 'service.list',
      route: `GET ${base}/servicesList/`,
      access: 'signed-in',
      summary: "List the caller's services and domains at a site",
      description:
        'The list of a farm is cached for `aggregator.services_fresh_s` seconds. For a farm that does not answer within `aggregator.list_deadline_ms` milliseconds, the last known list is returned, and a late answer is cached for the next request; `sites` has the state of each farm. A farm that has no account for the caller has answered: `refusal` is set, and its cached list is deleted. The `ETag` covers the preferences of the caller. It stays the same while only `age_ms` and `took_ms` change, and `fetched_at` of farms with the status `ok`.',
      params: SiteUriParams,
      query: ServicesQuery,
      conditional: true,
      mayLag: true,
      returns: [200, ServicesList],
      errors: ['upstream_unavailable', 'forbidden'],
    },
    (ctx, { params, query, conditions }) => listServices(ctx, params.site_uri, query, conditions),
  ),
  endpoint(
    {
      id: 'service.prefer',
      route: `PATCH ${base}/services/{id}`,
      access: 'signed-in',
      summary: "Change the caller's preferences for a service (JSON Merge Patch)",
      description:
        'The service is an enabled rule of the site for the caller, or a pool of a farm of the site. It need not be in the current list, because its farm can be unavailable. At most 500 services of a user have preferences or a last use: favourites are kept, and of the others those that were used last.',
      params: SiteUriParams.extend({ id: ServiceIdParam }),
      body: { required: PreferencesChange },
      returns: [200, ServicePreferences],
      errors: ['invalid_state'],
    },
    (ctx, { params: { site_uri, id }, body }) => changePreferences(ctx, site_uri, id, body),
  ),
];
