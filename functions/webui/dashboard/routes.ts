import { base, endpoint } from '../deps.ts';
import { AdminDashboard } from './schema.ts';
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
];
