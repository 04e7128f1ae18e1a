import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { flagFilter, Id, Ids, Moment, Name, Priority } from '../../../shared/http/fields.ts';

/** Sorted and each once, so that another order is no change. */
const inOrder = <T extends string>(values: T[]): T[] => [...new Set(values)].sort();

const Host = z
  .string()
  .refine(isHost, 'A DNS name or an IP address, without scheme and port')
  .meta({ description: 'What client programs connect to', maxLength: 253, example: 'gw1.north.example.com' });

const Network = z.string().max(64).refine(isNetwork, 'A network as CIDR, such as 10.20.0.0/16');

export const GatewayWrite = z.object({
  name: Name,
  host: Host,
  port: z.int().min(1).max(65_535).default(443),
  protocols: z
    .array(z.enum(['rdp', 'spice']))
    .min(1)
    .max(16)
    .transform(inOrder)
    .default(['rdp', 'spice']),
  sites: Ids.default([]).meta({ description: 'Sites whose users go through it' }),
  networks: z
    .array(Network)
    .max(256)
    .transform(inOrder)
    .default([])
    .meta({ description: 'Networks of the clients that it serves; none means all' }),
  client_address: z.enum(['exact', 'family', 'off']).default('family').meta({
    description:
      'From where the tunnels of a ticket may come: `exact` from the address that asked for it, `family` also from an address of the other family (IPv4, IPv6), `off` from anywhere',
  }),
  byte_counters: z.enum(['tunnel', 'process']).default('tunnel').meta({
    description:
      'What `sent` and `recv` count when a tunnel ends: `tunnel` the bytes of that tunnel, `process` the bytes of all tunnels since the gateway process started, as the OpenUDS tunnel server 4.0 does. Default `tunnel`.',
  }),
  priority: Priority,
  enabled: z.boolean().default(true),
  maintenance: z.boolean().default(false),
});

/** What a patch may ask for besides members of the object. */
export const GatewayChange = GatewayWrite.extend({
  rotate_token: z
    .boolean()
    .meta({ description: 'True gives a new token; the former one stops at once' })
    .optional(),
});

const State = z.enum(['online', 'offline', 'unknown']);

export const Gateway = z.strictObject({
  id: Id,
  ...GatewayWrite.shape,
  token: z.string().nullable().meta({ description: 'Shown once, where it is made; afterwards null' }),
  token_set: z.boolean(),
  state: State.meta({
    description:
      'By its heartbeats alone: `online` when one came within 60 seconds, `unknown` before the first',
  }),
  status: z
    .enum(['pass', 'fail', 'unknown'])
    .meta({ description: 'The same as of other objects; the journal tells of its changes' }),
  version: z.string().nullable(),
  last_seen_at: Moment.nullable().meta({ description: 'The last heartbeat' }),
  last_used_at: Moment.nullable().meta({ description: 'The last tunnel that began or ended' }),
  stats: z.strictObject({ connections: z.int(), sent: z.int(), received: z.int() }).meta({
    description: 'As its last heartbeat told; tunnels move it on until the next',
  }),
  created_at: Moment,
  updated_at: Moment,
});

export const gatewayFilters = {
  site_id: Id.optional(),
  enabled: flagFilter,
  state: State.optional(),
};

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const dnsName = new RegExp(`^${label}(?:\\.${label})*$`, 'i');

/** A name whose last label is a number would be read as an IPv4 address, and a wrong one at that (RFC 3696, 2). */
function isHost(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || isPlainIpv6(text)) return true;
  return text.length <= 253 && dnsName.test(text) && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/i.test(text);
}

function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return true;
  return !text.includes('%') && ipaddr.IPv6.isValidCIDR(text);
}

/** A zone means something on one machine only. */
const isPlainIpv6 = (text: string): boolean => !text.includes('%') && ipaddr.IPv6.isValid(text);
