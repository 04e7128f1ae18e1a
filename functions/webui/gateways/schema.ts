import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { Host } from '../../../shared/shapes/addresses.ts';
import {
  CreatedAt,
  flagFilter,
  Id,
  idOf,
  idsOf,
  Moment,
  Name,
  Priority,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

/** Sorted and without duplicates, so that another order is not a change. */
const inOrder = <T extends string>(values: T[]): T[] => [...new Set(values)].sort();

const Network = z
  .string()
  .max(64)
  .refine(isNetwork, 'Must be a network in CIDR notation, such as 10.20.0.0/16');

export const GatewayWrite = z.object({
  name: Name.describe('Name of the gateway, unique regardless of case.'),
  host: Host.meta({ example: 'gw1.north.example.com' }).describe(
    'DNS name or IP address that clients connect to. Stored in lower case, other scripts as `xn--…`, without brackets and without a trailing dot.',
  ),
  port: z.int().min(1).max(65_535).default(443).describe('TCP port that clients connect to. Default 443.'),
  protocols: z
    .array(z.enum(['rdp', 'spice']))
    .min(1)
    .max(16)
    .transform(inOrder)
    .default(['rdp', 'spice'])
    .describe('Delivery protocols that the gateway serves: `rdp`, `spice`. Default: both.'),
  sites: idsOf('site')
    .default([])
    .describe('Identifiers of the sites whose users connect through the gateway. Default: none.'),
  networks: z
    .array(Network)
    .max(256)
    .transform(inOrder)
    .default([])
    .describe('Client networks (CIDR) that the gateway serves. Default: empty, for all networks.'),
  client_address: z
    .enum(['exact', 'family', 'off'])
    .default('family')
    .describe(
      'Client addresses from which a ticket is accepted: `exact`: the address that requested it; `family`: also an address of the other IP version; `off`: any. Default `family`.',
    ),
  byte_counters: z
    .enum(['tunnel', 'process'])
    .default('tunnel')
    .describe(
      'Meaning of `sent` and `recv` when a tunnel ends: `tunnel`: bytes of that tunnel; `process`: bytes of all tunnels since the gateway process started, as with the OpenUDS tunnel server 4.0. Default `tunnel`.',
    ),
  priority: Priority.describe(
    'Rank among the gateways of a site. The gateway with the lowest number is used. Default 1.',
  ),
  enabled: z.boolean().default(true).describe('If false, the gateway receives no connections. Default true.'),
  maintenance: z
    .boolean()
    .default(false)
    .describe('If true, the gateway receives no new connections. Default false.'),
});

/** Actions that a patch can request in addition to field changes. */
export const GatewayChange = GatewayWrite.extend({
  rotate_token: z
    .boolean()
    .optional()
    .describe('If true, a new token is created and the previous one stops working immediately.'),
});

const State = z.enum(['online', 'offline', 'unknown']);

export const Gateway = z.strictObject({
  id: Id.describe('Identifier of the gateway. Set by the portal.'),
  ...GatewayWrite.shape,
  token: z
    .string()
    .nullable()
    .describe('Token of the gateway. Returned once, when it is created or rotated; otherwise null.'),
  token_set: z.boolean().describe('True if the gateway has a token.'),
  state: State.describe(
    'State by heartbeats: `online`: received in the last 60 seconds; `offline`: not received in that time; `unknown`: never received.',
  ),
  status: z
    .enum(['pass', 'fail', 'unknown'])
    .describe('State by heartbeats as a check result: `pass` (`online`), `fail` (`offline`) or `unknown`.'),
  version: z.string().nullable().describe('Version reported by the gateway. Null until it is reported.'),
  last_seen_at: Moment.nullable().describe('Time of the last heartbeat. Null before the first.'),
  last_used_at: Moment.nullable().describe('When a tunnel was last opened or closed. Null before the first.'),
  stats: z
    .strictObject({
      connections: z.int().describe('Number of open tunnels.'),
      sent: z.int().describe('Bytes sent.'),
      received: z.int().describe('Bytes received.'),
    })
    .describe('Traffic of the gateway as of its last heartbeat, updated when tunnels are opened and closed.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const gatewayFilters = {
  site_id: idOf('site').optional().describe('Only gateways of the site with this identifier.'),
  enabled: flagFilter.describe('Only gateways with this value of `enabled`.'),
  state: State.optional().describe('Only gateways in this state.'),
};

function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return true;
  return !text.includes('%') && ipaddr.IPv6.isValidCIDR(text);
}
