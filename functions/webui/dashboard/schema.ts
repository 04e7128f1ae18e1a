import { z } from 'zod';
import { Id, Moment, Status } from '../../../shared/http/fields.ts';

/** A part that could not be had, or is not served yet, says why by its code. */
const Missing = z.strictObject({ error: z.string() });
const part = <T extends z.ZodType>(shape: T) => z.union([shape, Missing]);
const Count = part(z.int());

const SiteOverview = z.strictObject({
  id: Id,
  uri: z.string(),
  name: z.string(),
  status: Status,
  farms: z.int(),
  dispatchers_up: z.int(),
  dispatchers: z.int(),
  pools: Count,
  workplaces: Count,
  in_use: Count,
  sessions: Count,
  fetched_at: Moment.nullable(),
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
  name: z.string(),
  farm_id: Id,
  site_id: Id,
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
      workplaces: Count,
      workplaces_in_use: Count,
      sessions: Count,
    }),
  ),
  sites: part(z.array(SiteOverview)),
  pools_near_full: part(z.array(NearlyFull)),
  recent_failures: part(z.array(Failure)),
  failed_logins_24h: Count,
  certificates_expiring: part(z.array(ExpiringCertificate)),
});
