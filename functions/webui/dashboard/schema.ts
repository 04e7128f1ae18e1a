import { z } from 'zod';
import { Maintenance } from '../../../shared/maintenance/shapes.ts';
import { ClientService } from '../../../shared/services/service-shape.ts';
import { Id, idOf, Moment, State, Status } from '../../../shared/shapes/fields.ts';
import { UserFarmStatus } from '../../../shared/sites/farm-status.ts';
import { WorkplaceSession } from '../../../shared/snapshot/session-shape.ts';
import { FailureGroup, FarmOverview, GatewayOverview, NodeOverview } from './overview-shapes.ts';

/** A part that could not be read has a problem code. */
const Missing = z.strictObject({
  error: z.string().describe('Problem code of this part of the dashboard, which could not be read.'),
});
const part = <T extends z.ZodType>(shape: T) => z.union([shape, Missing]);

const SiteOverview = z.strictObject({
  id: Id.describe('Identifier of the site.'),
  uri: z.string().describe('Name of the site in URLs.'),
  name: z.string().describe('Name of the site.'),
  status: Status.describe(
    '`pass`: at least one dispatcher of the site passes; `fail`: all enabled dispatchers fail; `unknown`: otherwise.',
  ),
  state: State,
  farms: z.int().describe('Number of farms.'),
  dispatchers_up: z.int().describe('Number of enabled dispatchers whose last probe passed.'),
  dispatchers: z.int().describe('Number of enabled dispatchers.'),
  pools: z.int().describe('Number of pools.'),
  workplaces: z.int().describe('Number of workplaces.'),
  in_use: z.int().describe('Number of workplaces in use.'),
  sessions: z.int().describe('Number of workplace sessions.'),
  fetched_at: Moment.nullable().describe(
    'When the oldest part of the data was read. Null if no data was read.',
  ),
});

/** A pool whose workplaces are nearly all in use. */
const NearlyFull = z.strictObject({
  uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
  name: z.string().nullable().describe('Name of the pool. Null if the dispatcher does not report it.'),
  farm_id: idOf('farm').describe('Identifier of the farm.'),
  farm_name: z.string().describe('Name of the farm.'),
  site_id: idOf('site').describe('Identifier of the site.'),
  site_name: z.string().describe('Name of the site.'),
  usage_percent: z.number().describe('Used part of the pool in percent, as reported by the dispatcher.'),
});

const ExpiringCertificate = z.strictObject({
  dispatcher_id: idOf('dispatcher').describe('Identifier of the dispatcher.'),
  name: z.string().describe('Name of the dispatcher.'),
  site_id: idOf('site').describe('Identifier of the site.'),
  site_name: z.string().describe('Name of the site.'),
  subject: z.string().describe('Subject of the certificate.'),
  not_after: z.string().describe('Expiration time of the certificate.'),
  days_left: z.int().describe('Days until the certificate expires. Negative if it has expired.'),
});

export const AdminDashboard = z.strictObject({
  generated_at: Moment.describe('When the dashboard was built.'),
  counters: part(
    z.strictObject({
      sites: z.int().describe('Number of sites.'),
      farms: z.int().describe('Number of farms.'),
      dispatchers: z.int().describe('Number of dispatchers.'),
      gateways: z.int().describe('Number of gateways.'),
      domains: z.int().describe('Number of authentication domains.'),
      users: z.int().describe('Number of users.'),
      admin_sessions: z.int().describe('Number of active administrator sessions.'),
      user_sessions: z.int().describe('Number of active user sessions.'),
      workplaces: z.int().describe('Number of workplaces.'),
      workplaces_in_use: z.int().describe('Number of workplaces in use.'),
      sessions: z.int().describe('Number of workplace sessions.'),
    }),
  ).describe(
    'Totals, or the problem code of the failure. Sites and their contents are counted within the scope of the caller.',
  ),
  sites: part(z.array(SiteOverview)).describe(
    'Sites in the order of their names, at most 500, or the problem code of the failure.',
  ),
  farms: part(z.array(FarmOverview)).describe(
    'Farms in the order of their names, at most 1,000, or the problem code of the failure.',
  ),
  nodes: part(z.array(NodeOverview)).describe(
    'Dispatcher nodes, at most 2,000: those whose last probe did not pass first, then by name. Or the problem code of the failure.',
  ),
  gateways: part(z.array(GatewayOverview)).describe(
    'Gateways in the order of their names, at most 500, or the problem code of the failure.',
  ),
  maintenance: part(z.array(Maintenance)).describe(
    'Maintenance in effect, then maintenance that starts later, at most 100 entries, or the problem code of the failure. Workplaces in maintenance without a template are not included.',
  ),
  pools_near_full: part(z.array(NearlyFull)).describe(
    'The 20 pools with the highest usage of at least 90 percent, or the problem code of the failure.',
  ),
  recent_failures: part(z.array(FailureGroup)).describe(
    'Monitoring records of failures that are not closed, grouped by cause: the latest 20 groups among the latest 1,000 records of each severity, or the problem code of the failure.',
  ),
  failed_logins_24h: part(z.int()).describe(
    'Number of failed logins in the last 24 hours, or the problem code of the failure.',
  ),
  certificates_expiring: part(z.array(ExpiringCertificate)).describe(
    'Certificates of dispatchers that expire soon, or the problem code of the failure.',
  ),
});

export const UserDashboard = z.strictObject({
  generated_at: Moment.describe('When the dashboard was built.'),
  site: z
    .strictObject({
      id: Id.describe('Identifier of the site.'),
      uri: z.string().describe('Name of the site in URLs.'),
      name: z.string().describe('Name of the site.'),
      maintenance: z.boolean().describe('True during maintenance of the site.'),
    })
    .describe('The requested site.'),
  services: z.array(ClientService).describe('Services of the caller, ordered by name.'),
  sessions: z
    .array(WorkplaceSession)
    .describe('Workplace sessions of the caller at the site, latest first, at most 500.'),
  sites: z.array(UserFarmStatus).describe('State of the data, one entry for each farm of the site.'),
});
