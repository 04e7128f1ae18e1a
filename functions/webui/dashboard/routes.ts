import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { userDashboard } from './of-user.ts';
import { AdminDashboard, UserDashboard } from './schema.ts';
import { adminDashboard } from './usecases.ts';

export const dashboardOperations = [
  endpoint(
    {
      id: 'dashboard.admin',
      route: `GET ${base}/dashboard/admin`,
      access: 'dashboard.read',
      summary: 'Dashboard objects for the administrator aggregator',
      description: 'A part that cannot be had reads `{ "error": <code> }`; the others are told all the same.',
      returns: [200, AdminDashboard],
    },
    adminDashboard,
  ),
  endpoint(
    {
      id: 'dashboard.user',
      route: `GET ${base}/dashboard/user/{site_uri}`,
      access: 'signed-in',
      summary: "The caller's services and workplace sessions at a site",
      description: 'Services as in servicesList, sessions as the snapshot has them.',
      params: SiteUriParams,
      returns: [200, UserDashboard],
      errors: ['upstream_unavailable'],
    },
    (ctx, { params }) => userDashboard(ctx, params.site_uri),
  ),
];
