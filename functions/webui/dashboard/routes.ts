import { z } from 'zod';
import { idOf } from '../../../shared/shapes/fields.ts';
import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { AdminDashboard, UserDashboard } from './schema.ts';
import { adminDashboard } from './usecases.ts';
import { userDashboard } from './user-dashboard.ts';

export const dashboardOperations = [
  endpoint(
    {
      id: 'dashboard.admin',
      route: `GET ${base}/dashboard/admin`,
      access: 'dashboard.read',
      summary: 'Get the administrator dashboard',
      description:
        'The overview of the installation in one request: sites with their farms, nodes and gateways, usage, maintenance, failures by cause and expiring certificates, within the scope of the caller. A part that cannot be read is `{ "error": <code> }`. The other parts are returned regardless.',
      query: z.strictObject({
        site_id: idOf('site').optional().describe('Only the site with this identifier. Default: all sites.'),
      }),
      mayLag: true,
      returns: [200, AdminDashboard],
    },
    (ctx, { query }) => adminDashboard(ctx, query.site_id),
  ),
  endpoint(
    {
      id: 'dashboard.user',
      route: `GET ${base}/dashboard/user/{site_uri}`,
      access: 'signed-in',
      summary: 'Get the user dashboard of a site',
      description:
        'The dashboard has the services and the workplace sessions of the caller. Services are those of `servicesList`; sessions are read from the snapshot.',
      params: SiteUriParams,
      mayLag: true,
      returns: [200, UserDashboard],
      errors: ['upstream_unavailable'],
    },
    (ctx, { params }) => userDashboard(ctx, params.site_uri),
  ),
];
