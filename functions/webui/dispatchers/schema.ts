import { z } from 'zod';
import { Address } from '../../../shared/shapes/addresses.ts';
import {
  Certificates,
  CreatedAt,
  flagFilter,
  Id,
  idOf,
  Moment,
  Name,
  Priority,
  State,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';
import { Capabilities, DispatcherKind } from '../dispatcher-kinds.ts';

export const DispatcherWrite = z.object({
  name: Name.refine((name) => !name.normalize('NFKC').includes('://'), 'Must not be a URL').describe(
    'Name of the node. It must equal the name that is configured on the node, because it is the audience of the tokens. Must not contain `://`.',
  ),
  farm_id: idOf('farm').describe('Identifier of the farm of the node.'),
  kind: DispatcherKind.default('dispatcher').describe(
    'Type of the connection broker: `dispatcher`, which accepts tokens of the portal, or `openuds`, on which the portal has an account. All nodes of a farm are of one type. Default `dispatcher`.',
  ),
  url: Address('node')
    .meta({ example: 'https://d1.north.example.com' })
    .describe('Base URL of the node, `https` only.'),
  enabled: z
    .boolean()
    .default(true)
    .describe('If false, the node is neither called nor probed. Default true.'),
  priority: Priority.describe(
    'Rank among the nodes of the farm with `balancing` `priority`. Lower numbers are tried first. Default 1.',
  ),
  verify_tls: z
    .boolean()
    .default(true)
    .describe(
      'If false, any certificate is accepted; allowed only with `ALLOW_INSECURE_DISPATCHERS=1`. Default true.',
    ),
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe('PEM certificates trusted for the node. Null: the public certificate authorities are trusted.'),
  health_key: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .default(null)
    .describe(
      'Access key of the health check of the node, never returned. Null keeps the stored key in PUT and removes it in PATCH. Without a key, probes use the login and the domain list of the node. Must be sent again if the URL or TLS settings change.',
    ),
  timeout_ms: z
    .int()
    .min(500)
    .max(20_000)
    .default(5_000)
    .describe('Maximum duration of a call to the node in milliseconds. Default 5,000.'),
  account_domain: z
    .string()
    .min(1)
    .max(128)
    .nullable()
    .default(null)
    .describe(
      'Label of the domain of the account of the portal on the node. Required for nodes with the capability `service_account`, and only for those.',
    ),
  account_name: z
    .string()
    .min(1)
    .max(128)
    .nullable()
    .default(null)
    .describe(
      'Login name of the account of the portal on the node. The account must be an administrator of the node. Required like `account_domain`.',
    ),
  account_password: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .default(null)
    .describe(
      'Password of the account of the portal on the node, never returned. Without one, the stored password is kept. Must be sent again if the URL, TLS settings or account change.',
    ),
  public_url: Address('origin')
    .nullable()
    .default(null)
    .meta({ example: null })
    .describe(
      'Address of the node for users, `https` only and without a path, as it occurs in links to connections. Null: the address of `url`. Only for nodes with the capability `service_account`.',
    ),
  sends_client_address: z
    .boolean()
    .default(false)
    .describe(
      'If true, calls for a user have the address of the user in `X-Forwarded-For`, so that the node judges its networks by it. The node must be set to accept the header from the portal. Only for nodes with the capability `service_account`. Default false.',
    ),
});

const NodeStatus = z.enum(['pass', 'fail', 'unauthorized', 'unknown']);

export const Dispatcher = z.strictObject({
  id: Id.describe('Identifier of the dispatcher. Set by the portal.'),
  ...DispatcherWrite.shape,
  name: z.string().describe('Name of the node. It is the audience of the tokens for the node.'),
  health_key: z.null().describe('Access key of the health check. Always null: it is never returned.'),
  health_key_set: z.boolean().describe('True if a key is stored.'),
  account_password: z
    .null()
    .describe('Password of the account of the portal. Always null: it is never returned.'),
  account_password_set: z.boolean().describe('True if a password is stored.'),
  account_hold: z
    .strictObject({
      reason: z
        .enum(['refused', 'paused'])
        .describe(
          '`refused`: the node rejected the account; `paused`: the account is not tried, because the node rejected several others.',
        ),
      since: z.string().describe('Time of the first login that was rejected or not tried.'),
      until: z.string().describe('Time of the next login.'),
    })
    .nullable()
    .describe(
      'Refusal of the account of the portal. Null if the node accepted the account, or it was not tried yet.',
    ),
  capabilities: Capabilities,
  farm_name: z.string().describe('Name of the farm.'),
  site_id: idOf('site').describe('Identifier of the site of the farm.'),
  site_name: z.string().describe('Name of the site of the farm.'),
  version: z.string().nullable().describe('Version reported by the node. Null until it is reported.'),
  status: NodeStatus.describe(
    'Result of the last probe: `pass`, `fail`, `unauthorized` (the node rejects the credentials of the portal) or `unknown` (not probed).',
  ),
  state: State,
  circuit: z
    .enum(['closed', 'open', 'half_open'])
    .describe(
      'State of the circuit breaker: `closed`: calls are allowed; `open`: calls are blocked after failures; `half_open`: a trial call is running.',
    ),
  last_check_at: Moment.nullable().describe('Time of the last probe. Null before the first.'),
  last_error: z
    .string()
    .nullable()
    .describe('Problem code of the last failed probe. Null if the last probe passed.'),
  response_time_ms: z
    .int()
    .nullable()
    .describe('Duration of the last probe in milliseconds. Null if unknown.'),
  certificate: z
    .strictObject({
      subject: z.string().describe('Subject of the certificate.'),
      issuer: z.string().describe('Issuer of the certificate.'),
      not_before: z
        .string()
        .optional()
        .describe('Start of the validity of the certificate. Absent until the next probe after an update.'),
      not_after: z.string().describe('Expiration time of the certificate.'),
      fingerprint: z
        .string()
        .optional()
        .describe('SHA-256 of the certificate, hexadecimal. Absent until the next probe after an update.'),
      days_left: z.int().describe('Days until the certificate expires. Negative if it has expired.'),
    })
    .nullable()
    .describe('TLS certificate of the node. Null until the first successful TLS connection.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const dispatcherFilters = {
  farm_id: idOf('farm').optional().describe('Only nodes of the farm with this identifier.'),
  site_id: idOf('site').optional().describe('Only nodes of the site with this identifier.'),
  enabled: flagFilter.describe('Only nodes with this value of `enabled`.'),
  status: NodeStatus.optional().describe('Only nodes with this status.'),
};

export const dispatcherSorts = ['name', 'priority', 'created_at', 'updated_at'] as const;
