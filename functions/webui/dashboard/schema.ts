import { z } from 'zod';
import { FarmStatus } from '../../../shared/fleet/farm-status.ts';
import { ClientService } from '../../../shared/fleet/services/shapes.ts';
import { WorkplaceSession } from '../../../shared/fleet/snapshot/session-shape.ts';
import { Id, Moment, Status } from '../../../shared/http/fields.ts';

/** A part that could not be had says why by its code. */
const Missing = z.strictObject({ error: z.string() });
const part = <T extends z.ZodType>(shape: T) => z.union([shape, Missing]);

const SiteOverview = z.strictObject({
  id: Id,
  uri: z.string(),
  name: z.string(),
  status: Status,
  farms: z.int(),
  dispatchers_up: z.int(),
  dispatchers: z.int(),
  pools: z.int(),
  workplaces: z.int(),
  in_use: z.int(),
  sessions: z.int(),
  fetched_at: Moment.nullable().meta({ description: 'Of what was read of its farms, the oldest' }),
});

const Failure = z.strictObject({
  id: Id,
  at: Moment,
  level: z.string(),
  source: z.string(),
  object_type: z.string().nullable(),
  object_id: z.string().nullable(),
  object_name: z.string().nullable(),
  message: z.string(),
});

/** A pool whose workplaces are nearly all taken. */
const NearlyFull = z.strictObject({
  uuid: Id,
  name: z.string().nullable(),
  farm_id: Id,
  farm_name: z.string(),
  site_id: Id,
  site_name: z.string(),
  usage_percent: z.number(),
});

const ExpiringCertificate = z.strictObject({
  dispatcher_id: Id,
  name: z.string(),
  site_id: Id,
  site_name: z.string(),
  subject: z.string(),
  not_after: z.string(),
  days_left: z.int(),
});

export const AdminDashboard = z.strictObject({
  generated_at: Moment,
  counters: part(
    z.strictObject({
      sites: z.int(),
      farms: z.int(),
      dispatchers: z.int(),
      gateways: z.int(),
      domains: z.int(),
      users: z.int(),
      admin_sessions: z.int(),
      user_sessions: z.int(),
      workplaces: z.int(),
      workplaces_in_use: z.int(),
      sessions: z.int(),
    }),
  ),
  sites: part(z.array(SiteOverview)),
  pools_near_full: part(z.array(NearlyFull)),
  recent_failures: part(z.array(Failure)),
  failed_logins_24h: part(z.int()),
  certificates_expiring: part(z.array(ExpiringCertificate)),
});

export const UserDashboard = z.strictObject({
  generated_at: Moment,
  site: z.strictObject({ id: Id, uri: z.string(), name: z.string(), maintenance: z.boolean() }),
  services: z.array(ClientService),
  sessions: z.array(WorkplaceSession).meta({ description: 'As the snapshot has them, the latest first' }),
  sites: z.array(FarmStatus),
});
