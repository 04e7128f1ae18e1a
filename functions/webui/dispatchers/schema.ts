import { z } from 'zod';
import {
  Certificates,
  CreatedAt,
  flagFilter,
  Id,
  Moment,
  Name,
  Priority,
  State,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

export const DispatcherWrite = z.object({
  name: Name.refine((name) => !name.normalize('NFKC').includes('://'), 'Must not be a URL').describe(
    'Name of the node, which must equal its own: it is the audience of its tokens. Must not contain `://`.',
  ),
  farm_id: Id.describe('Identifier of the farm of the node.'),
  kind: z.enum(['dispatcher']).default('dispatcher').describe('Kind of the connection broker: `dispatcher`.'),
  url: z
    .string()
    .max(2048)
    .meta({ example: 'https://d1.north.example.com' })
    .describe('Base URL of the node, `https` only.'),
  enabled: z.boolean().default(true).describe('False: the node is neither called nor probed. Default true.'),
  priority: Priority.describe(
    'Rank among the nodes of the farm with `balancing` `priority`: lower numbers are tried first. Default 1.',
  ),
  verify_tls: z
    .boolean()
    .default(true)
    .describe(
      'False accepts any certificate; possible only with `ALLOW_INSECURE_DISPATCHERS=1`. Default true.',
    ),
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe('PEM certificates trusted for the node. Null: the public authorities.'),
  health_key: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .default(null)
    .describe(
      'Access key of the health check of the node, never returned. Null keeps the stored one in PUT and removes it in PATCH; without a key the node is probed by its login and domain list. It must be sent again when the URL or TLS settings change.',
    ),
  timeout_ms: z
    .int()
    .min(500)
    .max(20_000)
    .default(5_000)
    .describe('Longest duration of a call to the node in milliseconds. Default 5,000.'),
});

const NodeStatus = z.enum(['pass', 'fail', 'unauthorized', 'unknown']);

export const Dispatcher = z.strictObject({
  id: Id.describe('Identifier of the dispatcher. Set by the portal.'),
  ...DispatcherWrite.shape,
  name: z.string().describe('Name of the node: the audience of its tokens.'),
  health_key: z.null().describe('Always null: the key is never returned.'),
  health_key_set: z.boolean().describe('True if a key is stored.'),
  farm_name: z.string().describe('Name of the farm.'),
  site_id: Id.describe('Identifier of the site of the farm.'),
  site_name: z.string().describe('Name of the site of the farm.'),
  version: z.string().nullable().describe('Version that the node reports. Null until it reports one.'),
  status: NodeStatus.describe(
    'Result of the last probe: `pass`, `fail`, `unauthorized` (the node refuses this portal) or `unknown` (not probed).',
  ),
  state: State,
  circuit: z
    .enum(['closed', 'open', 'half_open'])
    .describe(
      'Circuit breaker: `closed`: calls allowed; `open`: calls blocked after failures; `half_open`: a probe is running.',
    ),
  last_check_at: Moment.nullable().describe('Time of the last probe. Null before the first.'),
  last_error: z
    .string()
    .nullable()
    .describe('Problem code of the last failed probe. Null if the last probe passed.'),
  response_time_ms: z
    .int()
    .nullable()
    .describe('Duration of the last probe in milliseconds. Null if it is not known.'),
  certificate: z
    .strictObject({
      subject: z.string().describe('Subject of the certificate.'),
      issuer: z.string().describe('Issuer of the certificate.'),
      not_after: z.string().describe('End of the validity of the certificate.'),
      days_left: z.int().describe('Days until the certificate expires. Negative after that.'),
    })
    .nullable()
    .describe('TLS certificate of the node. Null until a probe has read it.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const dispatcherFilters = {
  farm_id: Id.optional().describe('Only nodes of the farm with this identifier.'),
  site_id: Id.optional().describe('Only nodes of the site with this identifier.'),
  enabled: flagFilter.describe('Only nodes with this value of `enabled`.'),
  status: NodeStatus.optional().describe('Only nodes with this status.'),
};

export const dispatcherSorts = ['name', 'priority', 'created_at', 'updated_at'] as const;
