import { z } from 'zod';
import { Certificates, flagFilter, Id, Moment, Name, Priority, State } from '../../../shared/http/fields.ts';

export const DispatcherWrite = z.object({
  name: Name.refine((name) => !name.normalize('NFKC').includes('://'), 'Must not be a URL').meta({
    description: "The node's own name: audience of the tokens it gets. Must not contain `://`.",
  }),
  farm_id: Id,
  kind: z.enum(['dispatcher']).default('dispatcher'),
  url: z.string().max(2048).meta({ description: 'https', example: 'https://d1.north.example.com' }),
  enabled: z.boolean().default(true),
  priority: Priority,
  verify_tls: z.boolean().default(true),
  ca_certificate: Certificates.nullable()
    .default(null)
    .meta({ description: 'Trusted instead of the public authorities' }),
  health_key: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .default(null)
    .meta({ description: 'Key of the health check of the node; never read back' }),
  timeout_ms: z.int().min(500).max(20_000).default(5_000),
});

const NodeStatus = z.enum(['pass', 'fail', 'unauthorized', 'unknown']);

export const Dispatcher = z.strictObject({
  id: Id,
  ...DispatcherWrite.shape,
  name: z.string(),
  health_key: z.null(),
  health_key_set: z.boolean(),
  farm_name: z.string(),
  site_id: Id,
  site_name: z.string(),
  version: z.string().nullable(),
  status: NodeStatus,
  state: State,
  circuit: z.enum(['closed', 'open', 'half_open']),
  last_check_at: Moment.nullable(),
  last_error: z.string().nullable(),
  response_time_ms: z.int().nullable(),
  certificate: z
    .strictObject({ subject: z.string(), issuer: z.string(), not_after: z.string(), days_left: z.int() })
    .nullable(),
  created_at: Moment,
  updated_at: Moment,
});

export const dispatcherFilters = {
  farm_id: Id.optional(),
  site_id: Id.optional(),
  enabled: flagFilter,
  status: NodeStatus.optional(),
};

export const dispatcherSorts = ['name', 'priority', 'created_at', 'updated_at'] as const;
